import type { AuditEntry } from './entities.ts';

/** Something that happened to a record or a consumer, before it has its place in the log. */
export interface NewEvent {
  readonly at: number;
  /** Such as `notes.created`. */
  readonly type: string;
  /** Null where it is about no record. */
  readonly collection: string | null;
  readonly recordId: string | null;
  /** Whose record it was, or who was erased. */
  readonly owner: string;
  /** What is told of it to everybody who may know, in JSON: an object. */
  readonly data: string;
}

/** An event of the log. */
export interface StoredEvent extends NewEvent {
  /**
   * Its place. Whoever has seen an event has been able to see all with lower positions: they are given within the commit
   * of what they tell, by one transaction at a time. The next is one higher, until somebody is erased or it is too old.
   */
  readonly position: number;
}

export interface EventQuery {
  readonly after: number;
  /** And no further than this. */
  readonly until: number;
  /** Only of this owner; null: everybody's. */
  readonly owner: string | null;
  readonly limit: number;
}

/** The log of what happened. It is written by the transactions that do what it tells of: `BatchChanges.events` and others. */
export interface EventStore {
  /** The lowest and the highest position that are kept; both 0 before anything has happened. */
  extent(): Promise<{ readonly first: number; readonly last: number }>;
  /**
   * Whether the log has all that a reader at a position has seen. Not when a backup was restored since that did not go as far.
   * `last` is the highest position.
   */
  hasGivenUpTo(position: number, last: number): Promise<boolean>;
  /** Goes on far above all positions that were ever given, after a backup was restored: none is given twice. */
  leap(at: number): Promise<void>;
  /** In the order of positions. */
  list(query: EventQuery): Promise<readonly StoredEvent[]>;
  /**
   * Deletes up to `limit` of the oldest that happened before a time, or in a time to come by a clock that was wrong; answers with
   * their number. Of the last one only the position stays.
   */
  prune(times: { readonly before: number; readonly ahead: number }, limit: number): Promise<number>;
  /** Calls back soon after any process has appended events. May call back for nothing. The returned function ends it. */
  watch(onAppended: () => void): Promise<() => Promise<void>>;
}

export type WebhookState = 'active' | 'disabled';
/** Who or what has disabled it: the operator, an answer of 410, or days without a success. */
export type DisabledBecause = 'operator' | 'gone' | 'failing';

/** What signs, encrypted. */
export interface WebhookSecrets {
  readonly current: Uint8Array;
  /** The one before it, which signs beside it until it ends. */
  readonly previous: { readonly sealed: Uint8Array; readonly endsAt: number } | null;
}

export interface NewWebhook {
  readonly id: string;
  readonly url: string;
  /** The patterns of the types it gets, separated by commas. */
  readonly events: string;
  readonly secrets: WebhookSecrets;
  readonly createdAt: number;
}

/** A receiver of events that the operator has declared, and how it has fared. */
export interface Webhook extends NewWebhook {
  readonly state: WebhookState;
  readonly disabledBecause: DisabledBecause | null;
  /** The log is read up to here. */
  readonly position: number;
  /** The first failure since the last success. Null while it works. */
  readonly failingSince: number | null;
  /** Failures in a row. */
  readonly failures: number;
  /** Nothing is sent before: the receiver asked for it, or the circuit is open. */
  readonly pausedUntil: number | null;
  readonly lastSuccessAt: number | null;
  /** A code such as `status_503`, never anything that the receiver has written. */
  readonly lastFailure: string | null;
  readonly delivered: number;
}

/** Only the place in the log. The message is made from the event when it is sent, so erasing the event erases it. */
export interface NewDelivery {
  readonly position: number;
  /** Deliveries with the same key arrive in order. */
  readonly key: string;
}

export interface LogStep {
  readonly from: number;
  readonly to: number;
  readonly found: readonly NewDelivery[];
  readonly now: number;
}

/** What changes a webhook on behalf of the operator writes its line of the audit in the same transaction. */
export interface WebhookStore {
  /** It begins at the end of the log. */
  add(webhook: NewWebhook, audit: AuditEntry): Promise<void>;
  find(id: string): Promise<Webhook | null>;
  /** By time of creation, then by id. */
  list(): Promise<readonly Webhook[]>;
  /** False when there is no such webhook, or it is like that already. Enabling forgets that it has failed, and what failed is due. */
  setState(
    id: string,
    to: { readonly state: 'active' } | { readonly state: 'disabled'; readonly because: DisabledBecause },
    audit: AuditEntry,
  ): Promise<boolean>;
  /** Puts these in the place of the secrets it is expected to have. False when it has others by now, or is gone. */
  replaceSecrets(
    id: string,
    expected: Uint8Array,
    secrets: WebhookSecrets,
    audit: AuditEntry,
  ): Promise<boolean>;
  /** With its deliveries. False when there is no such webhook. */
  remove(id: string, audit: AuditEntry): Promise<boolean>;
  /**
   * Moves the position and queues what was found in between, in one transaction. False, and nothing changes, if the position
   * is not `from` any more. Events that were erased meanwhile are left out.
   */
  advance(id: string, step: LogStep): Promise<boolean>;
}

export type DeliveryState = 'pending' | 'dead';

export interface Delivery {
  readonly position: number;
  readonly attempts: number;
  readonly dueAt: number;
  readonly state: DeliveryState;
  /** The code of the last failure. */
  readonly reason: string | null;
  readonly triedAt: number | null;
  readonly event: StoredEvent;
}

export interface AttemptResults {
  readonly at: number;
  /** With the `dueAt` at which they were sent: one that was replayed meanwhile stays queued. */
  readonly delivered: readonly Pick<Delivery, 'position' | 'dueAt'>[];
  readonly failed: readonly {
    readonly position: number;
    readonly reason: string;
    /** Null for a dead letter. */
    readonly retryAt: number | null;
  }[];
  /** The health of the receiver afterwards. */
  readonly health: Pick<Webhook, 'failingSince' | 'failures' | 'pausedUntil'>;
  /** The circuit has closed: deliveries that failed at this time or later are due at once. */
  readonly retryFailedSince: number | null;
}

export interface DeliveryCounts {
  readonly webhookId: string;
  readonly dead: number;
  /** When the oldest that is still to be delivered happened; null when nothing is. */
  readonly oldestAt: number | null;
}

/** What is still to be delivered, or was given up. What was delivered is not kept. */
export interface DeliveryStore {
  /** Due ones by position, of each key only the first that is pending. May be fewer than there are; none when there is none. */
  due(
    webhookId: string,
    now: number,
    which: {
      readonly limit: number;
      /** Those in flight. */
      readonly exceptKeys: readonly string[];
    },
  ): Promise<readonly Delivery[]>;
  /** When the next one falls due after this time; null when none does. */
  nextDueAt(webhookId: string, after: number): Promise<number | null>;
  /** Records attempts and the receiver's health in one transaction. */
  record(webhookId: string, results: AttemptResults): Promise<void>;
  /** By position. */
  list(webhookId: string, state: DeliveryState | null, limit: number): Promise<readonly Delivery[]>;
  /** Has these sent, whether they were before or not; answers with their number. */
  sendAgain(webhookId: string, deliveries: readonly NewDelivery[], now: number): Promise<number>;
  /** The same for all that were given up. */
  reviveDead(webhookId: string, now: number): Promise<number>;
  /** That somebody has had something sent again: it goes out at once, whatever the webhook was waiting for. */
  noteReplay(webhookId: string, audit: AuditEntry): Promise<void>;
  counts(): Promise<readonly DeliveryCounts[]>;
}
