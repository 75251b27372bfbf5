import { isDeepStrictEqual } from 'node:util';
import { ask, bearer } from '../shared/ask.ts';
import type { RunningServer } from '../shared/processes.ts';
import { answers, startReady } from '../shared/ready.ts';
import { idOf, type Listing, listing, pageSize, pageStart } from './data.ts';
import type { Furnished, Place, RecordsPeer, RecordsStage } from './peer.ts';

export function startFurnished(
  { name }: Pick<RecordsPeer, 'name'>,
  { program, folder, probe }: Omit<Furnished, 'restore'>,
): Promise<RunningServer> {
  return startReady(name, program, folder, answers(probe));
}

/** Checks that each peer does the work: it has the record, a full page in the right order, and the written record. */
export async function checkRecords(
  { peer, size, furnished: { origin } }: Place,
  { goodToken }: RecordsStage,
): Promise<void> {
  const { dialect, name } = peer;
  const headers = headersOf(peer, goodToken);
  const get = async (path: string) => {
    const { status, body } = await ask(`${origin}${path}`, headers);
    if (status !== 200) throw new Error(`${name} answered ${path} with ${status}: ${body}`);
    return JSON.parse(body) as never;
  };
  const last = size - 1;
  if (!holds(await get(dialect.pathOf(idOf(last))), listing(last)))
    throw new Error(`${name} has another record.`);
  const from = pageStart(0.5);
  const starts = dialect.itemsOf(await get(dialect.pagePath(from))).map(({ starts_at }) => starts_at);
  if (
    starts.length !== pageSize ||
    !isDeepStrictEqual(starts, starts.toSorted()) ||
    (starts[0] ?? '') < from
  ) {
    throw new Error(`${name} answered with another page: ${starts}`);
  }
  const written = await postOne(peer, origin, goodToken, listing(size));
  if (!holds(await get(dialect.pathOf(written)), listing(size)))
    throw new Error(`${name} wrote another record.`);
  const { status } = await ask(`${origin}${dialect.createPath}`, dialect.headers);
  if (dialect.takesTokens && ![401, 403].includes(status)) {
    throw new Error(`${name} answered whoever has no token with ${status}.`);
  }
}

/** Writes a record and answers with its id. */
export async function postOne(
  peer: RecordsPeer,
  origin: string,
  token: string,
  fields: Listing,
): Promise<string> {
  const { dialect, name } = peer;
  const headers = { ...headersOf(peer, token), 'content-type': 'application/json' };
  const { status, body } = await ask(`${origin}${dialect.createPath}`, headers, JSON.stringify(fields));
  if (status !== 201) throw new Error(`${name} answered a new record with ${status}: ${body}`);
  return dialect.idOf(JSON.parse(body) as never);
}

export function headersOf({ dialect }: RecordsPeer, token: string): Readonly<Record<string, string>> {
  return { ...dialect.headers, ...(dialect.takesTokens ? bearer(token) : {}) };
}

function holds(record: Readonly<Record<string, unknown>>, fields: Listing): boolean {
  return Object.entries(fields).every(([name, value]) => isDeepStrictEqual(record[name], value));
}
