import { doneOnce } from './batch.ts';
import type { ApiRequest, Connection, Limits } from './connection.ts';
import { createLive } from './live.ts';
import { actionForm, expectForm, idForm, named, nameForm } from './names.ts';
import { queryOf } from './query.ts';
import type {
  CallOptions,
  Calls,
  ChangeOptions,
  HistoryStep,
  Invitation,
  Member,
  NamedEvents,
  Page,
  SomeCalls,
  UntypedCollection,
} from './types.ts';
import { update } from './update.ts';
import { forVersion, readRecord } from './versions.ts';

type Record = UntypedCollection['record'];
type AllCalls = Calls<UntypedCollection> & SomeCalls<UntypedCollection>;

const optionNames = ['ifMatch', 'signal', 'deadlineSeconds'];
const isOptions = (given: object) => Object.keys(given).every((name) => optionNames.includes(name));

/** The position in the log that an answer belongs to, and the stream that tells of later changes. */
function followed(answer?: Response) {
  const header = (name: string) => answer?.headers.get(`events-${name}`) ?? null;
  const position = header('position');
  return {
    next: null,
    position: position ? +position : null,
    eventsScope: header('scope') as Page<Record>['eventsScope'],
  };
}

/** The calls of one collection. Every other name is an action. */
export function createCollection(connection: Connection, events: NamedEvents, name: string): AllCalls {
  expectForm('collection', nameForm, name);
  const at = (...ids: readonly string[]) =>
    ids.reduce((path, id) => {
      expectForm('id', idForm, id);
      return `${path}/${encodeURIComponent(id)}`;
    }, `/${name}`);
  const record = (request: ApiRequest, options?: Limits): Promise<Record> =>
    connection.send(request, options, readRecord);
  const change = async (request: ApiRequest, options?: ChangeOptions) =>
    record({ ...forVersion(options?.ifMatch), ...request }, options);
  const remove = (path: string, options?: ChangeOptions): Promise<void> =>
    change({ method: 'DELETE', path, mayRepeat: true }, options).then(
      () => {},
      (error) => {
        // An earlier try may have done it.
        if (error.status !== 404 || !error.maybeDone) throw error;
      },
    );
  const readPage = (path: string, query: object, options?: Limits): Promise<Page<Record>> =>
    connection.send({ path: `${path}?${queryOf(query)}` }, options, async (answer) => ({
      ...followed(answer),
      ...((await answer.json()) as Page<Record>),
    }));

  /** A record as a list of one; an empty list if the caller cannot read it. */
  async function* pageOf(id: string, options: CallOptions): AsyncGenerator<Page<Record>, void, void> {
    const read = async (answer: Response) => ({ items: [await readRecord(answer)], ...followed(answer) });
    yield await connection.send({ path: at(id) }, options, read).catch((error) => {
      if (error.status !== 404) throw error;
      return { items: [], ...followed() };
    });
  }

  /** All pages, for one caller: if another user signs in between two of them, the next one is refused. */
  async function* pages(
    path: string,
    query?: object,
    options?: CallOptions,
  ): AsyncGenerator<Page<Record>, void, void> {
    const limits = { ...options, callers: new Set<string | null>() };
    let cursor: string | null = null;
    do {
      const found: Page<Record> = await readPage(path, { ...query, cursor }, limits);
      yield found;
      cursor = found.next;
    } while (cursor);
  }

  async function* itemsOf<Item>(path: string, query?: object, options?: CallOptions) {
    for await (const { items } of pages(path, query, options)) yield* items as readonly Item[];
  }

  /** One object alone is the input, unless all its members are options. */
  async function act(id: string, action: string, input?: object, options?: ChangeOptions): Promise<Record> {
    expectForm('action', actionForm, action);
    const request = { method: 'POST', path: at(id, action) };
    if (!options && isOptions(input ?? {})) return change(request, input);
    return change({ ...request, body: input }, options);
  }

  const calls: AllCalls = {
    page: (query = {}, options) => readPage(at(), query, options),
    list: (query, options) => itemsOf(at(), query, options),
    count: (query = {}, options) => connection.send({ path: `${at('count')}?${queryOf(query)}` }, options),
    get: async (id, options) => record({ path: at(id) }, options),
    create: (body, options) => record({ method: 'POST', path: at(), body, ...doneOnce(options) }, options),
    update: async (id, patch, options) =>
      typeof patch === 'function'
        ? update(record, at(id), patch as (now: Record) => Record, connection.limits(options))
        : change({ method: 'PATCH', path: at(id), body: patch }, options),
    replace: async (id, body, options) => change({ method: 'PUT', path: at(id), body }, options),
    remove: async (id, options) => remove(at(id), options),
    act: act as AllCalls['act'],
    async *history(id, options) {
      yield* itemsOf<HistoryStep<UntypedCollection>>(at(id, 'history'), {}, options);
    },
    async *members(id, options) {
      yield* itemsOf<Member>(at(id, 'members'), {}, options);
    },
    invite: async (id, body, options) =>
      connection.send({ method: 'POST', path: at(id, 'invitations'), body }, options),
    invitations: async (id, options) => {
      const path = at(id, 'invitations');
      return (await connection.send<{ readonly items: Invitation[] }>({ path }, options)).items;
    },
    endInvitation: async (id, invitation, options) => remove(at(id, 'invitations', invitation), options),
    async changeMember(id, alias, body, options) {
      await record({ method: 'PATCH', path: at(id, 'members', alias), body }, options);
    },
    removeMember: async (id, alias, options) => remove(at(id, 'members', alias), options),
    leave: async (id, options) => remove(at(id, 'members', 'me'), options),
    live: (asked: object | string = {}, options?: Pick<CallOptions, 'signal'>) =>
      typeof asked === 'string'
        ? createLive(events, name, {}, (_, limits) => pageOf(asked, limits), options?.signal, asked)
        : createLive(events, name, asked, (...given) => pages(at(), ...given), options?.signal),
  };
  return named(
    actionForm,
    (action) => (id: string, input?: object, options?: ChangeOptions) => act(id, action, input, options),
    calls,
  );
}
