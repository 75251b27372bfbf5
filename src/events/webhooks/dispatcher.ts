import type { ConfirmedTime } from '../../base/confirmed-time.ts';
import { logFailure } from '../../base/plain-log.ts';
import { RepeatedLook } from '../../base/repeated-look.ts';
import type { DeliveryCounts, Webhook } from '../../storage/port.ts';
import type { EventTail } from '../tail.ts';
import { disabledAfterMs } from './backoff.ts';
import { Outbox, type OutboxParts } from './outbox.ts';

interface DispatcherOptions extends OutboxParts {
  readonly tail: Pick<EventTail, 'last' | 'subscribe'>;
  readonly time: ConfirmedTime;
}

const lookEveryMs = 4_000;

/** Delivers to all webhooks while this process has the background lease. */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #outboxes = new Map<string, Outbox>();
  readonly #stopping = new AbortController();
  #webhooks: readonly Webhook[] = [];
  #counts: readonly DeliveryCounts[] = [];
  readonly #looking: RepeatedLook;
  #stopped: Promise<void> | null = null;
  #unsubscribe: (() => void) | null = null;

  constructor(options: DispatcherOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#looking = new RepeatedLook({
      look: () => this.#lookOn(),
      everyMs: lookEveryMs,
      onFailure: (error) => logFailure(log, error, 'webhooks cannot be read'),
      clock,
    });
  }

  async start(): Promise<void> {
    this.#looking.start();
    await this.look();
  }

  /** Gives deliveries in flight this much time. May be called more than once. */
  stop(deadlineMs: number): Promise<void> {
    this.#stopped ??= this.#stop(deadlineMs);
    return this.#stopped;
  }

  async #stop(deadlineMs: number): Promise<void> {
    this.#unsubscribe?.();
    await this.#looking.stop();
    const cancel = this.#options.clock.after(deadlineMs, () => this.#stopping.abort());
    try {
      await Promise.all(this.#outboxes.values().map((outbox) => outbox.stop()));
    } catch (error) {
      logFailure(this.#options.log, error, 'delivery results not recorded: the deliveries are sent again');
    } finally {
      cancel();
    }
  }

  look(): Promise<void> {
    return this.#looking.look();
  }

  status() {
    const { clock, tail } = this.#options;
    const now = clock.now();
    const secondsSince = (at: number | null | undefined) => Math.max((now - (at ?? now)) / 1000, 0);
    return this.#webhooks.map(({ id, state, position, failingSince }) => {
      const counts = this.#counts.find(({ webhookId }) => webhookId === id);
      const read = Math.max(this.#outboxes.get(id)?.position ?? 0, position);
      return {
        id,
        isDisabled: state === 'disabled',
        oldestSeconds: secondsSince(counts?.oldestAt),
        failingSeconds: secondsSince(failingSince),
        dead: counts?.dead ?? 0,
        behind: Math.max(tail.last - read, 0),
      };
    });
  }

  async #lookOn(): Promise<void> {
    const { webhooks, deliveries, lease, tail } = this.#options;
    this.#webhooks = await webhooks.list();
    const active = this.#webhooks.filter(({ state }) => state === 'active');
    const isHeld = active.length > 0 && (await lease.hold());
    if (isHeld) {
      this.#unsubscribe ??= tail.subscribe(() => this.#wakeAll());
      for (const { id } of active) this.#outbox(id).look();
      await this.#disableFailing(active);
    } else {
      this.#unsubscribe?.();
      this.#unsubscribe = null;
    }
    this.#forgetRemoved();
    this.#counts = this.#webhooks.length === 0 ? [] : await deliveries.counts();
  }

  #outbox(id: string): Outbox {
    const outbox = this.#outboxes.get(id) ?? new Outbox(id, this.#stopping.signal, this.#options);
    this.#outboxes.set(id, outbox);
    return outbox;
  }

  #wakeAll(): void {
    for (const outbox of this.#outboxes.values()) outbox.wake();
  }

  #forgetRemoved(): void {
    const ids = new Set(this.#webhooks.map(({ id }) => id));
    for (const { id, isIdle } of this.#outboxes.values())
      if (isIdle && !ids.has(id)) this.#outboxes.delete(id);
  }

  /** Does nothing right after a clock jump. */
  async #disableFailing(active: readonly Webhook[]): Promise<void> {
    const { webhooks, deliveries, time, log, audit } = this.#options;
    const now = time.now();
    if (now === null) return;
    for (const { id, failingSince } of active) {
      if (failingSince === null || now - failingSince < disabledAfterMs) continue;
      // Only dead letters are left and nothing was sent since: the receiver may work again.
      if ((await deliveries.nextDueAt(id, 0)) === null) continue;
      const line = audit('webhook.disabled', id, { because: 'failing' });
      const failing = { webhook: id, failing_since: new Date(failingSince).toISOString() };
      if (await webhooks.setState(id, { state: 'disabled', because: 'failing' }, line))
        log.error(failing, 'webhook disabled: it has failed for five days');
    }
  }
}
