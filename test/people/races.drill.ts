import { describe, it } from 'node:test';
import { declaredProcesses } from '../support/declared-processes.ts';
import { attackDeclarations } from './attack-declarations.ts';
import { Person } from './person.ts';
import { raceAgainstRemoval, raceForRole } from './races.ts';

const rounds = 50;

describe('fifty rounds of people who act at the same moment, at two processes on postgres', () => {
  const target = declaredProcesses('postgres', 2, attackDeclarations);

  it('grants a role to one of fifty people, every time', async () => {
    for (let round = 0; round < rounds; round += 1) {
      // New people each time, because each may have only five things.
      await raceForRole(target(), await Person.several(target(), 50));
    }
  });

  it('does nothing for a removed member, every time', async () => {
    for (let round = 0; round < rounds; round += 1) await raceAgainstRemoval(target());
  });
});
