import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { exits, newDirectory, succeeded } from '../support/commands/outcome.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { runVestibule, type Settings } from '../support/services/service.ts';

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
