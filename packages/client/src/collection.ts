import type { ApiRequest, Connection, Limits } from './connection.ts';
import { createLive } from './live.ts';
import { actionForm, expectForm, idForm, named, nameForm } from './names.ts';
import { queryOf } from './query.ts';
import type { CallOptions, Calls, ChangeOptions, Events, Page, UntypedCollection } from './types.ts';
import { update } from './update.ts';
import { forVersion, readRecord } from './versions.ts';

type Record = UntypedCollection['record'];

/** The calls of one collection. Whatever else is called is an action. */
export function createCollection(
  connection: Connection,
  events: Events,
  name: string,
): Calls<UntypedCollection> {
  expectForm('collection', nameForm, name);
  const at = (id: string, action = '') => {
    expectForm('id', idForm, id);
    return `/${name}/${encodeURIComponent(id)}${action}`;
  };
  const record = (request: ApiRequest, options?: Limits): Promise<Record> =>
    connection.send(request, options, readRecord);
  const change = async (request: ApiRequest, options?: ChangeOptions) =>
    record({ ...forVersion(options?.ifMatch), ...request }, options);
  const page: Calls<UntypedCollection>['page'] = (query = {}, options) =>
    connection.send({ path: `/${name}?${queryOf(query)}` }, options, async (answer) => {
      const position = answer.headers.get('events-position');
      const eventsScope = answer.headers.get('events-scope') as Page<Record>['eventsScope'];
      return {
        ...((await answer.json()) as Page<Record>),
        position: position ? +position : null,
        eventsScope,
      };
    });

  /** All pages, for one caller: should somebody else sign in between two of them, the next one is refused. */
  async function* pages(
    query: object | undefined,
    options?: CallOptions,
  ): AsyncGenerator<Page<Record>, void, void> {
    const limits = { ...options, callers: new Set<string | null>() };
    let cursor: string | null = null;
    do {
      const found: Page<Record> = await page({ ...query, cursor }, limits);
      yield found;
      cursor = found.next;
    } while (cursor);
  }

  const calls: Calls<UntypedCollection> = {
    page,
    async *list(query, options) {
      for await (const { items } of pages(query, options)) yield* items;
    },
    get: async (id, options) => record({ path: at(id) }, options),
    create: (body, options) => {
      const key = options?.idempotencyKey ?? crypto.getRandomValues(new Uint32Array(4));
      const headers = { 'idempotency-key': `${key}` };
      return record({ method: 'POST', path: `/${name}`, body, headers, mayRepeat: true }, options);
    },
    update: async (id, patch, options) =>
      typeof patch === 'function'
        ? update(record, at(id), patch as (now: Record) => Record, connection.limits(options))
        : change({ method: 'PATCH', path: at(id), body: patch }, options),
    replace: async (id, body, options) => change({ method: 'PUT', path: at(id), body }, options),
    async remove(id, options) {
      await change({ method: 'DELETE', path: at(id), mayRepeat: true }, options).catch((error) => {
        // An earlier try may have done it.
        if (error.status !== 404 || !error.maybeDone) throw error;
      });
    },
    async act(id, action, options) {
      expectForm('action', actionForm, action);
      return change({ method: 'POST', path: at(id, `/${action}`) }, options);
    },
    live: (query = {}, options) => createLive(events, name, query, pages, options?.signal),
  };
  return named(
    actionForm,
    (action) => (id: string, options?: ChangeOptions) => calls.act(id, action, options),
    calls,
  );
}
