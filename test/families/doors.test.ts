import { describeDoors } from './door-visits.ts';
import { parents } from './doors.ts';

/** Doors are decided without the database. The drill visits them on both, with streams to all kinds of records. */
describeDoors('sqlite', {
  parents: Object.keys(parents),
  hasStreams: (child) => /-(open|judged)$/.test(child),
});
