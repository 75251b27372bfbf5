import { describe, it } from 'node:test';
import { Person } from '../people/person.ts';
import { declaredProcesses } from '../support/declared-processes.ts';
import { exampleDeclarations } from './examples.ts';
import { raceForKey, raceForSeats } from './races.ts';

const rounds = 50;

describe('fifty rounds of people who register at the same moment, at two processes on postgres', () => {
  const target = declaredProcesses('postgres', 2, exampleDeclarations('meetup'), {
    NEWCOMERS_PER_HOUR: '1000000',
  });

  it('[23] 200 people get 20 seats, every time', async () => {
    const people = (await Person.several(target(), 200)).map((one, index) => one.at(target().service(index)));
    for (let round = 0; round < rounds; round += 1) await raceForSeats(target(), people);
  });

  it('[22] of 50 who register as the same person one is registered, every time', async () => {
    for (let round = 0; round < rounds; round += 1) await raceForKey(target(), 50);
  });
});
