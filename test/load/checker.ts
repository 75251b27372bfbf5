import type { Reply } from '../support/load/caller.ts';
import { type CollectionName, capacity, collectionNames, words } from './declarations.ts';
import type { Journal } from './journal.ts';
import type { Log } from './log.ts';
import type { Leaving } from './other-callers.ts';
import type { Tally } from './tally.ts';
import type { Station } from './work.ts';

type Fields = Readonly<Record<string, unknown>>;

const historiesEach = 3;

/** Compares what the service shows to people with the log, while there are no writers. */
export class Checker {
  readonly #tally: Tally;
  readonly #journal: Journal;
  readonly #log: Log;
  readonly #read = new Map<string, number>();

  constructor(tally: Tally, journal: Journal, log: Log) {
    this.#tally = tally;
    this.#journal = journal;
    this.#log = log;
  }

  async check(person: Station, positions: readonly number[]): Promise<void> {
    for (const collection of collectionNames) await this.#checkRecords(person, collection);
    await this.#checkUsage(person);
    await this.#checkSearch(person);
    await this.#checkHistories(person);
    await this.#checkCircles(person);
    await this.#checkMemberships(person);
    await this.#checkEvents(person, positions);
  }

  /** A caller who has erased everything has nothing; after an unanswered erasure it has everything or nothing. */
  async checkLeaving({ subject, made, erasure }: Leaving, person: Station): Promise<void> {
    const { length } = await this.#all(person, '/notes');
    const usage = await this.#usage(person);
    if (erasure !== 'not asked') this.#tally.mayBeMissing += made;
    const mayBe = erasure === 'done' ? [0] : erasure === 'unanswered' ? [0, made] : [made, made + 1];
    const expected = mayBe.includes(length) ? length : mayBe;
    this.#tally.compare('lost', `notes of ${subject}, whose erasure is ${erasure}`, length, expected);
    this.#tally.compare('usage', `notes of ${subject}`, usage.get('notes')?.records, length);
  }

  async #checkRecords(person: Station, collection: CollectionName): Promise<void> {
    const mine = collection === 'notes' ? '' : '?mine=true';
    const stored = await this.#all(person, `/${collection}${mine}`);
    const known = this.#log.of(person.subject, collection);
    const found = new Map(stored.map((one) => [one.id, shown(one.state, one)]));
    const expected = new Map(known.map(({ id, state, fields }) => [id, shown(state, { ...fields })]));
    for (const id of new Set([...found.keys(), ...expected.keys()])) {
      const what = `${id} of ${collection} of ${person.subject}`;
      this.#tally.compare('lost', what, found.get(id) ?? null, expected.get(String(id)) ?? null);
    }
  }

  async #checkUsage(person: Station): Promise<void> {
    const usage = await this.#usage(person);
    for (const collection of collectionNames) {
      const { records, writes, resetsAt } = usage.get(collection) as Usage;
      const what = `${collection} of ${person.subject}`;
      this.#tally.compare('usage', what, records, this.#log.of(person.subject, collection).length);
      // Invitations and roles are charged too, and it is unknown which of those without an answer were.
      if (collection === 'circles') continue;
      const charged = this.#journal.chargedToday(person.subject, collection, resetsAt, writes);
      this.#tally.compare('usage', `changes of ${what}`, writes, charged);
    }
  }

  /** A list and a count of the notes with a word that begins so. */
  async #checkSearch(person: Station): Promise<void> {
    const query = person.round.random.pick(words).slice(0, 3);
    const expected = this.#log
      .of(person.subject, 'notes')
      .filter(({ fields }) => fields.text?.split(' ').some((word) => word.startsWith(query)))
      .map(({ id }) => id);
    const found = await this.#all(person, `/notes?q=${query}`);
    const what = `${query} of ${person.subject}`;
    this.#tally.compare('read', `search for ${what}`, found.map(({ id }) => id).sort(), expected.sort());
    const count = await this.#get(person, `/notes/count?q=${query}`);
    if (count.at_least === undefined) this.#tally.compare('read', what, count, { count: expected.length });
  }

  async #checkHistories(person: Station): Promise<void> {
    const notes = this.#log.of(person.subject, 'notes');
    for (let count = 0; count < historiesEach && notes.length > 0; count += 1) {
      const { id, history } = person.round.random.pick(notes);
      const found = await this.#all(person, `/notes/${id}/history`);
      const entries = found.map(({ action, from, to }) => `${action} ${from} ${to}`);
      // The service keeps the last thousand.
      this.#tally.compare('read', `history of ${id}`, entries, history.slice(-1_000));
    }
  }

  /** Its members, what it shows of its places, and that no place is free while somebody waits. */
  async #checkCircles(person: Station): Promise<void> {
    for (const { id, members } of this.#log.of(person.subject, 'circles')) {
      const { items } = await this.#get(person, `/circles/${id}/members`);
      const aliases = items.filter(({ role }: Fields) => role === 'member').map(({ alias }: Fields) => alias);
      this.#tally.compare('role', `members of ${id}`, aliases.sort(), [...members].sort());
      const [taken, waiting] = ['taken', 'waiting'].map((state) => this.#log.placesIn(id, state).length);
      const { counts } = await this.#get(person, `/circles/${id}`);
      this.#tally.compare('read', `counts of ${id}`, counts.places, { taken, waiting });
      const isFree = Number(taken) < capacity && Number(waiting) > 0;
      this.#tally.compare('place', `a place is free in ${id} while ${waiting} wait`, isFree, false);
      const places = await this.#all(person, `/places?circle=${id}`);
      const known = [...this.#log.known.values()].filter(({ fields }) => fields.circle === id);
      const idsOf = (all: readonly { readonly id?: unknown }[]) => all.map((one) => one.id).sort();
      this.#tally.compare('read', `places in ${id}`, idsOf(places), idsOf(known));
    }
  }

  /** After a missing answer it is a member or not; from then on what is there now counts. */
  async #checkMemberships(person: Station): Promise<void> {
    const { memberships } = this.#journal;
    const found = new Set((await this.#all(person, '/circles?role=member')).map(({ id }) => id));
    for (const [membership, isMember] of memberships) {
      const [subject, circle] = membership.split(' in ');
      if (subject !== person.subject) continue;
      const isIn = found.has(circle);
      this.#tally.compare('role', membership, isIn, isMember ?? isIn);
      memberships.set(membership, isIn);
    }
  }

  /** Every event of its own records and of places in its circles came to this person, in order. */
  async #checkEvents(person: Station, positions: readonly number[]): Promise<void> {
    const found: number[] = [];
    let after = this.#read.get(person.subject) ?? 0;
    for (let before = -1; before < after; ) {
      before = after;
      const { items, next } = await this.#get(person, `/events?after=${after}`);
      for (const { position, data } of items)
        if (this.#log.readersOf(data.id).includes(person.subject)) found.push(position);
      after = next;
    }
    this.#read.set(person.subject, after);
    this.#tally.compare('event', `events of ${person.subject}`, found, positions);
  }

  async #usage(person: Station): Promise<Map<string, Usage>> {
    const { collections } = await this.#get(person, '/me/usage');
    const usage = collections.map(({ name, records, writes }: Record<string, Fields>) => [
      name,
      { records: records?.used, writes: writes?.used, resetsAt: Date.parse(String(writes?.resets_at)) },
    ]);
    return new Map(usage);
  }

  async #all(person: Station, path: string): Promise<Fields[]> {
    const all: Fields[] = [];
    const first = `${path}${path.includes('?') ? '&' : '?'}limit=200`;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await this.#get(person, cursor === '' ? first : `${first}&cursor=${cursor}`);
      all.push(...page.items);
      cursor = page.next;
    }
    return all;
  }

  async #get(person: Station, path: string) {
    const reply: Reply | null = await person.ask([200], 'GET', path);
    if (reply?.status !== 200) throw new Error(`GET ${path}: ${reply?.status} ${reply?.text}`);
    return JSON.parse(reply.text);
  }
}

type Usage = Readonly<Record<'records' | 'writes' | 'resetsAt', number>>;

function shown(state: unknown, { label, step, text, mark, circle }: Fields) {
  return { state: state ?? null, label, step, text, mark, circle };
}
