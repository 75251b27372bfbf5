import type { Command } from 'commander';
import { isoTime } from '../base/date-time.ts';
import { OperatorError } from '../base/errors.ts';
import type { Administration } from '../compose/administration.ts';
import type { ListedDelivery, ListedWebhook } from '../compose/lists.ts';
import { integer, type Parse } from '../config/kinds.ts';
import { loadWebhookConfig } from '../config/load.ts';
import type { Replayed } from '../events/webhooks/webhooks.ts';
import { administer } from './database.ts';
import { duration, optionOf } from './options.ts';
import { type Flags, print, printing, table, write } from './output.ts';
import type { CommandSettings } from './settings.ts';

type Webhooks = ReturnType<Administration['webhooks']>;

export function addTo(program: Command, settings: CommandSettings): void {
  const webhook = program.command('webhook').description('the receivers of events');
  const work = async <T>(command: string, task: (webhooks: Webhooks) => Promise<T>) => {
    const config = loadWebhookConfig(await settings.ofDatabase());
    return administer(config, `webhook ${command}`, ({ webhooks }) => task(webhooks(config)));
  };
  const read = async () => {
    const { listWebhooks } = await import('../compose/lists.ts');
    return (await listWebhooks(await settings.ofStorage())).map(asData);
  };

  printing(webhook, 'add <url>', 'send events to a receiver, and print the secret, which is shown only now')
    .requiredOption(
      '--events <types>',
      "the event types to send, for example 'bookings.*,consumer.erased' or '*'",
    )
    .action(async (url: string, options: Flags & { events: string }) => {
      const { id, secret, warnings } = await work('add', (webhooks) => webhooks.add(url, options.events));
      for (const warning of warnings) write(`Warning: ${warning}\n`, process.stderr);
      print(options.json, { webhook_id: id, secret }, () => showSecret(id, secret));
    });

  printing(webhook, 'list', 'list the webhooks and their state, never their secrets').action(
    async (options: Flags) => {
      const webhooks = await read();
      print(options.json, webhooks, () => showWebhooks(webhooks));
    },
  );

  printing(webhook, 'show <id>', 'show a webhook and its state, never its secrets').action(
    async (id: string, options: Flags) => {
      const found = (await read()).find(({ webhook_id: one }) => one === id);
      if (found === undefined) throw noSuchWebhook(id);
      print(options.json, found, () => showWebhook(found));
    },
  );

  printing(webhook, 'rotate <id>', 'create a new secret; the previous one also signs for a day')
    .option('--now', 'end the previous secret at once')
    .action(async (id: string, options: Flags<'now'>) => {
      const { secret, previousEndsAt } = await work('rotate', (webhooks) =>
        webhooks.rotate(id, options.now === true),
      );
      const ends = isoTime(previousEndsAt);
      const data = { webhook_id: id, secret, previous_secret_ends_at: ends };
      print(options.json, data, () => showSecret(id, secret));
    });

  const setState = (name: 'disable' | 'enable', state: string, description: string) =>
    printing(webhook, `${name} <id>`, description).action(async (id: string, options: Flags) => {
      await work(name, (webhooks) => webhooks[name](id));
      print(options.json, { webhook_id: id, state }, () => `Webhook "${id}" is ${state}.`);
    });
  setState('disable', 'disabled', 'stop deliveries to it; events wait in the queue');
  setState('enable', 'active', 'resume deliveries where they stopped');

  printing(webhook, 'remove <id>', 'remove the webhook and its pending deliveries permanently')
    .option('--yes', 'confirm; without it nothing is removed')
    .action(async (id: string, options: Flags<'yes'>) => {
      if (!options.yes)
        throw new OperatorError(
          `This also deletes the pending deliveries of webhook "${id}". Confirm with --yes.`,
        );
      await work('remove', (webhooks) => webhooks.remove(id));
      print(options.json, { webhook_id: id, removed: true }, () => `Webhook "${id}" is removed.`);
    });

  printing(webhook, 'deliveries <id>', 'list pending deliveries and dead letters')
    .option('--dead', 'only dead letters')
    .option('--limit <n>', 'how many deliveries', optionOf(integer(1, 99_999)), 100)
    .action(async (id: string, options: Flags<'dead'> & { limit: number }) => {
      const { listDeliveries } = await import('../compose/lists.ts');
      const state = options.dead ? 'dead' : null;
      const found = await listDeliveries(await settings.ofStorage(), id, state, options.limit);
      if (found === null) throw noSuchWebhook(id);
      const data = found.map(deliveryAsData);
      print(options.json, data, () => showDeliveries(data));
    });

  printing(webhook, 'replay <id>', 'send past deliveries or dead letters again, under the same ids')
    .option('--since <when>', 'events since then: a duration such as 2h, or a position', optionOf(since))
    .option('--to <position>', 'with --since: up to this position', optionOf(position))
    .option('--dead', 'dead letters')
    .action(async (id: string, options: ReplayOptions) => {
      const count = await work('replay', (webhooks) => webhooks.replay(id, replayed(options)));
      print(
        options.json,
        { webhook_id: id, deliveries: count },
        () => `Deliveries that are sent again to webhook "${id}": ${count}.`,
      );
    });

  printing(
    webhook,
    'test <id>',
    'send a test message from this command, with its own settings, and print the result; the running service is not involved',
  ).action(async (id: string, options: Flags) => {
    const { sent, webhook: tested } = await work('test', (webhooks) => webhooks.test(id));
    const reason = sent.ok ? null : sent.reason;
    const { failingSince, lastFailure: failure } = tested;
    const since = isoTime(failingSince);
    const data = { webhook_id: id, ok: sent.ok, status: sent.status, reason, sent_by: 'command' };
    print(options.json, { ...data, service_failing_since: since, service_last_failure: failure }, () =>
      [
        sent.ok
          ? `The receiver of webhook "${id}" accepted the message: status ${sent.status}.`
          : `The receiver of webhook "${id}" did not accept the message: ${reason}. Only a 2xx answer within 15 seconds counts.`,
        'This command sent it with its own settings (WEBHOOK_ALLOW). The running service uses the settings of its start.',
        ...(since === null
          ? []
          : [
              `Deliveries of the service have failed since ${since} (${failure}). If the settings have changed since its start, restart it.`,
            ]),
      ].join('\n'),
    );
    if (!sent.ok) process.exitCode = 1;
  });
}

interface ReplayOptions extends Flags<'dead'> {
  readonly since?: Exclude<Replayed, 'dead'>['since'];
  readonly to?: number;
}

function replayed({ since: from, to, dead }: ReplayOptions): Replayed {
  if (dead && from === undefined && to === undefined) return 'dead';
  if (!dead && from !== undefined) return { since: from, to: to ?? null };
  throw new OperatorError('Choose the deliveries to send again: --dead, or --since with or without --to.');
}

const position = integer(0, 999_999_999_999_999);

const since: Parse<Exclude<Replayed, 'dead'>['since']> = (text) =>
  /^\d+$/.test(text) ? { position: position(text) } : { ms: duration(text) };

function showSecret(id: string, secret: string): string {
  return `webhook_id  ${id}
secret      ${secret}

Give the secret to the receiver now: it cannot be shown again.`;
}

function noSuchWebhook(id: string): OperatorError {
  return new OperatorError(`There is no webhook "${id}". "npx vestibule webhook list" shows them.`);
}

/** A webhook as data, never with its secrets. */
function asData(webhook: ListedWebhook) {
  return {
    webhook_id: webhook.id,
    url: webhook.url,
    events: webhook.events.split(','),
    state: webhook.state,
    disabled_because: webhook.disabledBecause,
    genuine: webhook.isGenuine,
    created_at: isoTime(webhook.createdAt),
    position: webhook.position,
    delivered: webhook.delivered,
    dead: webhook.dead,
    oldest_undelivered_at: isoTime(webhook.oldestAt),
    last_success_at: isoTime(webhook.lastSuccessAt),
    last_failure: webhook.lastFailure,
    failing_since: isoTime(webhook.failingSince),
    disabled_at: isoTime(webhook.disabledAt),
    paused_until: isoTime(webhook.pausedUntil),
    previous_secret_ends_at: isoTime(webhook.secrets.previous?.endsAt ?? null),
  };
}

type WebhookData = ReturnType<typeof asData>;

function showWebhooks(webhooks: readonly WebhookData[]): string {
  if (webhooks.length === 0)
    return "There are no webhooks yet. Add one with: npx vestibule webhook add https://hooks.example.org/ --events 'bookings.*'";
  return table(
    {
      ID: 'webhook_id',
      STATE: ({ genuine, state }) => (genuine ? state : 'NOT GENUINE'),
      EVENTS: 'events',
      DELIVERED: 'delivered',
      DEAD: 'dead',
      'LAST SUCCESS': (webhook) => webhook.last_success_at ?? 'never',
      URL: 'url',
      NOTE: noteOn,
    },
    webhooks,
  );
}

function showWebhook(webhook: WebhookData): string {
  const lines = Object.entries(webhook).map(([name, value]) => [name, String(value ?? '-')]);
  return [...lines.map(([name = '', value]) => `${name.padEnd(23)}  ${value}`), '', noteOn(webhook)]
    .join('\n')
    .trimEnd();
}

function noteOn(webhook: WebhookData): string {
  if (!webhook.genuine) return 'changed without the master secret, and ignored by the service';
  if (webhook.state === 'disabled') return `disabled: ${reasons[webhook.disabled_because ?? 'operator']}`;
  if (webhook.failing_since === null) return '';
  return `failing since ${webhook.failing_since} (${webhook.last_failure}); disabled on ${webhook.disabled_at} unless a delivery succeeds by then`;
}

const reasons = {
  operator: 'by a command',
  gone: 'its receiver answered 410 Gone',
  failing: 'it has failed for five days',
} as const;

function deliveryAsData(delivery: ListedDelivery) {
  const { position, messageId, event, state, attempts, dueAt, triedAt, reason } = delivery;
  return {
    position,
    id: messageId,
    type: event.type,
    state,
    attempts,
    happened_at: isoTime(event.at),
    tried_at: isoTime(triedAt),
    due_at: state === 'dead' ? null : isoTime(dueAt),
    reason,
  };
}

const deliveryColumns = { ID: 'id', TYPE: 'type', STATE: 'state', ATTEMPTS: 'attempts' } as const;

function showDeliveries(deliveries: readonly ReturnType<typeof deliveryAsData>[]): string {
  if (deliveries.length === 0) return 'There are no pending deliveries and no dead letters.';
  return table({ ...deliveryColumns, HAPPENED: 'happened_at', DUE: 'due_at', REASON: 'reason' }, deliveries);
}
