import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createEgress,
  EgressError,
  isPublicAddress,
  type Resolve,
} from '../../src/events/webhooks/egress.ts';

const ownUrl = 'https://api.example.org/base';

/** One or two addresses of each network that is not public: its first, and one at its end. */
const internal = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255'],
  ...['127.0.0.1', '127.255.255.254', '169.254.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
  ...['192.0.0.1', '192.0.0.255', '192.0.2.1', '192.88.99.1', '192.168.0.1', '192.168.255.255'],
  ...['198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.255', '224.0.0.1', '239.255.255.255'],
  ...['240.0.0.1', '255.255.255.255', '168.63.129.16'],
  ...['::', '::1', 'fe80::1', 'febf::1', 'fec0::1', 'fc00::1', 'fdff::1', 'ff02::1', '::ffff:127.0.0.1'],
  ...['::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0:127.0.0.1', '::127.0.0.1', '2002::1', '2002:7f00:1::'],
  ...['64:ff9b::1', '64:ff9b::7f00:1', '64:ff9b:1::1', '100::1', '2001::1', '2001:0:4136:e378::'],
  ...['2001:10::1'],
  ...['2001:20::1', '2001:2::1', '2001:db8::1', '3fff::1', '3fff:fff::1', '5f00::1', 'fd00:ec2::254'],
];
const outside = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.1', '100.63.255.255', '100.128.0.1', '126.255.255.255'],
  ...['128.0.0.1', '169.253.255.255', '172.15.255.255', '172.32.0.1', '192.0.1.1', '192.167.255.255'],
  ...['198.17.255.255', '198.20.0.1', '223.255.255.255', '2001:4860:4860::8888', '2606:4700::1111'],
  ...['168.63.129.15', '168.63.129.17', '2a00:1450::1', '2001:200::1', '::ffff:8.8.8.8', '::ffff:808:808'],
  ...['3ffe::1'],
];

/** 127.0.0.1, 169.254.169.254 and 10.0.0.1 as browsers, libc and people spell them. */
const spellings = [
  ...['127.1', '127.0.1', '0x7f.1', '0x7f000001', '2130706433', '017700000001', '0177.0.0.1', '0x7F.0.0.0x1'],
  ...['127.0.0.1.', '127.00.0.1', '0300.0250.0.1', '0xa9fea9fe', '2852039166', '0xA9.0xFE.0xA9.0xFE', '10.1'],
  ...['012.0.0.1', '0xa.0.0.1', '167772161', '0', '0.0', '0x0', '%31%32%37.0.0.1', '１２７.0.0.1'],
  ...['①②⑦.0.0.1'],
  ...['127。0。0。1', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...['[0:0:0:0:0:ffff:127.0.0.1]', '[::FFFF:7F00:0001]', '[::127.0.0.1]', '[fe80::1]', '[fd00::1]'],
  ...['[64:ff9b::127.0.0.1]', '[2002:7f00:0001::]', '[2001:db8::1]'],
];

const nowhere: Resolve = async () => assert.fail('an address is not looked up');

describe('the address guard of webhooks', () => {
  it('[E133] treats exactly the internet addresses as public', () => {
    for (const address of internal) assert.equal(isPublicAddress(address), false, address);
    for (const address of outside) assert.equal(isPublicAddress(address), true, address);
    for (const odd of ['', 'localhost', '1.2.3', '8.8.8.8 ', '2001:4860::1%eth0', 'fe80::1%1'])
      assert.equal(isPublicAddress(odd), false, odd);
  });

  it('[E133] refuses every spelling of an internal address', async () => {
    const { check } = createEgress({ allow: [], ownUrl, resolve: nowhere });
    const literals = internal.map((address) => (address.includes(':') ? `[${address}]` : address));
    for (const host of [...literals, ...spellings])
      await assert.rejects(check(`https://${host}/hook`), refusedFor(/a public address/), host);
  });

  it('[E133] accepts an internet address in every spelling', async () => {
    const { check } = createEgress({ allow: [], ownUrl, resolve: nowhere });
    const literals = ['[2001:4860:4860::8888]', '[::ffff:8.8.8.8]'];
    for (const host of ['1.1.1.1', '8.8.8.8', '0x08080808', '134744072', ...literals])
      await check(`https://${host}/hook`);
  });

  it('[E135] refuses a name when any of its addresses is not public', async () => {
    for (const address of internal) {
      const family = address.includes(':') ? 6 : 4;
      const resolve: Resolve = async () => [
        { address: '8.8.8.8', family: 4 },
        { address, family },
        { address: '2001:4860:4860::8888', family: 6 },
      ];
      const { check, vettedAddresses } = createEgress({ allow: [], ownUrl, resolve });
      await assert.rejects(check('https://hooks.example.com/'), refusedFor(/a public address/), address);
      await assert.rejects(vettedAddresses('hooks.example.com'), EgressError, address);
    }
  });

  it('shares one DNS lookup per name while in flight, also a failing one', async () => {
    const asked: string[] = [];
    const answer = Promise.withResolvers<void>();
    const resolve: Resolve = async (name) => {
      asked.push(name);
      await answer.promise;
      return name === 'gone.example.org' ? [] : [{ address: '8.8.8.8', family: 4 }];
    };
    const { vettedAddresses } = createEgress({ allow: [], ownUrl, resolve });
    const names = ['one.example.org', 'gone.example.org', 'one.example.org', 'gone.example.org'];
    const found = Promise.allSettled(names.map(vettedAddresses));
    answer.resolve();
    const statuses = (await found).map(({ status }) => status);
    assert.deepEqual(statuses, ['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    assert.deepEqual(asked, names.slice(0, 2));
    await vettedAddresses('one.example.org');
    assert.equal(asked.length, 3);
  });

  it('refuses a name that does not resolve', async () => {
    for (const resolve of [async () => [], async () => Promise.reject(new Error('no such name'))]) {
      const { check } = createEgress({ allow: [], ownUrl, resolve });
      await assert.rejects(check('https://hooks.example.com/'), /does not resolve to an address/);
    }
  });

  it('[E137] refuses every scheme but https, and invalid URLs', async () => {
    const { check } = createEgress({ allow: [], ownUrl, resolve: nowhere });
    for (const scheme of 'http ftp file gopher ws wss unix dict ldap tftp sftp jar'.split(' '))
      await assert.rejects(check(`${scheme}://8.8.8.8/hook`), refusedFor(/an https URL/), scheme);
    const schemeless = [
      ...['data:text/plain,x', 'javascript:1', 'file:///etc/passwd', 'unix:/run/docker.sock', 'mailto:a@b'],
    ];
    for (const odd of schemeless) await assert.rejects(check(odd), refusedFor(/an https URL/), odd);
    const invalid = [
      ...['', 'hooks.example.com', '//8.8.8.8/', 'https://', 'https://[::1', 'https://a b/', 'https://%00/'],
    ];
    for (const none of invalid) await assert.rejects(check(none), refusedFor(/an https URL/), none);
  });

  it('[E137] refuses the well-known ports of other protocols', async () => {
    const { check } = createEgress({ allow: [], ownUrl, resolve: nowhere });
    for (const port of [
      1, 21, 22, 23, 25, 53, 80, 110, 143, 389, 445, 465, 587, 636, 993, 2375, 3306, 5432, 6379, 9200, 10250,
      11211, 27017,
    ])
      await assert.rejects(
        check(`https://8.8.8.8:${port}/`),
        refusedFor(/port 443 or one above 1023/),
        `${port}`,
      );
    for (const port of [443, 8443, 4443, 9443, 10443, 65_535]) await check(`https://8.8.8.8:${port}/`);
  });

  it('refuses user, password and fragment', async () => {
    const { check } = createEgress({ allow: ['https://hooks.internal'], ownUrl, resolve: nowhere });
    for (const host of ['8.8.8.8', 'hooks.internal']) {
      await assert.rejects(check(`https://user@${host}/`), refusedFor(/without user and password/));
      await assert.rejects(check(`https://:secret@${host}/`), refusedFor(/without user and password/));
      await assert.rejects(check(`https://${host}/#here`), refusedFor(/without a fragment/));
      await assert.rejects(check(`https://${host}/#`), refusedFor(/without a fragment/));
    }
  });

  it("[E138] refuses this service's own URL in every spelling", async () => {
    const resolve: Resolve = async () => [{ address: '8.8.8.8', family: 4 }];
    const allow = ['https://api.example.org', 'https://api.example.org:9443'];
    const { check } = createEgress({ allow, ownUrl, resolve });
    for (const own of ['api.example.org/', 'API.example.org/x', 'api.example.org:443/', 'api.example.org./'])
      await assert.rejects(check(`https://${own}`), refusedFor(/another host than this service/), own);
    const otherPort = check('https://api.example.org:8443/');
    await assert.rejects(otherPort, refusedFor(/another host than this service/));
    await check('https://api.example.org:9443/');
    await check('https://hooks.example.org/');
  });

  it('allows the listed origins and nothing else', async () => {
    const allow = ['http://127.0.0.1:9000', 'https://hooks.internal', 'http://10.0.0.5:6379'];
    const resolve: Resolve = async () => [{ address: '10.0.0.7', family: 4 }];
    const { check } = createEgress({ allow, ownUrl, resolve });
    const listed = ['http://127.0.0.1:9000/hook', 'http://127.1:9000/', 'https://hooks.internal/a?b=c'];
    for (const url of [...listed, 'http://10.0.0.5:6379/']) await check(url);
    const beside = [
      ...['http://127.0.0.1:9001/', 'https://127.0.0.1:9000/', 'http://hooks.internal/'],
      ...['https://hooks.internal:8443/', 'http://127.0.0.2:9000/', 'https://hooks.internal.example.com/'],
    ];
    for (const url of beside) await assert.rejects(check(url), EgressError, url);
  });

  it('allows every port of this machine, and nothing else, with "loopback"', async () => {
    const { check } = createEgress({ allow: ['loopback'], ownUrl, resolve: nowhere });
    for (const origin of [
      'http://127.0.0.1:9000',
      'http://localhost:1234',
      'http://[::1]:80',
      'https://127.9.9.9',
    ])
      await check(`${origin}/`);
    for (const url of [
      ...['http://10.0.0.1/', 'http://0.0.0.0/', 'https://[::ffff:10.0.0.1]/'],
      ...['http://localhost.example.com/', 'ftp://127.0.0.1/', 'ws://localhost:9000/', 'foo://localhost/'],
    ])
      await assert.rejects(check(url), EgressError, url);
  });
});

function refusedFor(sentence: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof EgressError, String(error));
    assert.match(error.message, sentence);
    return true;
  };
}
