import { randomUUID } from 'node:crypto';
import type { Station } from './work.ts';

const notesEach = 3;

/** A caller who creates a few notes and then erases everything. */
export interface Leaving {
  readonly subject: string;
  made: number;
  erasure: 'not asked' | 'unanswered' | 'done';
}

/** One new caller, from its first note to its erasure. */
export async function comeAndGo(station: Station, leavings: Leaving[]): Promise<boolean> {
  const { tally } = station.round;
  const leaving: Leaving = { subject: station.subject, made: 0, erasure: 'not asked' };
  leavings.push(leaving);
  for (let count = 0; count < notesEach; count += 1) {
    const fields = { label: randomUUID(), step: 0, text: 'soon gone' };
    const reply = await station.ask([201], 'POST', '/notes', fields);
    if (reply?.status !== 201) return reply !== null;
    leaving.made += 1;
  }
  leaving.erasure = 'unanswered';
  const reply = await station.ask([200], 'DELETE', '/me');
  if (reply?.status !== 200) return reply !== null;
  leaving.erasure = 'done';
  tally.erased += 1;
  return true;
}
