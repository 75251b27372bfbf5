import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { after, before } from 'node:test';
import { type Attack, Attacked } from '../support/http/attacked.ts';
import { leaveUndescribed } from '../support/http/openapi.ts';
import { exchange, parseReply } from '../support/http/raw-http.ts';
import { nodeUnderTest } from '../support/packages/installed-packages.ts';
import type { RuntimeName } from '../support/packages/runtimes.ts';
import { part, surroundings } from '../support/run/surroundings.ts';
import type { Settings } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

export const frameworks = ['node', 'express', 'fastify', 'hono', 'koa'] as const;
export type Framework = (typeof frameworks)[number];

/** Translates settings of the service into options of the verifier. */
function optionsOf(provider: TestProvider, settings: Settings) {
  const { IDP_ISSUER, ALLOWED_ALGORITHMS, IDP_REQUIRED_SCOPES, REQUIRE_AT_JWT, MAX_TOKEN_LIFETIME_SECONDS } =
    settings;
  return {
    issuer: IDP_ISSUER ?? provider.origin,
    jwksUrl: `${provider.origin}/jwks`,
    audience: surroundings().audience,
    realm: 'vestibule',
    resourceMetadata: 'http://127.0.0.1/vestibule/.well-known/oauth-protected-resource',
    ...(ALLOWED_ALGORITHMS && { algorithms: ALLOWED_ALGORITHMS.split(',') }),
    ...(IDP_REQUIRED_SCOPES && { requiredScopes: IDP_REQUIRED_SCOPES.split(',') }),
    ...(REQUIRE_AT_JWT && { requireAtJwt: REQUIRE_AT_JWT === 'true' }),
    ...(MAX_TOKEN_LIFETIME_SECONDS && { maxTokenLifetimeSeconds: Number(MAX_TOKEN_LIFETIME_SECONDS) }),
  };
}

interface Answer {
  readonly id: string;
  readonly port?: number;
  readonly entry?: unknown;
}

/** A server of one framework behind the verifier. It must refuse like the service, at no cost to the provider. */
class AttackedVerifier extends Attacked {
  readonly #entries: readonly unknown[];

  constructor(provider: TestProvider, port: number, entries: readonly unknown[]) {
    super(provider, `http://127.0.0.1:${port}/protected`);
    this.#entries = entries;
    leaveUndescribed(new URL(this.url).origin);
  }

  /** Node or the framework answers malformed bytes itself, possibly without a complete response. */
  async refusesBytes(bytes: string, status: number) {
    const answer = await exchange(this.url, bytes);
    if (answer !== '') assert.equal(parseReply(answer).status, status);
  }

  async written() {
    return JSON.stringify(this.#entries);
  }
}

/** Servers of one framework, all in one process of a project that has installed the package, by default of `nodeUnderTest`. */
export function verifierAttack(framework: Framework, runtime?: RuntimeName): Attack {
  let servers: ChildProcess;
  before(async () => {
    const { folder } = await part('installed');
    const program = runtime ? (await part('runtimes'))[runtime] : { execPath: nodeUnderTest(), execArgv: [] };
    servers = fork(`${folder}/verify-servers.js`, { cwd: folder, ...program });
  });
  after(() => {
    assert.equal(servers.exitCode, null, 'the process ran to the end');
    servers.kill();
  });

  const ask = (message: object, id: string) =>
    new Promise<Answer>((resolve) => {
      const take = (answer: Answer) => {
        if (answer.id !== id || answer.entry !== undefined) return;
        servers.off('message', take);
        resolve(answer);
      };
      servers.on('message', take);
      servers.send({ ...message, id });
    });

  return ({ settings = {}, prepare } = {}) => {
    const id = randomUUID();
    const entries: unknown[] = [];
    let attacked: AttackedVerifier;
    let provider: TestProvider;
    before(async () => {
      provider = await TestProvider.start();
      await prepare?.(provider, settings);
      servers.on('message', (answer: Answer) => answer.id === id && entries.push(answer.entry));
      const { port } = await ask({ framework, options: optionsOf(provider, settings) }, id);
      attacked = new AttackedVerifier(provider, Number(port), entries);
      await attacked.acceptsGoodToken(settings);
    });
    after(async () => {
      const { fetches } = provider;
      await ask({ stop: true }, id);
      await provider.stop();
      // One fetch at the start, and one in thirty seconds for unknown key ids.
      assert.ok(fetches <= 4, `the keys were fetched ${fetches} times`);
    });
    return () => attacked;
  };
}
