import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before } from 'node:test';
import type { ErrorCode } from '../../src/base/errors.ts';
import { Attacked, type Preparation } from '../support/http/attacked.ts';
import { rawReply } from '../support/http/raw-http.ts';
import { authFailures } from '../support/http/refusals.ts';
import type { Reply } from '../support/http/request.ts';
import { Deployment } from '../support/services/deployment.ts';
import { fileOf, me, type Service } from '../support/services/service.ts';

/** How often a token with an unknown `kid` may cause another request to the provider. */
const coolDownMs = 30_000;

/**
 * A service on SQLite under attack, with its own provider. Everything it refuses must be refused in the right
 * form, be counted once, cost the provider nothing, and leave no trace in the database.
 */
export class AttackedService extends Attacked {
  readonly service: Service;
  readonly #deployment: Deployment;
  readonly #accepted = new Set<string>();
  readonly #startedAt: number;

  /** `startedAt`: before the service was started, which fetches the keys at once. */
  constructor(deployment: Deployment, startedAt: number) {
    const { provider, service } = deployment;
    super(provider, `${service.url}${me}`);
    this.#deployment = deployment;
    this.service = service;
    this.#startedAt = startedAt;
  }

  override async acceptsRequest(send: () => Promise<Reply>): Promise<Record<string, unknown>> {
    const body = await super.acceptsRequest(send);
    if (typeof body.id === 'string') this.#accepted.add(body.id);
    return body;
  }

  override async refusesRequest(send: () => Promise<Reply>, code: ErrorCode, sent: string): Promise<Reply> {
    const failuresBefore = authFailures(await this.service.metrics());
    const reply = await super.refusesRequest(send, code, sent);
    const expected = { ...failuresBefore, [code]: (failuresBefore[code] ?? 0) + 1 };
    assert.deepEqual(authFailures(await this.service.metrics()), expected);
    return reply;
  }

  async refusesBytes(bytes: string, status: number, code: ErrorCode): Promise<void> {
    const reply = await rawReply(this.url, bytes);
    assert.equal(reply.status, status);
    assert.equal(reply.headers.get('content-type'), 'application/problem+json');
    assert.equal(reply.json().code, code);
  }

  /** Its log, above all. */
  async written(): Promise<string> {
    const directory = String(this.service.settings.TEST_DIRECTORY);
    const files = readdirSync(directory);
    assert.ok(files.some((file) => file.endsWith('.log')));
    return files.map((file) => readFileSync(`${directory}/${file}`, 'latin1')).join('\n');
  }

  /** One fetch at the start, one more if its answer came too late on a busy machine, and one in each cool-down. */
  #isWithinFetchBudget(): boolean {
    const coolDowns = 1 + Math.floor((performance.now() - this.#startedAt) / coolDownMs);
    return this.provider.fetches <= 2 + coolDowns;
  }

  /** Stops everything first, so that a failed check leaves no process behind. */
  async stop(): Promise<void> {
    const isWithinBudget = this.#isWithinFetchBudget();
    await this.#deployment.stop();
    assert.ok(isWithinBudget, `the keys were fetched ${this.provider.fetches} times`);
    assert.deepEqual(this.#consumers(), [...this.#accepted].sort(), 'only who got in is registered');
  }

  #consumers(): string[] {
    const database = new DatabaseSync(fileOf(this.service.settings), { readOnly: true });
    const rows = database.prepare('select id from consumers order by id').all();
    database.close();
    return rows.map(({ id }) => String(id));
  }
}

/** One such service for all tests of a suite or file. It has accepted a valid token before the first of them. */
export function attackedService({ settings = {}, prepare }: Preparation = {}): () => AttackedService {
  let attacked: AttackedService | undefined;
  before(async () => {
    const startedAt = performance.now();
    const deployment = await Deployment.start({
      settings,
      prepare: (all, provider) => prepare?.(provider, all),
    });
    attacked = new AttackedService(deployment, startedAt);
    await attacked.acceptsGoodToken(deployment.settings);
  });
  after(() => attacked?.stop());
  return () => attacked ?? assert.fail('The service has not started.');
}
