import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { raceAgainstRemoval, raceForRole } from './races.ts';

describe('simultaneous people, at two processes on postgres', () => {
  const target = deployment({ engine: 'postgres', processes: 2, declarations: attackDeclarations });

  it('one of fifty simultaneous people gets the role', async () => {
    const people = await Person.several(target(), 50);
    for (let round = 0; round < 3; round += 1) await raceForRole(target(), people);
  });

  it('no write of a member succeeds after its removal was acknowledged', async () => {
    for (let round = 0; round < 3; round += 1) await raceAgainstRemoval(target());
  });

  it('changing the role of a member who is being erased is answered with 404', async () => {
    const [ada, bob] = (await Person.several(target(), 2)) as [Person, Person];
    const one = `clubs/${await ada.make('clubs', { title: 'Chess' })}`;
    await ada.invites(one, 'guest', bob);
    const alias = await bob.aliasIn(one);
    const { id } = (await bob.get('me')).body;
    const eraser = new Client({ connectionString: String(target().settings.DATABASE_URL) });
    await eraser.connect();
    try {
      await eraser.query('begin');
      await eraser.query('delete from consumers where id = $1', [id]);
      const changing = ada.patch(`${one}/members/${alias}`, { role: 'chair' });
      const waiting = `select 1 from pg_locks where not granted and pid <> pg_backend_pid()`;
      const isWaiting = async () => (await eraser.query(waiting)).rowCount !== 0;
      await until(isWaiting, Boolean, 'nothing waits for the erasure');
      await eraser.query('commit');
      assert.equal((await changing).status, 404);
    } finally {
      await eraser.end();
    }
  });

  it('an owner can be erased during a hand-over; the record stays with the new owner', async () => {
    const [ada, bob] = (await Person.several(target(), 2)) as [Person, Person];
    const one = `clubs/${await ada.make('clubs', { title: 'Chess' })}`;
    const code = await ada.codeFor(one, { role: 'owner' });
    const { id } = (await ada.get('me')).body;
    const holder = new Client({ connectionString: String(target().settings.DATABASE_URL) });
    await holder.connect();
    const waiting = async () => {
      const locks = 'select distinct pid from pg_locks where not granted and pid <> pg_backend_pid()';
      return (await holder.query(locks)).rowCount;
    };
    const untilWaiting = (count: number) =>
      until(waiting, (found) => found === count, `there are not ${count} who wait`);
    try {
      // The hand-over waits while it has locked the record, and the erasure meets that lock.
      await holder.query('begin');
      await holder.query(`select from usage where owner = $1 for update`, [id]);
      const accepting = bob.post('invitations', { code });
      await untilWaiting(1);
      const erasing = ada.at(target().serviceAt(1)).delete('me');
      await untilWaiting(2);
      await holder.query('commit');
      assert.deepEqual([(await accepting).status, (await erasing).status], [200, 200]);
      assert.deepEqual((await bob.get(one)).body.roles, ['owner']);
    } finally {
      await holder.end();
    }
  });
});
