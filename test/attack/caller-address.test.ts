import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { it } from 'node:test';
import { callerAddress } from '../../src/http/client-address.ts';

const proxies = new BlockList();
proxies.addAddress('10.0.0.7');
proxies.addSubnet('10.1.0.0', 16);
proxies.addSubnet('fd00::', 8, 'ipv6');

it('[C101] without a proxy the caller is the other end of the socket, whatever it says', () => {
  const none = new BlockList();
  assert.equal(callerAddress(none, '192.0.2.1', undefined), '192.0.2.1');
  for (const claimed of ['203.0.113.9', '10.0.0.7', '203.0.113.9, 10.0.0.7'])
    assert.equal(callerAddress(none, '192.0.2.1', claimed), '192.0.2.1');
});

it('[C101] somebody who is no trusted proxy is not believed', () => {
  for (const claimed of ['203.0.113.9', '203.0.113.9, 10.0.0.7'])
    assert.equal(callerAddress(proxies, '192.0.2.1', claimed), '192.0.2.1');
});

it('[C101] behind a trusted proxy the caller is the last address that no trusted proxy wrote about itself', () => {
  assert.equal(callerAddress(proxies, '10.0.0.7', '203.0.113.9'), '203.0.113.9');
  assert.equal(callerAddress(proxies, '::ffff:10.0.0.7', '203.0.113.9'), '203.0.113.9');
  assert.equal(callerAddress(proxies, '10.0.0.7', '203.0.113.9, 10.1.2.3'), '203.0.113.9');
});

it('[C101] what a caller puts in front of its own address counts for nothing', () => {
  for (const invented of ['198.51.100.1', '10.0.0.7', 'nonsense', '198.51.100.1, 198.51.100.2'])
    assert.equal(callerAddress(proxies, '10.0.0.7', `${invented}, 203.0.113.9, 10.1.2.3`), '203.0.113.9');
});

it('[C101] a proxy that says nothing or nonsense is itself the caller', () => {
  for (const said of [undefined, '', 'unknown', '10.1.2.3', '203.0.113.9:', ':80', '[203.0.113.9'])
    assert.equal(callerAddress(proxies, '10.0.0.7', said), '10.0.0.7');
});

it('[C101] the port that some proxies write behind an address is no part of it', () => {
  const of = (said: string) => callerAddress(proxies, '10.0.0.7', said);
  assert.equal(of('203.0.113.9:4711'), '203.0.113.9');
  assert.equal(of('198.51.100.1:80, 203.0.113.9:4711, 10.1.2.3:443'), '203.0.113.9');
  for (const said of ['[2001:db8:1:2::1]:4711', '[2001:db8:1:2::1]', '2001:db8:1:2::1'])
    assert.equal(of(said), '2001:db8:1:2');
  assert.equal(of('[::ffff:203.0.113.9]:4711'), '203.0.113.9');
});

it('[C102] an IPv6 caller is its whole network, so that it cannot change its address at will', () => {
  const of = (address: string) => callerAddress(proxies, address, undefined);
  assert.equal(of('2001:db8:1:2:3:4:5:6'), of('2001:db8:1:2:ffff::1'));
  assert.equal(of('2001:db8::1'), of('2001:db8::ffff:2'));
  assert.notEqual(of('2001:db8:1:2::1'), of('2001:db8:1:3::1'));
  assert.equal(callerAddress(proxies, 'fd00::1', '2001:db8:1:2::1'), of('2001:db8:1:2::2'));
});
