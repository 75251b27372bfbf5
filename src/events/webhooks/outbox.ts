import type { Clock } from '../../base/clock.ts';
import { logFailure } from '../../base/plain-log.ts';
import type { Delivery, DeliveryStore, EventStore, Webhook } from '../../storage/port.ts';
import { erasedType } from '../catalogue.ts';
import { type Attempt, type AttemptParts, pauseEnd, recordAttempts } from './backoff.ts';
import { headersOf, messageOf, orderKey } from './message.ts';
import { typeMatcher } from './patterns.ts';
import type { Send } from './send.ts';
import { type Box, openSigners, type Signer } from './signing.ts';

export interface OutboxParts extends AttemptParts {
  readonly deliveries: DeliveryStore;
  readonly events: Pick<EventStore, 'list'>;
  readonly send: Send;
  readonly box: Box;
  /** The address of this service, for `ce-source`. */
  readonly source: string;
  readonly clock: Clock;
  /** Decides which process delivers. */
  readonly lease: { hold(): Promise<boolean>; isHeld(): boolean };
  /** Counts attempts by result: `delivered`, or the reason of the failure. */
  readonly onTried: (result: string) => void;
}

const maxAtOnce = 8;
const eventsAtOnce = 500;
const retryMs = 1_000;
/** A timer of Node with more than 24 days fires at once. */
const longestWaitMs = 3_600_000;

/** The outbox of one webhook: queues the matching events of the log as deliveries, and sends those that are due. */
export class Outbox {
  readonly id: string;
  readonly #parts: OutboxParts;
  readonly #stopping: AbortSignal;
  /** Sent, and the result is not recorded yet; by position. */
  readonly #inFlight = new Map<number, Delivery>();
  readonly #sends = new Set<Promise<void>>();
  #attempts: Attempt[] = [];
  /** The log is read up to here. */
  #position = 0;
  /** The position in the database. Between the two there is no matching event. */
  #savedPosition = -1;
  #isSaveDue = false;
  #isStopped = false;
  #isForeign = false;
  #isFailing = false;
  #again = false;
  #working: Promise<void> | null = null;
  #cancelWake: () => void = () => {};

  constructor(id: string, stopping: AbortSignal, parts: OutboxParts) {
    this.id = id;
    this.#stopping = stopping;
    this.#parts = parts;
  }

  get position(): number {
    return this.#position;
  }

  get isIdle(): boolean {
    return this.#sends.size === 0 && this.#working === null;
  }

  /** Starts no more deliveries. Settles when those in flight have ended and are recorded. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelWake();
    await Promise.all(this.#sends);
    await this.#working;
    this.#cancelWake();
    await this.#recordAttempts();
  }

  /** Works, and saves the position. It is not saved with every event: a process that is killed reads a little twice. */
  look(): void {
    this.#isSaveDue = true;
    this.wake();
  }

  wake(): void {
    this.#again = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
      if (this.#again) this.wake();
    });
  }

  async #work(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        await this.#recordAttempts();
        await this.#deliver();
      }
      this.#isFailing = false;
    } catch (error) {
      // Logged once: the storage logs every failed query.
      if (!this.#isFailing)
        logFailure(this.#parts.log, error, 'webhook cannot be processed now', { webhook: this.id });
      this.#isFailing = true;
      this.#again = false;
      this.#wakeIn(retryMs);
    }
  }

  #wakeIn(milliseconds: number): void {
    this.#cancelWake();
    this.#cancelWake = this.#parts.clock.after(Math.min(milliseconds, longestWaitMs), () => this.wake());
  }

  #mayWork(): boolean {
    return !this.#isStopped && this.#parts.lease.isHeld();
  }

  async #deliver(): Promise<void> {
    if (!this.#mayWork()) return;
    // Read anew each time: a disabled webhook or a rotated secret counts for the next delivery.
    const webhook = await this.#parts.webhooks.find(this.id);
    if (webhook?.state !== 'active') return;
    if (await this.#queueEvents(webhook)) await this.#sendDue(webhook);
    else this.#again = true;
  }

  /** Queues the next matching events. False if the position was moved, by another process or by a restore. */
  async #queueEvents(webhook: Webhook): Promise<boolean> {
    const { webhooks, events, clock } = this.#parts;
    if (webhook.position !== this.#savedPosition) this.#position = this.#savedPosition = webhook.position;
    const range = { after: this.#position, until: Number.MAX_SAFE_INTEGER };
    const read = await events.list({ ...range, owner: null, limit: eventsAtOnce });
    const position = read.at(-1)?.position ?? this.#position;
    const matches = typeMatcher(webhook.events);
    const found = read
      .filter(({ type }) => matches(type))
      .map((event) => ({ position: event.position, key: orderKey(event) }));
    if (found.length > 0 || (this.#isSaveDue && position > this.#savedPosition)) {
      const step = { from: this.#savedPosition, to: position, found, now: clock.now() };
      if (!(await webhooks.advance(this.id, step))) return false;
      this.#savedPosition = position;
    }
    this.#isSaveDue = false;
    this.#position = position;
    if (read.length === eventsAtOnce) this.#again = true;
    return true;
  }

  async #sendDue(webhook: Webhook): Promise<void> {
    const { deliveries, clock } = this.#parts;
    const now = clock.now();
    const pausedMs = (pauseEnd(webhook.pausedUntil, now) ?? 0) - now;
    if (pausedMs > 0) return this.#wakeIn(pausedMs);
    const free = maxAtOnce - this.#inFlight.size;
    if (free <= 0) return;
    const exceptKeys = [...this.#inFlight.values()].map(({ event }) => orderKey(event));
    const due = await deliveries.due(this.id, now, { limit: free, exceptKeys });
    // A process that was frozen has lost the lease while it waited for the database.
    if (!this.#mayWork()) return;
    const signers = due.length === 0 ? null : this.#signersOf(webhook, now);
    const started = signers === null ? 0 : due.filter((one) => this.#start(webhook, one, signers)).length;
    if (started === free) return;
    // `due` looks at a few rows only, and these may hide others.
    if (started > 0) this.#again = true;
    const nextDueAt = await deliveries.nextDueAt(this.id, now);
    if (nextDueAt !== null) this.#wakeIn(nextDueAt - now);
  }

  /** Null if the webhook was changed without the master secret: nothing is sent, and no attempt is counted. */
  #signersOf(webhook: Webhook, now: number): readonly Signer[] | null {
    const signers = openSigners(this.#parts.box, webhook, now);
    if (signers === null && !this.#isForeign)
      this.#parts.log.error(
        { webhook: this.id },
        'a webhook was changed in the database without the master secret, and is ignored',
      );
    this.#isForeign = signers === null;
    return signers;
  }

  /** False if the delivery has to wait. */
  #start({ url }: Webhook, delivery: Delivery, signers: readonly Signer[]): boolean {
    const { event, position } = delivery;
    // Events of an owner must not arrive after the event that the owner is erased.
    const isTooEarly =
      event.type === erasedType && this.#inFlight.values().some((one) => one.event.owner === event.owner);
    if (isTooEarly) return false;
    const { send, source, clock, onTried } = this.#parts;
    const message = messageOf(event);
    const headers = headersOf(message, signers, source, clock.now());
    this.#inFlight.set(position, delivery);
    const settled = send({ url, headers, body: message.body, stopping: this.#stopping })
      .then(
        (sent) => {
          this.#attempts.push({ delivery, sent });
          onTried(sent.ok ? 'delivered' : sent.reason);
        },
        // Cut off by the shutdown: not an attempt. The next process sends it.
        () => this.#inFlight.delete(position),
      )
      .then(() => {
        this.#sends.delete(settled);
        this.wake();
      });
    this.#sends.add(settled);
    return true;
  }

  async #recordAttempts(): Promise<void> {
    const attempts = this.#attempts.slice();
    if (attempts.length === 0) return;
    await recordAttempts(this.id, attempts, this.#parts);
    this.#attempts = this.#attempts.slice(attempts.length);
    for (const { delivery } of attempts) this.#inFlight.delete(delivery.position);
  }
}
