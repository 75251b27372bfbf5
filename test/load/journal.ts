import type { Reply } from '../support/load/caller.ts';
import type { CollectionName } from './declarations.ts';
import type { Tally } from './tally.ts';

export interface Write {
  readonly subject: string;
  readonly collection: CollectionName;
  /** What its event is found by if no answer names the revision: the label of a new record, else id and type. */
  readonly name: string;
}

export type Effect = Readonly<Record<'name' | 'revision', string>>;

/** A new record that may be asked for again; its id once it is known. */
export interface KeyedRequest {
  readonly key: string | null;
  readonly fields: { readonly label: string };
  id: string | null;
}

const dayMs = 86_400_000;

/** What was asked and answered, by all callers: what must have been done, what may have been, and nothing else. */
export class Journal {
  /** Who has asked for the record with this label. Callers who erase themselves are not followed. */
  readonly subjects = new Map<string, string>();
  /** Records whose deletion was asked for, by anybody. */
  readonly removals = new Set<string>();
  /** Whether a caller is a member of a circle; null while an answer is missing. */
  readonly memberships = new Map<string, boolean | null>();
  readonly #keyed = new Map<string, KeyedRequest[]>();
  readonly #tally: Tally;
  readonly #acknowledged = new Map<string, Write>();
  readonly #unanswered = new Map<string, Write[]>();
  /** Changes by caller and collection, in all and before the day in which usage was last looked at. */
  readonly #charged = new Map<string, { count: number; before: number; dayEndsAt: number }>();

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  keyed(subject: string): KeyedRequest[] {
    const requests = this.#keyed.get(subject) ?? [];
    this.#keyed.set(subject, requests);
    return requests;
  }

  /** Notes the answer to a request of one or several writes; null: there was none. */
  note(writes: readonly Write[], reply: Reply | null): void {
    if (reply === null) {
      this.#tally.unanswered += writes.length;
      for (const write of writes)
        this.#unanswered.set(write.name, [...(this.#unanswered.get(write.name) ?? []), write]);
    } else if (reply.status < 300 && !reply.headers.has('idempotency-replayed')) {
      const { results } = reply.text === '' ? {} : JSON.parse(reply.text);
      for (const [index, write] of writes.entries())
        this.#acknowledge(write, revisionOf(results?.[index].etag ?? reply.headers.get('etag')));
    }
  }

  /** Every effect was acknowledged, or is that of a request without an answer; and everything acknowledged has an effect. */
  settle(effects: readonly Effect[]): void {
    for (const { name, revision } of effects) {
      if (this.#acknowledged.delete(revision) || this.#acknowledged.delete(name)) continue;
      const write = this.#unanswered.get(name)?.pop();
      if (write === undefined) this.#tally.find('doubled', `${name} was not asked for, or was refused`);
      else {
        this.#tally.unansweredDone += 1;
        this.#charge(write);
      }
    }
    this.#tally.checks += effects.length;
    for (const { name, subject } of this.#acknowledged.values())
      this.#tally.find('lost', `${name} of ${subject} was acknowledged and has no event`);
    this.#acknowledged.clear();
    this.#unanswered.clear();
  }

  /** How many changes the service must have counted since midnight, given when its day ends. */
  chargedToday(subject: string, collection: CollectionName, resetsAt: number, counted: number): number {
    const charged = this.#chargedOf(subject, collection);
    if (charged.dayEndsAt !== resetsAt) {
      // It is unknown which of the changes before this look were made yesterday.
      charged.before = Math.max(charged.count - counted, charged.before);
      charged.dayEndsAt = resetsAt;
    }
    return charged.count - charged.before;
  }

  /** A deletion has no revision and is known by its name, which no other write has. */
  #acknowledge(write: Write, revision: string | undefined): void {
    const key = revision ?? write.name;
    if (this.#acknowledged.has(key)) this.#tally.find('doubled', `${write.name} was acknowledged twice`);
    this.#acknowledged.set(key, write);
    this.#charge(write);
    this.#tally.acknowledged += 1;
  }

  #charge({ subject, collection }: Write): void {
    this.#chargedOf(subject, collection).count += 1;
  }

  #chargedOf(subject: string, collection: CollectionName) {
    const key = `${subject} ${collection}`;
    const dayEndsAt = (Math.floor(Date.now() / dayMs) + 1) * dayMs;
    const charged = this.#charged.get(key) ?? { count: 0, before: 0, dayEndsAt };
    this.#charged.set(key, charged);
    return charged;
  }
}

function revisionOf(etag: string | null): string | undefined {
  return etag?.slice(etag.indexOf('"') + 1, -1);
}
