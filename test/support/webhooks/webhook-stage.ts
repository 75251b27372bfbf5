import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { succeeded } from '../commands/outcome.ts';
import { plainSql } from '../databases/plain-sql.ts';
import type { ApiCaller } from '../http/api-caller.ts';
import { until } from '../run/polling.ts';
import { sampleDeclarations } from '../services/declarations.ts';
import { type Deployment, deployment } from '../services/deployment.ts';
import { type DatabaseEngine, runVestibule, type Settings } from '../services/service.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

export interface ShownWebhook {
  readonly webhook_id: string;
  readonly state: string;
  readonly disabled_because: string | null;
  readonly delivered: number;
  readonly dead: number;
  readonly position: number;
  readonly last_success_at: string | null;
  readonly last_failure: string | null;
  readonly failing_since: string | null;
  readonly disabled_at: string | null;
  readonly paused_until: string | null;
  readonly [more: string]: unknown;
}

export interface ShownDelivery {
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: number;
  readonly due_at: string | null;
  readonly reason: string | null;
}

export async function webhookCommand<T>(settings: Settings, ...parameters: string[]): Promise<T> {
  return JSON.parse(succeeded(await runVestibule(settings, 'webhook', ...parameters, '--json')));
}

/** Services that may send to this machine, and the receivers they send to. */
export class WebhookStage {
  readonly declared: Deployment;
  readonly receivers: WebhookReceiver[] = [];

  constructor(declared: Deployment) {
    this.declared = declared;
  }

  get settings(): Settings {
    return this.declared.settings;
  }

  command<T>(...parameters: string[]): Promise<T> {
    return webhookCommand(this.settings, ...parameters);
  }

  async receiver(): Promise<WebhookReceiver> {
    const receiver = await WebhookReceiver.start();
    this.receivers.push(receiver);
    return receiver;
  }

  async webhook(events = 'notes.*') {
    const receiver = await this.receiver();
    const added = await this.add(receiver.url, events);
    return { receiver, ...added };
  }

  async add(url: string, events = 'notes.*') {
    const added = await this.command<{ webhook_id: string; secret: string }>('add', url, '--events', events);
    return { id: added.webhook_id, secret: added.secret };
  }

  show(id: string): Promise<ShownWebhook> {
    return this.command('show', id);
  }

  deliveries(id: string, ...options: string[]): Promise<ShownDelivery[]> {
    return this.command('deliveries', id, ...options);
  }

  shows(id: string, willDo: (webhook: ShownWebhook) => boolean, what: string): Promise<ShownWebhook> {
    return until(() => this.show(id), willDo, what);
  }

  /** Time passes, a little less than what leases last at a time, as it does for a process that runs. */
  async pass(milliseconds: number): Promise<void> {
    await this.declared.advance(milliseconds);
  }

  /** Time passes for the background lease, which goes by the clock of the database. */
  async ageLease(milliseconds: number): Promise<void> {
    await plainSql(this.settings).query(`update leases set ends_at = ends_at - ${milliseconds}`);
  }

  person(): Promise<ApiCaller> {
    return this.declared.person();
  }

  async notes(count: number, by?: ApiCaller): Promise<string[]> {
    const caller = by ?? (await this.person());
    const ids: string[] = [];
    for (let made = 0; made < count; made += 1)
      ids.push((await caller.make('notes', { text: `note ${made}` })).record.id);
    return ids;
  }

  async stop(): Promise<void> {
    for (const receiver of this.receivers) await receiver.stop();
  }
}

export function webhookStage(
  engine: DatabaseEngine,
  count = 1,
  overrides: Settings = {},
): () => WebhookStage {
  const { notes, bookings, posts } = sampleDeclarations;
  const declared = deployment({
    engine,
    processes: count,
    declarations: { notes, bookings, posts },
    settings: { WEBHOOK_ALLOW: 'loopback', ...overrides },
  });
  let stage: WebhookStage | undefined;
  before(() => {
    stage = new WebhookStage(declared());
  });
  after(() => stage?.stop());
  return () => stage ?? assert.fail('not started yet');
}
