import { describe, it } from 'node:test';
import { attackDeclarations } from '../support/people/attack-declarations.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import { raceAgainstRemoval, raceForRole } from './races.ts';

const rounds = 50;

describe('50 rounds of simultaneous people, at two processes on postgres', () => {
  const target = deployment({ engine: 'postgres', processes: 2, declarations: attackDeclarations });

  it('one of fifty simultaneous people gets the role in every round', async () => {
    for (let round = 0; round < rounds; round += 1) {
      // New people each time, because each may have only five things.
      await raceForRole(target(), await Person.several(target(), 50));
    }
  });

  it('no write of a removed member succeeds in any round', async () => {
    for (let round = 0; round < rounds; round += 1) await raceAgainstRemoval(target());
  });
});
