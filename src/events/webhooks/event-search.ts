import type { Clock } from '../../base/clock.ts';
import type { EventStore, StoredEvent, Webhook, WebhookStore } from '../../storage/port.ts';
import { typeMatcher } from './patterns.ts';

export interface SearchParts {
  readonly webhooks: WebhookStore;
  readonly events: Pick<EventStore, 'list'>;
  readonly clock: Clock;
}

/** How many are looked through at a time. */
const lookedAt = 500;

/** Finds in the log what is for one webhook. One call at a time: of two positions that are noted the lower one could come last. */
export class EventSearch {
  readonly #id: string;
  readonly #holder: string;
  readonly #parts: SearchParts;
  #matches: (type: string) => boolean = () => false;
  #position = 0;
  #notedPosition = 0;

  constructor(id: string, holder: string, parts: SearchParts) {
    this.#id = id;
    this.#holder = holder;
    this.#parts = parts;
  }

  /** Up to which the log was looked through. */
  get position(): number {
    return this.#position;
  }

  /** Up to which that is noted. What lies in between was not for this webhook. */
  get notedPosition(): number {
    return this.#notedPosition;
  }

  /** From where the database says that it was. */
  begin({ events, position }: Webhook): void {
    this.#position = position;
    this.#notedPosition = position;
    this.#matches = typeMatcher(events);
  }

  /** The next few events; `lost` when somebody else holds the webhook by now. */
  async lookOn(): Promise<'all' | 'more' | 'lost'> {
    const range = { after: this.#position, until: Number.MAX_SAFE_INTEGER };
    const events = await this.#parts.events.list({ ...range, owner: null, limit: lookedAt });
    const last = events.at(-1);
    if (last === undefined) return 'all';
    const found = events.filter(({ type }) => this.#matches(type));
    if (found.length === 0) this.#position = last.position;
    else if (!(await this.#advance(last.position, found))) return 'lost';
    return events.length === lookedAt ? 'more' : 'all';
  }

  /** Nobody minds when it gets lost: that is looked through again. False when somebody else holds the webhook by now. */
  async note(): Promise<boolean> {
    return this.#position <= this.#notedPosition || this.#advance(this.#position, []);
  }

  async #advance(position: number, events: readonly StoredEvent[]): Promise<boolean> {
    const { webhooks, clock } = this.#parts;
    const found = events.map((event) => ({ position: event.position, key: orderKey(event) }));
    const isNoted = await webhooks.advance(this.#id, this.#holder, { position, found, now: clock.now() });
    if (isNoted) {
      this.#position = position;
      this.#notedPosition = position;
    }
    return isNoted;
  }
}

/** The versions of a record arrive in order. What is about no record waits for nothing, and there is no name in its key. */
export function orderKey({ collection, recordId, type, position }: StoredEvent): string {
  return collection === null ? `${type}/${position}` : `${collection}/${recordId}`;
}
