import { describeDoors } from './door-visits.ts';

/** Doors are decided without the database. The drill visits all records under each parent, on PostgreSQL, with streams. */
describeDoors('sqlite', { childrenOfEach: 2, hasStreams: false });
