import { databaseEngines } from '../support/services/service.ts';
import { describeDoors } from './door-visits.ts';
import { parents } from './doors.ts';

/** What the states of a parent and its `clients` change is decided without the database: once is enough. */
const once = ['openclub', 'hiding', 'any', 'anyscoped', 'own'];

for (const engine of databaseEngines)
  describeDoors(engine, {
    parents: Object.keys(parents).filter((name) => engine === 'sqlite' || !once.includes(name)),
    hasStreams: (child) => /-(open|judged)$/.test(child),
  });
