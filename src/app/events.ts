import { ownIssuer } from '../config/rules.ts';
import { LongPolls, StreamLimit, streamsPerCaller } from '../events/stream-limit.ts';
import { Streams } from '../events/streams.ts';
import { EventTail } from '../events/tail.ts';
import { WebhookDispatcher } from '../events/webhooks/dispatcher.ts';
import { createSend } from '../events/webhooks/send.ts';
import { shutdownSeconds } from '../http/limits.ts';
import type { BackgroundLease } from '../ops/background-lease.ts';
import type { WatchedTable } from '../storage/port.ts';
import { webhookBox, webhookEgress } from './administration.ts';
import type { BaseParts } from './base-parts.ts';
import type { Callers } from './callers.ts';

/** Tables that decide who may come in. */
const admitting: ReadonlySet<WatchedTable> = new Set(['consumers', 'clients', 'revocations']);

/** The readers of the event log: live streams, long polls and webhooks. */
export function createEventParts(
  base: BaseParts,
  { checkStanding, checkStillIn }: Pick<Callers, 'checkStanding' | 'checkStillIn'>,
  lease: BackgroundLease,
) {
  const { config, storage, keyring, metrics, audit, clock, time, log, tracing } = base;
  const store = storage.events;
  const tail = new EventTail({ store, onRewound: () => streams.cutAll(), clock, log });
  const streamLimit = new StreamLimit(streamsPerCaller);
  const longPolls = new LongPolls();
  const streams = new Streams({ tail, store, checkStanding, clock });
  const sender = createSend(webhookEgress(config), clock, tracing);
  const webhooks = new WebhookDispatcher({
    webhooks: storage.webhooks,
    deliveries: storage.deliveries,
    events: store,
    tail,
    send: sender.send,
    box: webhookBox(keyring),
    lease,
    source: ownIssuer(config),
    onTried: metrics.countWebhookTry,
    audit,
    clock,
    time,
    log,
  });
  const finishSending = () => webhooks.stop(shutdownSeconds * 1000);

  return {
    forCallers: { store, tail, streams, streamLimit, longPolls, checkStillIn, clock },
    get last(): number {
      return tail.last;
    },
    status: {
      position: () => tail.last,
      streams: () => streams.size,
      waiting: () => streamLimit.size - streams.size,
    },
    webhookStatus: () => webhooks.status(),

    async start(): Promise<void> {
      await tail.start();
      streams.start();
      await webhooks.start();
    },

    recheck(changed: ReadonlySet<WatchedTable>): void {
      if (!changed.isDisjointFrom(admitting)) {
        streams.recheck();
        longPolls.recheck(checkStanding);
      }
      if (changed.has('webhooks')) void webhooks.look();
    },

    /** Opens no more streams, and ends those that are open spread over this time. */
    drain(overMs: number): void {
      streams.drain(overMs);
      longPolls.endAll();
    },

    finishSending,

    async [Symbol.asyncDispose](): Promise<void> {
      await finishSending();
      sender.close();
      streams.stop();
      await tail.stop();
    },
  };
}
