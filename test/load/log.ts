import { type CollectionName, capacity, maxMembers, otherState } from './declarations.ts';
import type { Effect, Journal } from './journal.ts';
import type { FindingKind, Tally } from './tally.ts';
import type { Station } from './work.ts';

interface Fields {
  readonly label: string;
  readonly step?: number;
  readonly text?: string;
  readonly mark?: string;
  readonly circle?: string;
}

interface LoggedEvent {
  readonly position: number;
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly id: string;
    readonly owner: string;
    readonly revision: string;
    readonly state: string | null;
    readonly action?: string;
    readonly from?: string;
    readonly alias?: string;
    readonly fields?: Fields;
  };
}

interface Known {
  readonly id: string;
  readonly collection: CollectionName;
  readonly owner: string;
  /** When it was made, in milliseconds. The log has the order of commits, which differs between processes. */
  readonly since: number;
  fields: Fields;
  state: string | null;
  revision: string;
  /** Of a circle: the aliases of its members. */
  readonly members: Set<string>;
  readonly history: string[];
}

/**
 * Reads the log of events as a machine client does, while everybody writes and after each kill, and knows from it alone
 * what is there. Every change moves a record by one step or one state, so that one that is missing, told twice or told too
 * early does not fit what came before it. What the log tells is held against the rules of the declarations.
 */
export class Log {
  readonly known = new Map<string, Known>();
  /** Positions that no reader has seen: events of callers who were erased meanwhile. */
  missing = 0;
  readonly #tally: Tally;
  readonly #journal: Journal;
  readonly #labels = new Set<string>();
  /** Who owns a record, or the circle that it is in. Kept after its deletion. */
  readonly #readers = new Map<string, readonly string[]>();
  #positions: { readonly position: number; readonly id: string }[] = [];
  #effects: Effect[] = [];
  /** A batch of which more parts must follow. */
  #batch: { readonly id: string; readonly next: number } | null = null;
  #at = 0;

  constructor(tally: Tally, journal: Journal) {
    this.#tally = tally;
    this.#journal = journal;
  }

  /** At one process until the round is over. */
  follow(station: Station): Promise<void> {
    return station.round.repeat(() => this.#read(station, '&wait=1'));
  }

  /** Reads to the end while there are no writers, and holds everything acknowledged against it. */
  async catchUp(station: Station): Promise<void> {
    let before = -1;
    while (before < this.#at) {
      before = this.#at;
      await this.#read(station, '');
    }
    if (this.#batch !== null) this.#tally.find('half', `the log ends within the batch ${this.#batch.id}`);
    this.#journal.settle(this.#effects);
    this.#effects = [];
  }

  async #read(station: Station, wait: string): Promise<boolean> {
    const reply = await station.ask([200], 'GET', `/events?after=${this.#at}${wait}`);
    if (reply?.status === 200) this.#take(JSON.parse(reply.text));
    return reply !== null;
  }

  /** The events since the last call that must have come to each person: of its own records, and of places in its circles. */
  takePositions(): ReadonlyMap<string, number[]> {
    const all = new Map<string, number[]>();
    for (const { position, id } of this.#positions)
      for (const subject of this.readersOf(id)) all.set(subject, [...(all.get(subject) ?? []), position]);
    this.#positions = [];
    return all;
  }

  readersOf(id: string): readonly string[] {
    return this.#readers.get(id) ?? [];
  }

  of(subject: string, collection: CollectionName): Known[] {
    return [...this.known.values()].filter(
      (one) => one.collection === collection && this.#journal.subjects.get(one.fields.label) === subject,
    );
  }

  placesIn(circle: string, state: string): Known[] {
    return [...this.known.values()].filter((one) => one.fields.circle === circle && one.state === state);
  }

  #take({ items, next }: { readonly items: readonly LoggedEvent[]; readonly next: number }): void {
    for (const event of items) {
      if (event.position <= this.#at) this.#tally.find('event', `position ${event.position} came twice`);
      this.missing += event.position - this.#at - 1;
      this.#at = event.position;
      this.#tally.events += 1;
      this.#apply(event);
    }
    this.missing += Math.max(next - this.#at, 0);
    this.#at = Math.max(next, this.#at);
  }

  #apply({ position, type, timestamp, data }: LoggedEvent): void {
    if (type === 'consumer.erased') {
      for (const [id, { owner }] of this.known) if (owner === data.owner) this.known.delete(id);
      return;
    }
    const [collection, kind] = type.split('.') as [CollectionName, string];
    const before = this.known.get(data.id);
    const markBefore = before?.fields.mark;
    const find = (found: FindingKind, why: string) =>
      this.#tally.find(found, `${why}: ${type} at ${position}, ${JSON.stringify(data)}`);
    if (kind === 'joined' || kind === 'left') {
      if (before !== undefined) changeMembers(before.members, kind, String(data.alias), find);
    } else if (kind === 'created') {
      this.#create(collection, Date.parse(timestamp), data, find);
    } else if (before === undefined) {
      find('event', 'the record was not there');
    } else {
      this.#change(before, kind, data, find);
    }
    this.#followBatch(data.fields?.mark, markBefore, find);
    if (this.#readers.has(data.id)) this.#positions.push({ position, id: data.id });
  }

  #create(collection: CollectionName, since: number, data: LoggedEvent['data'], find: Find): void {
    const { id, owner, revision, state, fields = { label: '' } } = data;
    const { label, circle } = fields;
    if (this.known.has(id)) find('event', 'the record was there');
    if (this.#labels.has(label)) find('doubled', 'the record was made before');
    this.#labels.add(label);
    if ((fields.step ?? 0) !== 0) find('event', 'a new record begins with step 0');
    if (circle !== undefined) {
      const isFull = this.#isFull(circle) || this.placesIn(circle, 'waiting').length > 0;
      if (state !== (isFull ? 'waiting' : 'taken'))
        find('place', `the circle is ${isFull ? '' : 'not '}full`);
    }
    const history = [`create null ${state}`];
    const made = {
      id,
      collection,
      owner,
      since,
      fields,
      state,
      revision,
      members: new Set<string>(),
      history,
    };
    this.known.set(id, made);
    const subject = this.#journal.subjects.get(label);
    if (subject === undefined) return;
    const above = circle === undefined ? [] : this.readersOf(circle);
    this.#readers.set(id, [...new Set([subject, ...above])]);
    this.#effects.push({ name: label, revision });
  }

  #change(known: Known, kind: string, data: LoggedEvent['data'], find: Find): void {
    const { id, revision, state, action = 'update', from = known.state, fields = known.fields } = data;
    const isMove = kind !== 'changed' && kind !== 'deleted';
    if ((kind === 'deleted') !== (revision === known.revision)) find('event', 'not the next revision');
    if (from !== known.state || (!isMove && state !== known.state)) find('event', 'not the next state');
    if ((fields.step ?? 0) !== (known.fields.step ?? 0) + Number(kind === 'changed'))
      find('event', `not the next step after ${known.fields.step}`);
    if (action === 'moved_up') this.#moveUp(known, find);
    else {
      if (isMove && state !== (otherState[String(from)] ?? 'gone')) find('event', 'no such action');
      // A deletion has the revision of the change before it.
      const effect = {
        name: `${id} ${known.collection}.${kind}`,
        revision: kind === 'deleted' ? '' : revision,
      };
      if (this.#readers.has(id)) this.#effects.push(effect);
    }
    if (kind === 'deleted') this.known.delete(id);
    else {
      Object.assign(known, { fields, state, revision });
      known.history.push(`${action} ${from} ${state}`);
    }
  }

  /** Who waits longest gets the place; of records of the same millisecond, the one with the lower id. */
  #moveUp({ id, fields: { circle = '' } }: Known, find: Find): void {
    const [first] = this.placesIn(circle, 'waiting').toSorted(
      (one, other) => one.since - other.since || (one.id < other.id ? -1 : 1),
    );
    if (this.#isFull(circle)) find('place', 'the circle is full');
    if (first?.id !== id) find('place', `${first?.id} has waited longer`);
    this.#tally.movedUp += 1;
  }

  #isFull(circle: string): boolean {
    return this.placesIn(circle, 'taken').length >= capacity;
  }

  /** The parts of a batch stand next to each other, and none is missing. */
  #followBatch(mark: string | undefined, before: string | undefined, find: Find): void {
    const [id = '', part, parts] = mark === undefined || mark === before ? [] : mark.split(' ');
    const expected = this.#batch ?? { id, next: 0 };
    if (id !== expected.id || Number(part ?? 0) !== expected.next)
      find('half', `expected part ${expected.next} of the batch ${expected.id}`);
    const next = Number(part) + 1;
    this.#batch = id === '' || next === Number(parts) ? null : { id, next };
  }
}

type Find = (kind: FindingKind, why: string) => void;

function changeMembers(members: Set<string>, kind: 'joined' | 'left', alias: string, find: Find): void {
  if (members.has(alias) === (kind === 'joined')) find('role', `${alias} was a member, or was none`);
  if (kind === 'left') members.delete(alias);
  else if (members.add(alias).size > maxMembers) find('role', `more than ${maxMembers} members`);
}
