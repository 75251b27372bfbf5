import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { generate } from 'selfsigned';
import { environmentName, settings } from '../../src/config/settings.ts';
import { exits, newDirectory, refused, succeeded } from '../support/commands/outcome.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import { runVestibule, type Settings } from '../support/services/service.ts';

const password = 'hunter-4711';
const masterSecret = newMasterSecret();

describe('vestibule check, settings', () => {
  const directory = newDirectory();
  const good: Settings = {
    TEST_DIRECTORY: newDirectory(),
    DATABASE_URL: `sqlite:${directory}/vestibule.db`,
    IDP_ORIGIN: 'https://login.example.org',
    API_AUDIENCE: 'https://api.example.org',
  };
  const file = (name: string, content: string) => {
    writeFileSync(`${directory}/${name}`, content);
    return `${directory}/${name}`;
  };
  let tls: { cert: string; key: string; otherKey: string };
  before(async () => {
    const [one, other] = await Promise.all([generate(), generate()]);
    tls = {
      cert: file('tls.crt', one.cert),
      key: file('tls.key', one.private),
      otherKey: file('other.key', other.private),
    };
  });
  const check = (changes: Settings, ...options: string[]) =>
    runVestibule({ ...good, ...changes }, 'check', ...options);

  it('reports valid settings and shows those that are set, or all with --all', async () => {
    const shown = succeeded(await check({ PORT: '9001' }));
    assert.match(shown, /^The settings are in order\.\n\nSETTING +FROM +VALUE\n/);
    assert.match(shown, /^PORT +set +9001$/m);
    assert.doesNotMatch(shown, /^OPS_PORT|^IDP_ISSUER/m, 'defaults are left out');
    const all = succeeded(await check({ PORT: '9001' }, '--all'));
    assert.match(all, /^PORT +set +9001$/m);
    assert.match(all, /^OPS_PORT +default +8081$/m);
    assert.match(all, /^IDP_ISSUER +default$/m);
  });

  it('shows the paths of the SQLite database, master secret and erasure log', async () => {
    const shown = succeeded(await check({}));
    for (const [name, suffix] of [
      ['database', ''],
      ['master secret', '.secret'],
      ['erasure log', '.erasures'],
    ])
      assert.match(shown, new RegExp(`^${name} +${directory}/vestibule\\.db${suffix}$`, 'm'));
    assert.match(shown, new RegExp(`^DATABASE_URL +set +sqlite:${directory}/vestibule\\.db$`, 'm'));
  });

  it('shows every setting as JSON', async () => {
    const shown = JSON.parse(succeeded(await check({}, '--json')));
    assert.equal(shown.ok, true);
    const names = shown.settings.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, Object.keys(settings).map(environmentName));
  });

  it('does not print secrets', async () => {
    const secret = {
      DATABASE_URL: `postgres://vestibule:${password}@db.example.org/vestibule?sslmode=verify-full`,
      MASTER_SECRET: masterSecret,
    };
    for (const options of [[], ['--json']]) {
      const shown = succeeded(await check(secret, ...options));
      assert.match(shown, /DATABASE_URL[\s\S]*\(secret\)/);
      for (const hidden of [password, masterSecret, 'db.example.org']) {
        assert.equal(shown.includes(hidden), false, hidden);
      }
    }
  });

  it('warns about PostgreSQL without an erasure log', async () => {
    const postgres = {
      DATABASE_URL: 'postgres://vestibule@127.0.0.1:1/vestibule',
      MASTER_SECRET: masterSecret,
    };
    assert.match(succeeded(await check(postgres)), /^WARN {2}.*ERASURE_LOG/m);
    const warned = async (changes: Settings) =>
      JSON.parse(succeeded(await check(changes, '--json'))).warnings.length;
    assert.equal(await warned(postgres), 1);
    assert.equal(await warned({ ...postgres, ERASURE_LOG: `${directory}/erasures` }), 0);
    assert.equal(await warned({}), 0, 'SQLite has one by default');
  });

  it('creates neither a database nor a secret', async () => {
    succeeded(await check({}));
    assert.equal(existsSync(`${directory}/vestibule.db`), false);
    assert.equal(existsSync(`${directory}/vestibule.db.secret`), false);
  });

  it('exits with 1 and names every mistake', async () => {
    const says =
      /^vestibule: There are mistakes in the settings:\n {2}LOG_LEVEL must .*\n {2}PORT must .*\n$/;
    exits(1, await check({ PORT: 'http', LOG_LEVEL: 'loud' }), says);
  });

  it('accepts a certificate with its key', async () => {
    succeeded(await check({ TLS_CERT_FILE: tls.cert, TLS_KEY_FILE: tls.key }));
  });

  it('refuses a certificate and a key that are no pair, empty or missing', async () => {
    const [garbage, empty] = [file('garbage.key', 'no key at all'), file('empty.pem', '')];
    const [noCert, noKey] = [`${directory}/no.crt`, `${directory}/no.key`];
    const noPair = /TLS_CERT_FILE and TLS_KEY_FILE are not a valid pair/;
    for (const [cert, key, says] of [
      [tls.cert, tls.otherKey, noPair],
      [tls.key, tls.key, noPair],
      [tls.cert, garbage, noPair],
      [tls.cert, empty, /TLS_(CERT|KEY)_FILE/],
      [empty, tls.key, /TLS_(CERT|KEY)_FILE/],
      [noCert, noKey, /TLS_CERT_FILE.*TLS_KEY_FILE/],
      [noCert, tls.key, /no\.crt" \(TLS_CERT_FILE\) cannot be read \(ENOENT\)/],
    ] as const)
      refused(await check({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key }), says);
  });
});

const folder = declarationsFolder({
  lists: `
title: Lists
schema: { properties: { text: { type: string, maxLength: 60 } } }
roles:
  member: { invited_by: [owner, member] }
  helper: { scope: lists.help }
  owner: { invited_by: owner }
access: { create: helper, read: [owner, member, helper], update: [owner, member], delete: nobody, clients: own }
`,
});

describe('vestibule check --matrix', () => {
  const matrix = (settings: Settings, ...options: string[]) =>
    runVestibule({ TEST_DIRECTORY: newDirectory(), ...settings }, 'check', '--matrix', ...options);

  it('prints roles, verbs and states of each collection, without settings', async () => {
    const printed = succeeded(await matrix({}, 'collections')).split('\n\n');
    const names = printed.map((table) => table.split(':')[0]);
    assert.deepEqual(names, ['bookings', 'items', 'notes']);
    const documented = readFileSync('docs/collections.md', 'utf8');
    assert.ok(documented.includes(`\`\`\`\n${printed[1]}\n\`\`\``), String(printed[1]));
  });

  it('prints one column without states, and rows for invitations', async () => {
    const expected = `lists: Lists
ROLE    MAY            (no states)
owner   read           yes
owner   update         yes
owner   invite owner   yes
owner   invite member  yes
member  read           yes
member  update         yes
member  invite member  yes
helper  create         yes
helper  read           yes
client  read           yes
client  update         yes
`;
    assert.equal(succeeded(await matrix({}, folder)), expected);
    const settings = { COLLECTIONS_DIR: folder, IDP_ORIGIN: 'https://login.example.org' };
    assert.equal(succeeded(await matrix(settings)), expected);
  });

  it('prints every row as JSON with its allowed states', async () => {
    const { ok, collections } = JSON.parse(succeeded(await matrix({}, folder, '--json')));
    assert.equal(ok, true);
    assert.deepEqual([collections[0].name, collections[0].states], ['lists', [null]]);
    const rows = new Map(
      collections[0].rows.map(({ role, verb, states }: Record<string, string>) => [
        `${role} ${verb}`,
        states,
      ]),
    );
    assert.deepEqual(rows.get('member update'), [null]);
    assert.deepEqual(rows.get('helper update'), []);
    assert.deepEqual(rows.get('everyone create'), []);
  });

  it('reports mistakes in the declarations, and refuses --against', async () => {
    const wrong = declarationsFolder({ lists: 'roels: {}\n' });
    exits(1, await matrix({}, wrong), /roels is not known here; did you mean "roles"\?/);
    assert.match((await matrix({}, folder, '--against')).stderr, /cannot be used with/);
  });
});
