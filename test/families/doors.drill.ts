import { databaseEngines } from '../support/services/service.ts';
import { describeDoors } from './door-visits.ts';
import { parents } from './doors.ts';

/** doors.test with all parents on both databases, and with streams to all kinds of records. */
for (const engine of databaseEngines)
  describeDoors(engine, { parents: Object.keys(parents), hasStreams: () => true });
