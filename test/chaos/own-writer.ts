import { randomUUID } from 'node:crypto';
import type { Reply } from './caller.ts';
import type { Journal, Version } from './journal.ts';
import type { Given } from './rivals.ts';
import { isOverloaded, nextAction, otherState, type Station, untilOver } from './work.ts';

interface OwnRecord {
  readonly id: string;
  version: NonNullable<Version>;
  etag: string;
}

const replayHeader = 'idempotency-replayed';
const maxOwn = 8;

/**
 * Writes to records that no other caller touches, one request after the other, a random mixture: creations with and without
 * a key, the same one again, changes, actions, deletions. The journal notes the possible outcomes before each request, and
 * the outcome after its answer.
 */
export class OwnWriter {
  readonly #station: Station;
  readonly #journal: Journal;
  /** Records that are left to machine clients to delete. */
  readonly #given: Given[];
  readonly #own: OwnRecord[] = [];

  constructor(station: Station, journal: Journal, given: Given[]) {
    this.#station = station;
    this.#journal = journal;
    this.#given = given;
  }

  run(): Promise<void> {
    return untilOver(this.#station.round, () => this.#work());
  }

  #work(): Promise<boolean> {
    const { random } = this.#station.round;
    const chance = random.next();
    const record = random.pick(this.#own);
    if (this.#own.length === 0 || chance < 0.1) return this.#create(null);
    if (chance < 0.2) return this.#create(randomUUID());
    if (chance < 0.25) return this.#createTwiceAtOnce();
    if (chance < 0.35) return this.#again();
    if (this.#own.length > maxOwn) return this.#letGo(record);
    if (chance < 0.7) return this.#patch(record);
    return this.#act(record);
  }

  async #create(key: string | null): Promise<boolean> {
    const label = randomUUID();
    this.#journal.asked.set(label, key);
    return this.#created(label, key, [await this.#post(label, key)]);
  }

  /** Whichever is first makes it, and the other one is told of the same. */
  async #createTwiceAtOnce(): Promise<boolean> {
    const [label, key] = [randomUUID(), randomUUID()];
    this.#journal.asked.set(label, key);
    return this.#created(label, key, await Promise.all([this.#post(label, key), this.#post(label, key)]));
  }

  #post(label: string, key: string | null): Promise<Reply | null> {
    const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
    return this.#station.ask([201], 'POST', '/notes', { label, step: 0 }, headers);
  }

  #created(label: string, key: string | null, replies: readonly (Reply | null)[]): boolean {
    const { tally } = this.#station.round;
    const good = replies.filter((reply) => reply?.status === 201) as Reply[];
    const [first] = good;
    if (first === undefined) {
      if (replies.includes(null)) tally.unanswered += 1;
      else this.#journal.asked.delete(label);
      return !replies.includes(null);
    }
    const ids = new Set(good.map(({ text }) => String(JSON.parse(text).id)));
    if (ids.size > 1) tally.find('doubled', `one key made ${[...ids].join(' and ')}`);
    const fresh = good.filter(({ headers }) => headers[replayHeader] === undefined);
    if (fresh.length > 1) tally.find('doubled', `one key was charged ${fresh.length} times`);
    const [id = ''] = ids;
    this.#journal.asked.delete(label);
    if (key !== null) this.#journal.keys.set(key, { label, id });
    this.#acknowledge(id, { step: 0, state: 'open' });
    this.#own.push({ id, version: { step: 0, state: 'open' }, etag: String(first.headers.etag) });
    return !replies.includes(null);
  }

  /** A caller that did not hear the answer sends the same again. */
  async #again(): Promise<boolean> {
    const { random, tally } = this.#station.round;
    const keys = [...this.#journal.keys];
    if (keys.length === 0) return true;
    const [key, { label, id }] = random.pick(keys);
    const isGone = () => this.#journal.records.get(id)?.includes(null) === true;
    const before = isGone();
    const headers = { 'idempotency-key': key };
    const reply = await this.#station.ask([201, 409], 'POST', '/notes', { label, step: 0 }, headers);
    if (reply === null) return false;
    if (isOverloaded(reply)) return true;
    tally.replays += 1;
    if (reply.status === 409) {
      if (!before && !isGone()) tally.find('lost', `${id}, whose key says that it is gone: ${reply.text}`);
    } else if (JSON.parse(reply.text).id !== id || reply.headers[replayHeader] === undefined)
      tally.find('doubled', `the key of ${id} made ${reply.text}`);
    return true;
  }

  /** Sometimes for the version it knows, sometimes for whichever is there. */
  async #patch(record: OwnRecord): Promise<boolean> {
    const to = { ...record.version, step: record.version.step + 1 };
    const headers = this.#station.round.random.next() < 0.5 ? { 'if-match': record.etag } : undefined;
    return this.#change(record, to, () =>
      this.#station.ask([200], 'PATCH', `/notes/${record.id}`, { step: to.step }, headers),
    );
  }

  #act(record: OwnRecord): Promise<boolean> {
    const { state } = record.version;
    const to = { ...record.version, state: String(otherState[state]) };
    return this.#change(record, to, () =>
      this.#station.ask([200], 'POST', `/notes/${record.id}/${nextAction[state]}`),
    );
  }

  async #letGo(record: OwnRecord): Promise<boolean> {
    this.#own.splice(this.#own.indexOf(record), 1);
    const chance = this.#station.round.random.next();
    if (chance < 0.4) return true;
    if (chance < 0.7) {
      this.#journal.given.add(record.id);
      this.#given.push({ id: record.id, journal: this.#journal });
      return true;
    }
    return this.#change(record, null, () => this.#station.ask([204], 'DELETE', `/notes/${record.id}`));
  }

  async #change(record: OwnRecord, to: Version, ask: () => Promise<Reply | null>): Promise<boolean> {
    const { tally } = this.#station.round;
    this.#journal.records.set(record.id, [record.version, to]);
    const reply = await ask();
    if (reply === null) {
      tally.unanswered += 1;
      return false;
    }
    if (reply.status >= 300) {
      this.#journal.records.set(record.id, [record.version]);
      return true;
    }
    this.#acknowledge(record.id, to);
    if (to === null) return true;
    record.version = to;
    record.etag = String(reply.headers.etag);
    return true;
  }

  #acknowledge(id: string, version: Version): void {
    this.#journal.records.set(id, [version]);
    this.#journal.charged += 1;
    this.#station.round.tally.acknowledged += 1;
  }
}
