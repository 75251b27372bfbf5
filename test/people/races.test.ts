import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { declaredProcesses } from '../support/declared-processes.ts';
import { until } from '../support/polling.ts';
import { attackDeclarations } from './attack-declarations.ts';
import { Person } from './person.ts';
import { raceAgainstRemoval, raceForRole } from './races.ts';

describe('people who act at the same moment, at two processes on postgres', () => {
  const target = declaredProcesses('postgres', 2, attackDeclarations);

  it('grants a role to one of fifty people', async () => {
    const people = await Person.several(target(), 50);
    for (let round = 0; round < 3; round += 1) await raceForRole(target(), people);
  });

  it('does nothing for a member after its removal was acknowledged', async () => {
    for (let round = 0; round < 3; round += 1) await raceAgainstRemoval(target());
  });

  it('answers when a member is erased while its role is changed', async () => {
    const [ada, bob] = (await Person.several(target(), 2)) as [Person, Person];
    const one = `clubs/${await ada.make('clubs', { title: 'Chess' })}`;
    await ada.invites(one, 'guest', bob);
    const alias = await bob.aliasIn(one);
    const { id } = (await bob.get('me')).body;
    const eraser = new Client({ connectionString: String(target().processes.settings.DATABASE_URL) });
    await eraser.connect();
    try {
      await eraser.query('begin');
      await eraser.query('delete from consumers where id = $1', [id]);
      const changing = ada.patch(`${one}/members/${alias}`, { role: 'chair' });
      const waiting = `select 1 from pg_locks where not granted and pid <> pg_backend_pid()`;
      await until(
        async () => (await eraser.query(waiting)).rowCount,
        (count) => count !== 0,
        'nothing waits for the erasure',
      );
      await eraser.query('commit');
      assert.equal((await changing).status, 404);
    } finally {
      await eraser.end();
    }
  });
});
