import assert from 'node:assert/strict';
import { plainSql } from '../support/databases/plain-sql.ts';
import { Person } from '../support/people/person.ts';
import { atOnce, type Deployment } from '../support/services/deployment.ts';

/** Simultaneous attempts of many people, over all processes. Drills repeat them more often than tests. */

/** All people take one action, which grants a role that one person can have. */
export async function raceForRole(target: Deployment, people: readonly Person[]): Promise<void> {
  const owner = await Person.of(target);
  const id = await owner.make('items', { title: 'The only drill' });
  const replies = await atOnce(people.length, (index) =>
    (people[index] as Person).at(target.serviceAt(index)).post(`items/${id}/request`),
  );
  const winners = replies.filter(({ status }) => status === 200);
  assert.equal(winners.length, 1);
  const others = replies.filter(({ status }) => status !== 200);
  assert.deepEqual([...new Set(others.map(({ status }) => status))], [409]);
  const rows = await plainSql(target.settings).query(`select role from members where record_id = '${id}'`);
  assert.equal(rows.map(({ role }) => role).join(), 'borrower');
  const { people: shown } = (await owner.get(`items/${id}`)).body;
  assert.deepEqual(shown, winners[0]?.body.people);
}

/** A member writes continuously at all processes while the owner removes it. */
export async function raceAgainstRemoval(target: Deployment): Promise<void> {
  const [owner, member] = (await Person.several(target, 2)) as [Person, Person];
  const id = await owner.make('lists', { title: 'Ours' });
  await owner.invites(`lists/${id}`, 'member', member);
  const alias = await member.aliasIn(`lists/${id}`);
  let isRemoved = false;
  let begun = 0;
  const enough = Promise.withResolvers<void>();
  const write = async (index: number) => {
    const results: number[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      begun += 1;
      if (begun === 30) enough.resolve();
      const isLate = isRemoved;
      const { status } = await member
        .at(target.serviceAt(index + turn))
        .patch(`lists/${id}`, { title: `${index} ${turn}` });
      results.push(status);
      if (isLate) assert.equal(status, 404, 'a write that began after the removal was acknowledged');
    }
    return results;
  };
  const removal = async () => {
    await enough.promise;
    assert.equal((await owner.at(target.serviceAt(1)).delete(`lists/${id}/members/${alias}`)).status, 204);
    isRemoved = true;
  };
  const [statuses] = await Promise.all([atOnce(10, write), removal()]);
  const done = statuses.flat().filter((status) => status === 200).length;
  assert.ok(statuses.flat().every((status) => status === 200 || status === 404));
  // The order of the log is the order of the commits.
  const log = await plainSql(target.settings).query(
    `select type from events where record_id = '${id}' order by position`,
  );
  const types = log.map(({ type }) => String(type));
  assert.equal(types.filter((type) => type === 'lists.changed').length, done);
  assert.equal(types.at(-1), 'lists.left');
  assert.equal((await member.get(`lists/${id}`)).status, 404);
}
