import type { Collection } from '../collections/collection.ts';
import type { AudienceOf } from '../consumer/feed/read-events.ts';
import { Audience } from '../events/audience.ts';
import { LongPolls, StreamLimit, streamsPerCaller } from '../events/stream-limit.ts';
import { Streams } from '../events/streams.ts';
import type { EventTail } from '../events/tail.ts';
import { WebhookDispatcher } from '../events/webhooks/dispatcher.ts';
import { createSend } from '../events/webhooks/send.ts';
import { shutdownSeconds } from '../http/limits.ts';
import type { BackgroundLease } from '../ops/background-lease.ts';
import { admitsReader, ownerOf, rolesByScope } from '../records/caller-access.ts';
import type { PeopleNames } from '../records/people-names.ts';
import type { Storage, StoredEvent, WatchedTable } from '../storage/port.ts';
import { webhookBox, webhookEgress } from './administration.ts';
import type { BaseParts } from './base-parts.ts';
import type { Callers } from './callers.ts';

/** Tables that decide which callers are admitted. */
const admitting: ReadonlySet<WatchedTable> = new Set(['consumers', 'clients', 'revocations']);

/**
 * Events of records that everyone can read go only to people who request their collection by name. A machine client does not
 * count as "everyone".
 */
function createAudiences(
  { records, events }: Pick<Storage, 'records' | 'events'>,
  names: PeopleNames,
): AudienceOf {
  const listJoined = async (topic: string, after: number) => {
    const joined: StoredEvent[] = [];
    for (let last = after; ; ) {
      const query = { after: last, until: Number.MAX_SAFE_INTEGER, owner: '', limit: 200, topics: [topic] };
      const found = await events.list(query);
      joined.push(...found.filter(({ type }) => type.endsWith('.joined')));
      last = found.at(-1)?.position ?? last;
      if (found.length < query.limit) return joined;
    }
  };
  return (caller, followed, isNamed, under) => {
    const member = ownerOf(caller);
    const isMachine = caller.credentialId !== null;
    const admitted = new Set(followed.map(([{ name }]) => name));
    const owned = ({ name }: Collection) => names.owner(name, member);
    return new Audience({
      member,
      person: names.person(member),
      fixed: [
        ...followed.flatMap(([one]) => [
          owned(one),
          ...(isNamed && !isMachine ? [names.everyone(one.name)] : []),
          ...rolesByScope(one, caller.scopes).map((role) => names.scope(one.name, role, isMachine)),
        ]),
        ...(isMachine ? [] : under.map(({ collection, id }) => names.under(collection, id))),
      ],
      ownedOnly: new Map(
        followed.flatMap((lineage) => {
          const end = lineage.findIndex((one) => !admitsReader(one, caller));
          return end < 0 ? [] : [[lineage[0].name, lineage.slice(0, end).map(owned)] as const];
        }),
      ),
      topicOf: (collection, recordId, role) =>
        admitted.has(collection) ? names.member(collection, recordId, role) : null,
      store: records,
      listJoined,
    });
  };
}

interface EventOptions {
  readonly names: PeopleNames;
  readonly tail: EventTail;
  readonly lease: BackgroundLease;
}

/** The readers of the event log: live streams, long polls and webhooks. */
export function createEventParts(
  base: BaseParts,
  { checkStanding, checkAgain }: Pick<Callers, 'checkStanding' | 'checkAgain'>,
  { names, tail, lease }: EventOptions,
) {
  const { config, issuer, storage, keyring, metrics, audit, clock, time, log, tracing } = base;
  const store = storage.events;
  const audienceOf = tail.hasTopics ? createAudiences(storage, names) : null;
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
    source: issuer,
    onTried: metrics.countWebhookTry,
    audit,
    clock,
    time,
    log,
  });
  const finishSending = () => webhooks.stop(shutdownSeconds * 1000);

  return {
    forCallers: {
      store,
      tail,
      streams,
      streamLimit,
      longPolls,
      checkAgain,
      audienceOf,
      records: storage.records,
      clock,
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

    cutStreams: () => streams.cutAll(),

    /** Opens no more streams, and ends the open ones spread over this time. */
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
