import type { ApiRequest, Connection, Limits } from './connection.ts';
import { now, pause } from './pause.ts';
import { Problem } from './problem.ts';
import { etagOf, forVersion, withVersion } from './versions.ts';

type Fields = Record<string, unknown>;
type Change = (record: Fields) => Fields | Promise<Fields>;

/** Changes a record with a function of its current value, which runs again after a conflict. */
export async function update(
  send: (request: ApiRequest, limits: Limits) => Promise<Fields>,
  path: string,
  change: Change,
  limits: ReturnType<Connection['limits']>,
): Promise<Fields> {
  let record = await send({ path }, limits);
  for (let conflicts = 0; ; conflicts += 1) {
    const version = etagOf(record);
    // Without a version the change would not be safe to repeat.
    if (!version) throw new Problem(200, { title: 'Expected an ETag.' });
    const request = { method: 'PATCH', path, body: await change(record), ...forVersion(version) };
    try {
      return await send(request, limits);
    } catch (error) {
      const { record: current, etag, maybeDone } = error as Problem;
      // Only a 412 has the current record.
      if (!current) throw error;
      record = withVersion(current as Fields, etag);
      if (maybeDone) {
        // The conflict may be with an earlier try of this change: it is done if the function would change nothing now.
        if (holds(await change(record), record)) return record;
        throw error;
      }
      const waitMs = Math.random() * Math.min(1_000, 10 * 2 ** conflicts);
      if (now() + waitMs > limits.endsAt) throw error;
      await pause(waitMs, limits.signal);
    }
  }
}

/** True if a merge patch would change nothing. */
function holds(patch: unknown, value: unknown): boolean {
  if (!isObject(patch)) return JSON.stringify(patch ?? undefined) === JSON.stringify(value);
  return isObject(value) && Object.keys(patch).every((name) => holds(patch[name], value[name]));
}

function isObject(value: unknown): value is Fields {
  return value instanceof Object && !Array.isArray(value);
}
