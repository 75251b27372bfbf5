import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before } from 'node:test';
import type { ErrorCode } from '../../src/base/errors.ts';
import { TestProvider } from './provider.ts';
import { assertRefused, authFailures } from './refusals.ts';
import { type Reply, request, withToken } from './request.ts';
import { me, newSettings, type Service, type Settings, startService } from './service.ts';

/** How often a token with an unknown `kid` may make the service ask the provider again. */
const coolDownMs = 30_000;

/**
 * A service on SQLite with a provider of its own, that is lied to. Whatever it refuses must be refused in the right
 * form, be counted once, cost the provider nothing, and leave no trace in the database.
 */
export class AttackedService {
  readonly provider: TestProvider;
  readonly service: Service;
  readonly #accepted = new Set<string>();
  readonly #startedAt = performance.now();

  constructor(provider: TestProvider, service: Service) {
    this.provider = provider;
    this.service = service;
  }

  get url(): string {
    return `${this.service.url}${me}`;
  }

  /** The token gets in; what /me says. */
  async accepts(token: string): Promise<Record<string, unknown>> {
    return this.acceptsRequest(() => withToken(this.url, token));
  }

  async acceptsRequest(send: () => Promise<Reply>): Promise<Record<string, unknown>> {
    const reply = await send();
    assert.equal(reply.status, 200, reply.text);
    const body = reply.json();
    if (typeof body.id === 'string') this.#accepted.add(body.id);
    return body;
  }

  refuses(token: string, code: ErrorCode): Promise<Reply> {
    return this.refusesHeader(`Bearer ${token}`, code);
  }

  refusesHeader(authorization: string, code: ErrorCode): Promise<Reply> {
    return this.refusesRequest(() => request(this.url, { headers: { authorization } }), code, authorization);
  }

  /** `sent` is what of the request must not come back. */
  async refusesRequest(send: () => Promise<Reply>, code: ErrorCode, sent: string): Promise<Reply> {
    const fetchesBefore = this.provider.fetches;
    const failuresBefore = authFailures(await this.service.metrics());
    const reply = await send();
    assertRefused(reply, code, sent);
    const expected = { ...failuresBefore, [code]: (failuresBefore[code] ?? 0) + 1 };
    assert.deepEqual(authFailures(await this.service.metrics()), expected);
    const fetches = this.provider.fetches - fetchesBefore;
    // Only the name of an unknown key may be worth a question to the provider; `stop` counts how many it was worth.
    if (code !== 'key_unknown') assert.equal(fetches, 0, 'a refused token costs the provider no request');
    return reply;
  }

  /** One fetch at the start, and one for unknown names of keys in each cool-down. */
  #isWithinFetchBudget(): boolean {
    const coolDowns = 1 + Math.floor((performance.now() - this.#startedAt) / coolDownMs);
    return this.provider.fetches <= 1 + coolDowns;
  }

  /** Stops everything first, so that a failed check leaves no process behind. */
  async stop(): Promise<void> {
    const { exitCode } = this.service.process;
    const isWithinBudget = this.#isWithinFetchBudget();
    try {
      await this.service.stop();
    } finally {
      await this.provider.stop();
    }
    assert.equal(exitCode, null, 'the process ran to the end');
    assert.ok(isWithinBudget, `the keys were fetched ${this.provider.fetches} times`);
    assert.deepEqual(this.#consumers(), [...this.#accepted].sort(), 'only who got in is registered');
  }

  #consumers(): string[] {
    const file = String(this.service.settings.DATABASE_URL).replace(/^sqlite:/, '');
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare('select id from consumers order by id').all();
    database.close();
    return rows.map(({ id }) => String(id));
  }
}

interface Preparation {
  readonly settings?: Settings;
  /** Before the service starts. */
  readonly prepare?: (provider: TestProvider, settings: Settings) => void | Promise<void>;
}

/** One such service for all tests of a suite or file. A good token has got in before the first of them. */
export function attackedService({ settings = {}, prepare }: Preparation = {}): () => AttackedService {
  let attacked: AttackedService;
  let provider: TestProvider;
  before(async () => {
    provider = await TestProvider.start();
    const all = await newSettings('sqlite', { ...provider.settings, ...settings });
    await prepare?.(provider, all);
    attacked = new AttackedService(provider, await startService(all));
    const claims = {
      iss: all.IDP_ISSUER ?? provider.origin,
      scope: all.IDP_REQUIRED_SCOPES?.replaceAll(',', ' '),
    };
    await attacked.accepts(await provider.token(claims, { typ: 'at+jwt' }));
  });
  // Without a service there is still its provider to stop.
  after(() => (attacked ?? provider).stop());
  return () => attacked;
}
