import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { it } from 'node:test';
import { callerAddress } from '../../src/http/request-context.ts';

const proxies = new BlockList();
proxies.addAddress('10.0.0.7');
proxies.addSubnet('10.1.0.0', 16);
proxies.addSubnet('fd00::', 8, 'ipv6');

it('[C101] without a proxy the caller is the socket address, whatever X-Forwarded-For says', () => {
  const none = new BlockList();
  assert.equal(callerAddress(none, '192.0.2.1', undefined), '192.0.2.1');
  for (const claimed of ['203.0.113.9', '10.0.0.7', '203.0.113.9, 10.0.0.7'])
    assert.equal(callerAddress(none, '192.0.2.1', claimed), '192.0.2.1');
});

it('[C101] X-Forwarded-For from an untrusted address is ignored', () => {
  for (const claimed of ['203.0.113.9', '203.0.113.9, 10.0.0.7'])
    assert.equal(callerAddress(proxies, '192.0.2.1', claimed), '192.0.2.1');
});

it('[C101] behind trusted proxies the caller is the last untrusted address', () => {
  assert.equal(callerAddress(proxies, '10.0.0.7', '203.0.113.9'), '203.0.113.9');
  assert.equal(callerAddress(proxies, '::ffff:10.0.0.7', '203.0.113.9'), '203.0.113.9');
  assert.equal(callerAddress(proxies, '10.0.0.7', '203.0.113.9, 10.1.2.3'), '203.0.113.9');
});

it('[C101] addresses that a caller prepends to X-Forwarded-For are ignored', () => {
  for (const invented of ['198.51.100.1', '10.0.0.7', 'nonsense', '198.51.100.1, 198.51.100.2'])
    assert.equal(callerAddress(proxies, '10.0.0.7', `${invented}, 203.0.113.9, 10.1.2.3`), '203.0.113.9');
});

it('[C101] a trusted proxy with a missing or invalid X-Forwarded-For is itself the caller', () => {
  for (const said of [undefined, '', 'unknown', '10.1.2.3', '203.0.113.9:', ':80', '[203.0.113.9'])
    assert.equal(callerAddress(proxies, '10.0.0.7', said), '10.0.0.7');
});

it('[C101] a port behind an address in X-Forwarded-For is ignored', () => {
  const of = (said: string) => callerAddress(proxies, '10.0.0.7', said);
  assert.equal(of('203.0.113.9:4711'), '203.0.113.9');
  assert.equal(of('198.51.100.1:80, 203.0.113.9:4711, 10.1.2.3:443'), '203.0.113.9');
  for (const said of ['[2001:db8:1:2::1]:4711', '[2001:db8:1:2::1]', '2001:db8:1:2::1'])
    assert.equal(of(said), '2001:db8:1:2');
  assert.equal(of('[::ffff:203.0.113.9]:4711'), '203.0.113.9');
});

it('[C102] all addresses of one IPv6 network count as one caller', () => {
  const of = (address: string) => callerAddress(proxies, address, undefined);
  assert.equal(of('2001:db8:1:2:3:4:5:6'), of('2001:db8:1:2:ffff::1'));
  assert.equal(of('2001:db8::1'), of('2001:db8::ffff:2'));
  assert.notEqual(of('2001:db8:1:2::1'), of('2001:db8:1:3::1'));
  assert.equal(callerAddress(proxies, 'fd00::1', '2001:db8:1:2::1'), of('2001:db8:1:2::2'));
});
