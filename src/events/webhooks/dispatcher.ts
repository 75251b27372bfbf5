import type { ConfirmedTime } from '../../base/confirmed-time.ts';
import { errorFields } from '../../base/plain-log.ts';
import { createProcessName } from '../../base/random.ts';
import type { DeliveryCounts, Webhook } from '../../storage/port.ts';
import { RepeatedLook } from '../repeated-look.ts';
import type { EventTail } from '../tail.ts';
import { Endpoint, type EndpointParts } from './endpoint.ts';
import { disabledAfterMs, warnedAfterMs } from './schedule.ts';

interface DispatcherOptions extends EndpointParts {
  readonly tail: Pick<EventTail, 'last' | 'listen'>;
  readonly time: ConfirmedTime;
}

/** A process that is gone keeps its webhooks for so long; one that lives renews in time, and stops sending in time. */
const leaseMs = 15_000;
const renewEveryMs = 4_000;
const keptMs = 12_000;

/** Shares the webhooks with the other processes: each is held by one of them, by a lease that ends by itself. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #holder = createProcessName();
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #stopping = new AbortController();
  readonly #warned = new Set<string>();
  #webhooks: readonly Webhook[] = [];
  #counts: readonly DeliveryCounts[] = [];
  #renewedAt = Number.NEGATIVE_INFINITY;
  readonly #looking: RepeatedLook;
  #stopped: Promise<void> | null = null;
  #unlisten: (() => void) | null = null;

  constructor(options: DispatcherOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#looking = new RepeatedLook({
      look: () => this.#lookOn(),
      everyMs: renewEveryMs,
      onFailure: (error) => log.warn(errorFields(error), 'webhooks cannot be read'),
      clock,
    });
  }

  /** Reads which there are, and begins with what is left over from the last time. */
  async start(): Promise<void> {
    this.#looking.start();
    await this.look();
  }

  /** Finishes what is under way within this time, and gives back what this process holds; once, whoever asks for it first. */
  stop(deadlineMs: number): Promise<void> {
    this.#stopped ??= this.#stop(deadlineMs);
    return this.#stopped;
  }

  async #stop(deadlineMs: number): Promise<void> {
    this.#unlisten?.();
    await this.#looking.stop();
    const held = [...this.#endpoints.values()];
    for (const endpoint of held) endpoint.letGo();
    const cancel = this.#options.clock.after(deadlineMs, () => this.#stopping.abort());
    try {
      await Promise.all(held.map((endpoint) => endpoint.finish()));
      await this.#options.webhooks.release(this.#holder, [...this.#endpoints.keys()]);
    } catch (error) {
      this.#options.log.warn(
        errorFields(error),
        'webhooks not given back: others take them within 20 seconds',
      );
    } finally {
      cancel();
    }
  }

  /** Somebody may have added or changed a webhook, or had something sent again. */
  look(): Promise<void> {
    return this.#looking.look();
  }

  /** How each webhook fares, for the metrics. */
  status() {
    const { clock, tail } = this.#options;
    const now = clock.now();
    const secondsSince = (at: number | null | undefined) => Math.max((now - (at ?? now)) / 1000, 0);
    return this.#webhooks.map(({ id, state, position, failingSince }) => {
      const counts = this.#counts.find(({ webhookId }) => webhookId === id);
      const looked = Math.max(this.#endpoints.get(id)?.position ?? 0, position);
      return {
        id,
        isDisabled: state === 'disabled',
        oldestSeconds: secondsSince(counts?.oldestAt),
        failingSeconds: secondsSince(failingSince),
        dead: counts?.dead ?? 0,
        behind: Math.max(tail.last - looked, 0),
      };
    });
  }

  async #lookOn(): Promise<void> {
    const { webhooks, deliveries } = this.#options;
    this.#webhooks = await webhooks.list();
    this.#holdOnly(await this.#lease());
    await this.#disableFailing();
    this.#counts = this.#webhooks.length === 0 ? [] : await deliveries.counts();
  }

  /** Asks the database, which knows whose time is over, when it is time to renew or there is one that nobody has. */
  async #lease(): Promise<readonly Webhook[]> {
    const { webhooks, clock } = this.#options;
    const began = clock.monotonic();
    const active = this.#webhooks.filter(({ state }) => state === 'active');
    const isDue = began - this.#renewedAt >= renewEveryMs - 1_000;
    const areFree = active.some(({ leaseHolder }) => leaseHolder === null);
    if (active.length === 0 || !(areFree || isDue))
      return active.filter(({ leaseHolder }) => leaseHolder === this.#holder);
    const held = await webhooks.lease(this.#holder, leaseMs);
    this.#renewedAt = began;
    if (isDue) for (const endpoint of this.#endpoints.values()) endpoint.noteSoon();
    return held;
  }

  #holdOnly(held: readonly Webhook[]): void {
    const { clock, tail } = this.#options;
    const ids = new Set(held.map(({ id }) => id));
    for (const endpoint of this.#endpoints.values()) {
      if (ids.has(endpoint.id)) continue;
      endpoint.letGo();
      // One that comes back while something is under way goes on with it, instead of sending it a second time.
      if (endpoint.isIdle) this.#endpoints.delete(endpoint.id);
    }
    const isKept = () => clock.monotonic() - this.#renewedAt < keptMs;
    const hold = { holder: this.#holder, isKept, stopping: this.#stopping.signal };
    for (const webhook of held) {
      const endpoint = this.#endpoints.get(webhook.id) ?? new Endpoint(webhook.id, hold, this.#options);
      this.#endpoints.set(webhook.id, endpoint);
      endpoint.hold(webhook);
    }
    if (ids.size > 0) this.#unlisten ??= tail.listen(() => this.#wakeAll());
    else {
      this.#unlisten?.();
      this.#unlisten = null;
    }
  }

  #wakeAll(): void {
    for (const endpoint of this.#endpoints.values()) endpoint.wake();
  }

  /** Not by a clock that has just jumped. */
  async #disableFailing(): Promise<void> {
    const { webhooks, deliveries, time, log, audit } = this.#options;
    const now = time.now();
    if (now === null) return;
    for (const { id, failingSince } of this.#webhooks.filter(({ state }) => state === 'active')) {
      if (failingSince === null || !this.#endpoints.has(id)) continue;
      const failing = { webhook: id, failing_since: new Date(failingSince).toISOString() };
      if (now - failingSince >= disabledAfterMs) {
        // What it refused was given up, and it was given nothing since: nobody knows how it is now.
        if ((await deliveries.nextDueAt(id, 0)) === null) continue;
        const line = audit('webhook.disabled', id, { because: 'failing' });
        if (await webhooks.setState(id, { state: 'disabled', because: 'failing' }, line))
          log.error(failing, 'webhook disabled: it has failed for five days');
      } else if (now - failingSince >= warnedAfterMs && !this.#warned.has(`${id} ${failingSince}`)) {
        this.#warned.add(`${id} ${failingSince}`);
        const disabledAt = new Date(failingSince + disabledAfterMs).toISOString();
        log.warn(
          { ...failing, disabled_at: disabledAt },
          'webhook is going to be disabled: it fails all the time',
        );
      }
    }
  }
}
