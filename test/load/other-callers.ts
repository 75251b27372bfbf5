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

const moves = ['close closed', 'reopen open'].map((move) => move.split(' '));

/**
 * A machine client, which may change everybody's records: its batches touch many owners at once. It moves shared notes to
 * and fro between their states, and deletes what was left to it.
 */
export function runMachine(station: Station, shared: readonly string[], given: string[]): Promise<void> {
  const { random } = station.round;
  return station.round.repeat(async () => {
    const left = given.shift();
    if (left !== undefined) {
      const name = `${left} notes.deleted`;
      return (await station.write('notes', name, [204], 'DELETE', `/notes/${left}`)) !== null;
    }
    const id = random.pick(shared);
    const [action, state] = random.pick(moves);
    const path = `/notes/${id}/${action}`;
    return (await station.write('notes', `${id} notes.${state}`, [200, 409], 'POST', path)) !== null;
  });
}
