import type { Station } from './work.ts';

const moves = [
  ['close', 'closed'],
  ['reopen', 'open'],
] as const;

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
