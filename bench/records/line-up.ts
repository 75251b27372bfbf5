import { bare } from './bare.ts';
import { jsonServer } from './json-server.ts';
import { parseServer } from './parse-server.ts';
import type { RecordsPeer } from './peer.ts';
import { vestibuleOn } from './vestibule.ts';

/** In the order in which they are measured. */
export const lineUp: readonly RecordsPeer[] = [
  bare,
  vestibuleOn('sqlite'),
  vestibuleOn('postgres'),
  parseServer,
  jsonServer,
];
