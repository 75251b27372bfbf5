import type { Clock } from '../../base/clock.ts';
import { OperatorError } from '../../base/errors.ts';
import type { AuditLine, DeliveryStore, EventStore, Webhook, WebhookStore } from '../../storage/port.ts';
import { dayMs } from './backoff.ts';
import { type Egress, EgressError } from './egress.ts';
import { headersOf, orderKey, testMessage } from './message.ts';
import { patternWarnings, readPatterns, typeMatcher } from './patterns.ts';
import { createSend, type Sent } from './send.ts';
import {
  type Box,
  createWebhookId,
  createWebhookSecret,
  openSigners,
  sealSecret,
  secretText,
} from './signing.ts';

interface WebhooksOptions {
  readonly store: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly events: Pick<EventStore, 'list' | 'extent'>;
  readonly egress: Egress;
  readonly box: Box;
  readonly collections: () => Promise<readonly string[]>;
  readonly source: string;
  readonly audit: AuditLine;
  readonly clock: Clock;
}

/** Dead letters, or the events between two positions or since a time. */
export type Replayed =
  | 'dead'
  | { readonly since: { readonly position: number } | { readonly ms: number }; readonly to: number | null };

/** The previous secret signs beside the new one for so long. */
const bothSignMs = dayMs;
const readAtOnce = 1_000;

export function createWebhooks(options: WebhooksOptions) {
  const { store, deliveries, egress, box, source, audit, clock } = options;

  const known = async (id: string): Promise<Webhook> => {
    const webhook = await store.find(id);
    if (webhook === null) throw noSuchWebhook(id);
    return webhook;
  };

  const genuine = async (id: string) => {
    const webhook = await known(id);
    const signers = openSigners(box, webhook, clock.now());
    if (signers !== null) return { webhook, signers };
    throw new OperatorError(
      `Webhook "${id}" was changed in the database without the master secret, and is ignored. Find out who changed it, then remove it and add it again.`,
    );
  };

  const checkUrl = (url: string) =>
    egress.check(url).catch((error: unknown) => {
      throw error instanceof EgressError ? new OperatorError(error.message) : error;
    });

  return {
    async add(url: string, patterns: string) {
      await checkUrl(url);
      const secret = createWebhookSecret();
      const bound = { id: createWebhookId(), url: new URL(url).href, events: readPatterns(patterns) };
      const secrets = { current: sealSecret(box, bound, secret), previous: null };
      const line = audit('webhook.added', bound.id, {
        origin: new URL(url).origin,
        events: bound.events,
      });
      await store.add({ ...bound, secrets, createdAt: clock.now() }, line);
      const warnings = patternWarnings(bound.events, await options.collections());
      return { id: bound.id, secret: secretText(secret), warnings };
    },

    /** Both sign for a day, or with `atOnce` only the new one. */
    async rotate(id: string, atOnce: boolean) {
      const { webhook } = await genuine(id);
      const { current, previous } = webhook.secrets;
      const now = clock.now();
      if (!atOnce && previous !== null && previous.endsAt > now)
        throw new OperatorError(
          `Webhook "${id}" has two secrets already, until ${new Date(previous.endsAt).toISOString()}. Wait until then, or end both at once with --now.`,
        );
      const secret = createWebhookSecret();
      const endsAt = now + bothSignMs;
      const sealed = sealSecret(box, webhook, secret);
      const secrets = { current: sealed, previous: atOnce ? null : { sealed: current, endsAt } };
      const line = audit('webhook.rotated', id, { at_once: atOnce });
      if (!(await store.replaceSecrets(id, current, secrets, line)))
        throw new OperatorError(`Another command has just changed webhook "${id}". Check it, and try again.`);
      return { secret: secretText(secret), previousEndsAt: atOnce ? null : endsAt };
    },

    async enable(id: string): Promise<void> {
      const { webhook } = await genuine(id);
      await checkUrl(webhook.url);
      await store.setState(id, { state: 'active' }, audit('webhook.enabled', id));
    },

    async disable(id: string): Promise<void> {
      await known(id);
      const line = audit('webhook.disabled', id, { because: 'operator' });
      await store.setState(id, { state: 'disabled', because: 'operator' }, line);
    },

    async remove(id: string): Promise<void> {
      if (!(await store.remove(id, audit('webhook.removed', id)))) throw noSuchWebhook(id);
    },

    /** The same messages under the same ids; answers with their number. */
    async replay(id: string, replayed: Replayed): Promise<number> {
      const { webhook } = await genuine(id);
      const now = clock.now();
      const count =
        replayed === 'dead'
          ? await deliveries.reviveDead(id, now)
          : await sendAgain(options, webhook, replayed, now);
      await deliveries.noteReplay(id, audit('webhook.replayed', id, { deliveries: count }));
      return count;
    },

    /** Sends a test message from this process. The webhook says how the service itself fares with it. */
    async test(id: string): Promise<{ readonly sent: Sent; readonly webhook: Webhook }> {
      const { webhook, signers } = await genuine(id);
      const message = testMessage(id, clock.now());
      const headers = headersOf(message, signers, source, clock.now());
      const { send, close } = createSend(egress, clock);
      try {
        const stopping = new AbortController().signal;
        return { sent: await send({ url: webhook.url, headers, body: message.body, stopping }), webhook };
      } finally {
        close();
      }
    },
  };
}

/** Queues past events again, up to the position of the webhook: later ones are still to be sent. */
async function sendAgain(
  { deliveries, events }: WebhooksOptions,
  { id, events: patterns, position }: Webhook,
  { since, to }: Exclude<Replayed, 'dead'>,
  now: number,
): Promise<number> {
  const matches = typeMatcher(patterns);
  const until = Math.min(to ?? position, position);
  const { first } = await events.extent();
  let after = Math.max('position' in since ? since.position - 1 : 0, first - 1);
  let count = 0;
  while (after < until) {
    const found = await events.list({ after, until, owner: null, limit: readAtOnce });
    const again = found.filter(
      ({ type, at }) => matches(type) && ('position' in since || at >= now - since.ms),
    );
    const keyed = again.map((event) => ({ position: event.position, key: orderKey(event) }));
    count += await deliveries.sendAgain(id, keyed, now);
    after = found.length < readAtOnce ? until : (found.at(-1)?.position ?? until);
  }
  return count;
}

function noSuchWebhook(id: string): OperatorError {
  return new OperatorError(`There is no webhook "${id}". "npx vestibule webhook list" shows them.`);
}
