import type { AuditEntry } from './entities.ts';
import type { DeliveryRow, DeliveryState, EventRow, WebhookRow } from './tables.ts';

export interface NewEvent extends Omit<EventRow, 'position'> {
  /** The audience in a shared collection, by role; missing: the owner alone. */
  readonly topics?: readonly EventTopic[] | undefined;
}

export interface EventTopic {
  /** 16 bytes in hexadecimal. */
  readonly topic: string;
  /** Whether these readers get the fields of the record, if the event has them. */
  readonly hasFields: boolean;
}

export type StoredEvent = EventRow & NewEvent;

export interface EventQuery {
  readonly after: number;
  readonly until: number;
  /** Null: events of all owners. */
  readonly owner: string | null;
  readonly limit: number;
  /** Events with one of these topics as well. Missing: events come without their topics; with `all` they have them. */
  readonly topics?: readonly string[] | 'all' | undefined;
}

/** The log of events (outbox). The transaction that changes something also appends its events. */
export interface EventStore {
  /** The lowest and the highest position; both 0 in an empty log. */
  extent(): Promise<{ readonly first: number; readonly last: number }>;
  /** False for a position after that of a restored backup. `last` is the highest position. */
  hasGivenUpTo(position: number, last: number): Promise<boolean>;
  /** Skips far ahead after a restore, so that no position is assigned twice. */
  leap(at: number): Promise<void>;
  list(query: EventQuery): Promise<readonly StoredEvent[]>;
  /** Deletes up to `limit` of the oldest events before or ahead of these times; the last event keeps only its position. */
  prune(times: { readonly before: number; readonly ahead: number }, limit: number): Promise<number>;
  /** Calls back soon after any process has appended events. May call back without a new event. The returned function ends it. */
  watch(onAppended: () => void): Promise<() => Promise<void>>;
}

export interface WebhookSecrets {
  readonly current: Uint8Array;
  /** Signs in addition until it expires. */
  readonly previous: { readonly sealed: Uint8Array; readonly endsAt: number } | null;
}

export interface NewWebhook extends Pick<WebhookRow, 'id' | 'url' | 'events' | 'createdAt'> {
  readonly secrets: WebhookSecrets;
}

export type Webhook = NewWebhook & Omit<WebhookRow, 'secret' | 'previousSecret' | 'previousEndsAt'>;

/** Only a position in the log. The message is built from the event when it is sent, so erasing the event erases it. */
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

/** Changes write their audit entry in the same transaction. */
export interface WebhookStore {
  add(webhook: NewWebhook, audit: AuditEntry): Promise<void>;
  find(id: string): Promise<Webhook | null>;
  list(): Promise<readonly Webhook[]>;
  /** False if nothing changes. Enabling resets its health and makes failed deliveries due. */
  setState(
    id: string,
    to:
      | { readonly state: 'active' }
      | { readonly state: 'disabled'; readonly because: NonNullable<Webhook['disabledBecause']> },
    audit: AuditEntry,
  ): Promise<boolean>;
  /** False if it is gone or its secrets have changed. */
  replaceSecrets(
    id: string,
    expected: Uint8Array,
    secrets: WebhookSecrets,
    audit: AuditEntry,
  ): Promise<boolean>;
  /** Removes the webhook with its deliveries. False if there is no such webhook. */
  remove(id: string, audit: AuditEntry): Promise<boolean>;
  /** Moves the position and queues the events found, in one transaction. False if the position is no longer `from`. */
  advance(id: string, step: LogStep): Promise<boolean>;
}

export interface Delivery extends Omit<DeliveryRow, 'webhookId' | 'recordKey'> {
  readonly event: StoredEvent;
}

export interface AttemptResults {
  readonly at: number;
  /** With the `dueAt` at which they were sent: a delivery that was replayed meanwhile stays queued. */
  readonly delivered: readonly Pick<Delivery, 'position' | 'dueAt'>[];
  readonly failed: readonly {
    readonly position: number;
    readonly reason: string;
    /** Null for a dead letter. */
    readonly retryAt: number | null;
  }[];
  readonly health: Pick<Webhook, 'failingSince' | 'failures' | 'pausedUntil'>;
  /** The circuit has closed: deliveries that failed at this time or later are due at once. */
  readonly retryFailedSince: number | null;
}

export interface DeliveryCounts {
  readonly webhookId: string;
  readonly dead: number;
  /** The time of the oldest pending event. */
  readonly oldestAt: number | null;
}

/** Pending deliveries and dead letters. Delivered ones are not kept. */
export interface DeliveryStore {
  /** Due deliveries by position, of each key only the first. May be fewer than there are. */
  due(
    webhookId: string,
    now: number,
    which: {
      readonly limit: number;
      readonly exceptKeys: readonly string[];
    },
  ): Promise<readonly Delivery[]>;
  /** When the next delivery is due after this time; null if there is none. */
  nextDueAt(webhookId: string, after: number): Promise<number | null>;
  record(webhookId: string, results: AttemptResults): Promise<void>;
  list(webhookId: string, state: DeliveryState | null, limit: number): Promise<readonly Delivery[]>;
  sendAgain(webhookId: string, deliveries: readonly NewDelivery[], now: number): Promise<number>;
  reviveDead(webhookId: string, now: number): Promise<number>;
  /** Writes the audit entry of a replay, and ends a pause of the webhook. */
  noteReplay(webhookId: string, audit: AuditEntry): Promise<void>;
  counts(): Promise<readonly DeliveryCounts[]>;
}
