import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { errorFields } from '../../base/plain-log.ts';
import type { Delivery, DeliveryStore, StoredEvent, Webhook } from '../../storage/port.ts';
import { erasedType } from '../catalogue.ts';
import { EventSearch, orderKey, type SearchParts } from './event-search.ts';
import { headersOf, messageOf } from './message.ts';
import { type NoteParts, noteTried, type Try } from './note-tried.ts';
import { pauseEnd } from './schedule.ts';
import type { Send } from './send.ts';
import { type Box, createSigner, openSecrets, type Signer } from './signing.ts';

export interface EndpointParts extends SearchParts, NoteParts {
  readonly deliveries: DeliveryStore;
  readonly send: Send;
  readonly box: Box;
  /** The address of this service: where events are from. */
  readonly source: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts tries by what came of them: `delivered`, or why not. */
  readonly onTried: (result: string) => void;
}

interface Hold {
  readonly holder: string;
  /** Whether the lease has been kept up: without it somebody else may be sending. */
  isKept(): boolean;
  /** Ends what is being sent when there is no more time for it. */
  readonly stopping: AbortSignal;
}

const mostAtOnce = 8;
const tryAgainMs = 1_000;
/** A timer of Node that is to wait for more than 24 days fires at once. */
const longestWaitMs = 3_600_000;

/** One webhook that this process holds: finds in the log what is for it, and sends what is due. */
export class Endpoint {
  readonly id: string;
  readonly #parts: EndpointParts;
  readonly #hold: Hold;
  readonly #inFlight = new Map<number, StoredEvent>();
  readonly #sends = new Set<Promise<void>>();
  /** Tried and not noted yet. */
  #finished: Try[] = [];
  readonly #search: EventSearch;
  #isHeld = false;
  #isForeign = false;
  #isFailing = false;
  #isNoteDue = false;
  #again = false;
  #working: Promise<void> | null = null;
  #cancelWake: () => void = () => {};

  constructor(id: string, hold: Hold, parts: EndpointParts) {
    this.id = id;
    this.#hold = hold;
    this.#parts = parts;
    this.#search = new EventSearch(id, hold.holder, parts);
  }

  /** Up to which the log was looked through. */
  get position(): number {
    return this.#search.position;
  }

  /** It is this process's turn, as it was or anew. */
  hold(webhook: Webhook): void {
    // Further than here: somebody else has held it meanwhile.
    if (!this.#isHeld || webhook.position > this.#search.position) this.#search.begin(webhook);
    this.#isHeld = true;
    this.wake();
  }

  /** Sends nothing more; what is under way comes to its end. */
  letGo(): void {
    this.#isHeld = false;
    this.#cancelWake();
  }

  get isIdle(): boolean {
    return this.#sends.size === 0 && this.#working === null;
  }

  /** Settles when nothing is under way any more, and all of it is noted. */
  async finish(): Promise<void> {
    await Promise.all(this.#sends);
    await this.#working;
    this.#cancelWake();
    await this.#noteFinished();
    await this.#search.note();
  }

  /** How far it has looked is noted now and then. Not beside what is found meanwhile: the lower position would come last. */
  noteSoon(): void {
    this.#isNoteDue = true;
    this.wake();
  }

  /** There may be something to do. */
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
        await this.#noteFinished();
        if (this.#isHeld) await this.#lookThroughLog();
        if (this.#isHeld) await this.#sendDue();
      }
      this.#isFailing = false;
    } catch (error) {
      // Said once: the database has a log line of its own for every time.
      if (!this.#isFailing)
        this.#parts.log.warn({ webhook: this.id, ...errorFields(error) }, 'webhook cannot be worked on now');
      this.#isFailing = true;
      this.#again = false;
      this.#wakeIn(tryAgainMs);
    }
  }

  #wakeIn(milliseconds: number): void {
    this.#cancelWake();
    this.#cancelWake = this.#parts.clock.after(Math.min(milliseconds, longestWaitMs), () => this.wake());
  }

  async #lookThroughLog(): Promise<void> {
    const found = await this.#search.lookOn();
    const isKept = found !== 'lost' && (!this.#isNoteDue || (await this.#search.note()));
    this.#isNoteDue = false;
    if (!isKept) this.letGo();
    else if (found === 'more') this.#again = true;
  }

  async #sendDue(): Promise<void> {
    const { webhooks, deliveries, clock } = this.#parts;
    if (!this.#hold.isKept()) return;
    // As it is now: whoever has disabled it, or rotated its secret, is heard before the next one goes out.
    const webhook = await webhooks.find(this.id);
    if (webhook?.state !== 'active' || webhook.leaseHolder !== this.#hold.holder) return this.letGo();
    if (webhook.position < this.#search.notedPosition) {
      // The database was restored, or has lost commits in a failover: what happens at these positions is something else now.
      this.#search.begin(webhook);
      this.#again = true;
      return;
    }
    const now = clock.now();
    const pausedMs = (pauseEnd(webhook.pausedUntil, now) ?? 0) - now;
    if (pausedMs > 0) return this.#wakeIn(pausedMs);
    const isResting = webhook.restingSince !== null;
    const free = (isResting ? 1 : mostAtOnce) - this.#inFlight.size;
    if (free <= 0) return;
    const due = await this.#due(now, free, isResting);
    // A process that was frozen goes on here, and somebody else may have it since.
    if (!this.#isHeld || !this.#hold.isKept()) return;
    const signers = due.length === 0 ? null : this.#signersOf(webhook, now);
    const started = signers === null ? 0 : due.filter((one) => this.#start(webhook, one, signers)).length;
    if (started === free) return;
    // With these under way there may be others that were not looked at.
    if (started > 0) this.#again = true;
    const nextDueAt = await deliveries.nextDueAt(this.id, now);
    if (nextDueAt !== null) this.#wakeIn(nextDueAt - now);
  }

  /** What to send now. A receiver that rests is probed with one that has never failed: that one may be to blame for nothing. */
  async #due(now: number, limit: number, isResting: boolean): Promise<readonly Delivery[]> {
    const { deliveries } = this.#parts;
    const busy = [...this.#inFlight.values(), ...this.#finished.map(({ delivery }) => delivery.event)];
    const which = { limit, exceptKeys: busy.map(orderKey), onlyUntried: false };
    const untried = isResting ? await deliveries.due(this.id, now, { ...which, onlyUntried: true }) : [];
    return untried.length > 0 ? untried : deliveries.due(this.id, now, which);
  }

  /** Null when the webhook is not as this service has made it: then nothing is sent, and nothing is counted. */
  #signersOf(webhook: Webhook, now: number): readonly Signer[] | null {
    const secrets = openSecrets(this.#parts.box, webhook, now);
    if (secrets === null && !this.#isForeign)
      this.#parts.log.error(
        { webhook: this.id },
        'a webhook was changed in the database by somebody without the master secret, and is ignored',
      );
    this.#isForeign = secrets === null;
    return secrets?.map(createSigner) ?? null;
  }

  /** False when it has to wait. */
  #start({ url }: Webhook, delivery: Delivery, signers: readonly Signer[]): boolean {
    const { event, position } = delivery;
    // What is under way of the owner must not arrive after that the owner is erased.
    const isTooEarly =
      event.type === erasedType && this.#inFlight.values().some(({ owner }) => owner === event.owner);
    if (isTooEarly) return false;
    const { send, source, clock, onTried } = this.#parts;
    const message = messageOf(event);
    const headers = headersOf(message, signers, source, clock.now());
    this.#inFlight.set(position, event);
    const sending = send({ url, headers, body: message.body, stopping: this.#hold.stopping }).then(
      (sent) => {
        this.#finished.push({ delivery, sent });
        onTried(sent.ok ? 'delivered' : sent.reason);
      },
      // Cut off by the end of the process: it was not tried, and the next one sends it.
      () => {},
    );
    const settled = sending.then(() => {
      this.#inFlight.delete(position);
      this.#sends.delete(settled);
      this.wake();
    });
    this.#sends.add(settled);
    return true;
  }

  async #noteFinished(): Promise<void> {
    const tries = this.#finished.slice();
    if (tries.length === 0) return;
    await noteTried(this.id, tries, this.#parts);
    this.#finished = this.#finished.slice(tries.length);
  }
}
