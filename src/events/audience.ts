import type { EventTopic, RecordStore, StoredEvent, StoredMember } from '../storage/port.ts';
import { isMemberEvent } from './catalogue.ts';

interface AudienceOptions {
  readonly member: string;
  /** The topic by which the caller learns that it has joined or left. */
  readonly person: string;
  /** Topics that hold as long as its token: what it owns, and roles that need no record. */
  readonly fixed: readonly string[];
  /** The only topics that count for a collection below one whose scopes the token lacks: owners need not read the parent. */
  readonly ownedOnly: ReadonlyMap<string, readonly string[]>;
  /** Null where the collection does not admit the caller. */
  readonly topicOf: (collection: string, recordId: string, role: string) => string | null;
  readonly store: Pick<RecordStore, 'membershipsOf'>;
  readonly listJoined: (person: string, after: number) => Promise<readonly StoredEvent[]>;
}

/** A topic that was added or has ended. */
export interface TopicChange {
  readonly topic: string;
  readonly isAdded: boolean;
}

const atOnce = 500;

/**
 * The topics that a reader follows in shared collections. Roles that it gets and loses are events of the log, so a reader
 * knows which events of each position it may get.
 */
export class Audience {
  readonly #options: AudienceOptions;
  readonly #topics: Set<string>;

  constructor(options: AudienceOptions) {
    this.#options = options;
    this.#topics = new Set([options.person, ...options.fixed]);
  }

  get topics(): ReadonlySet<string> {
    return this.#topics;
  }

  /** Loads the roles that the caller had at this place of the log: not those that it got later. */
  async begin(position: number): Promise<void> {
    const { member, person, fixed, topicOf, store, listJoined } = this.#options;
    this.#topics.clear();
    for (const topic of [person, ...fixed]) this.#topics.add(topic);
    let page: readonly StoredMember[] = [];
    do {
      page = await store.membershipsOf(member, page.at(-1) ?? null, atOnce);
      for (const { collection, recordId, role } of page) {
        const topic = topicOf(collection, recordId, role);
        if (topic !== null) this.#topics.add(topic);
      }
    } while (page.length === atOnce);
    // Read after the roles: a later `joined` event follows in the log.
    for (const event of await listJoined(person, position)) {
      const topic = this.#topicIn(event);
      if (topic !== null) this.#topics.delete(topic);
    }
  }

  matches(event: StoredEvent): boolean {
    return this.#matching(event).length > 0;
  }

  /** Whether it gets the event with the fields of the record. */
  matchesFields(event: StoredEvent): boolean {
    return this.#matching(event).some(({ hasFields }) => hasFields);
  }

  #matching({ collection, topics = [] }: StoredEvent): readonly EventTopic[] {
    const counted = this.#options.ownedOnly.get(collection ?? '');
    return topics.filter(({ topic }) => this.#topics.has(topic) && (counted?.includes(topic) ?? true));
  }

  /** Notes that the caller has joined or left; null for any other event. */
  note(event: StoredEvent): TopicChange | null {
    const { person } = this.#options;
    if (!isMemberEvent(event) || !event.topics?.some(({ topic }) => topic === person)) return null;
    const topic = this.#topicIn(event);
    if (topic === null) return null;
    const isAdded = event.type.endsWith('.joined');
    if (isAdded === this.#topics.has(topic)) return null;
    if (isAdded) this.#topics.add(topic);
    else this.#topics.delete(topic);
    return { topic, isAdded };
  }

  #topicIn({ collection, recordId, data }: StoredEvent): string | null {
    if (collection === null || recordId === null) return null;
    const { role }: { readonly role?: string } = JSON.parse(data);
    return role === undefined ? null : this.#options.topicOf(collection, recordId, role);
  }
}
