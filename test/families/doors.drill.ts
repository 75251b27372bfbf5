import { describeDoors } from './door-visits.ts';

/** doors.test with all records under each parent, and with streams. */
describeDoors('postgres', { childrenOfEach: 6, hasStreams: true });
