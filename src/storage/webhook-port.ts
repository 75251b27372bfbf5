import type { AuditEntry } from './entities.ts';
import type { StoredEvent } from './event-port.ts';

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
  /** Up to which the log was looked through for it. */
  readonly position: number;
  /** When it first failed since it last took something; null while it works. */
  readonly failingSince: number | null;
  /** How often in a row it has failed. */
  readonly failures: number;
  /** Since when it has failed so often that it is only probed. */
  readonly restingSince: number | null;
  /** Nothing is sent before that. */
  readonly pausedUntil: number | null;
  readonly lastSuccessAt: number | null;
  /** A code such as `status_503`, never anything that the receiver has written. */
  readonly lastFailure: string | null;
  readonly delivered: number;
  readonly leaseHolder: string | null;
}

/** Of what is to be sent only its place: it is made from the event when it is sent, so that erasing the event erases it. */
export interface NewDelivery {
  readonly position: number;
  /** What arrives in order: the deliveries of one key. */
  readonly key: string;
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
   * Keeps what this holder has and takes what nobody has, of the active ones, for so long by the clock of the database;
   * answers with all that it has now.
   */
  lease(holder: string, forMs: number): Promise<readonly Webhook[]>;
  /** Gives these back, as far as they are this holder's. */
  release(holder: string, ids: readonly string[]): Promise<void>;
  /**
   * Notes that the log was looked through up to a position, with what was found. False when somebody else holds the webhook:
   * then nothing changes. What was erased meanwhile is left out.
   */
  advance(
    id: string,
    holder: string,
    looked: { readonly position: number; readonly found: readonly NewDelivery[]; readonly now: number },
  ): Promise<boolean>;
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

/** What has become of tries to deliver. */
export interface Tried {
  readonly at: number;
  /** As they were when they were sent: what somebody has had sent again meanwhile is still to be delivered. */
  readonly delivered: readonly Pick<Delivery, 'position' | 'dueAt'>[];
  readonly failed: readonly {
    readonly position: number;
    readonly reason: string;
    /** When it is tried again; null: never. */
    readonly retryAt: number | null;
  }[];
  /** How the receiver fares now. */
  readonly health: Pick<Webhook, 'failingSince' | 'failures' | 'restingSince' | 'pausedUntil'>;
  /** Those that failed after that are due at once: the receiver works again. */
  readonly dueAgainSince: number | null;
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
      /** What is under way. */
      readonly exceptKeys: readonly string[];
      readonly onlyUntried: boolean;
    },
  ): Promise<readonly Delivery[]>;
  /** When the next one falls due after this time; null when none does. */
  nextDueAt(webhookId: string, after: number): Promise<number | null>;
  note(webhookId: string, tried: Tried): Promise<void>;
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
