import { describe, it } from 'node:test';
import { exampleDeclarations } from '../support/people/examples.ts';
import { Person } from '../support/people/person.ts';
import { deployment } from '../support/services/deployment.ts';
import { raceForKey, raceForSeats } from './races.ts';

const rounds = 50;

describe('50 rounds of simultaneous registrations, at two processes on postgres', () => {
  const target = deployment({
    engine: 'postgres',
    processes: 2,
    declarations: exampleDeclarations('meetup'),
    settings: { NEWCOMERS_PER_HOUR: '1000000' },
  });

  it('[23] 20 of 200 registrations get a seat in every round', async () => {
    const people = (await Person.several(target(), 200)).map((one, index) =>
      one.at(target().serviceAt(index)),
    );
    for (let round = 0; round < rounds; round += 1) await raceForSeats(target(), people);
  });

  it('[22] of 50 registrations of one person one is accepted in every round', async () => {
    for (let round = 0; round < rounds; round += 1) await raceForKey(target(), 50);
  });
});
