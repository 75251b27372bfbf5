import { createAuthenticate, TokenCache } from '../../../src/auth/authenticate.ts';
import { FetchError } from '../../../src/auth/provider-fetch.ts';
import { ProviderKeys } from '../../../src/auth/provider-keys.ts';
import { createVerifier as createVerify } from '../../../src/auth/verifier.ts';
import type { RequestOrigin } from '../../../src/base/caller.ts';
import { Refusal } from '../../../src/base/errors.ts';
import { errorFields, type PlainLog } from '../../../src/base/plain-log.ts';
import { usualScopeClaims } from '../../../src/base/provider-rules.ts';
import { requireScopes } from '../../../src/base/scopes.ts';
import { authorizationOf, expectRequest, type NodeRequest, type RequestLike } from './authorization.ts';
import { type Caller, toCaller } from './caller.ts';
import { keptKeys, nothingKept } from './kept-keys.ts';
import { keysOf } from './key-location.ts';
import { type Needs, readNeeds } from './needs.ts';
import type { LogEntry, VerifierOptions } from './options.ts';
import { readOptions } from './read-options.ts';
import { refused, type Verdict } from './verdict.ts';

export interface Verifier {
  /** The caller of the request, or the refusal to send. Rejects only if an argument is of another kind. */
  verify(request: RequestLike, needs?: Needs): Promise<Verdict>;
  /** The same for adapters: at once when the very same token was verified before. */
  check(request: RequestLike | NodeRequest, needs?: Needs): Verdict | Promise<Verdict>;
  /** Resolves once there are keys to verify with; rejects if the first fetch failed. Waiting for it is optional. */
  ready(): Promise<void>;
  /** For health checks and metrics. */
  status(): VerifierStatus;
  /** Ends all that runs in the background. Whatever is asked from then on is answered with 503. */
  close(): void;
}

export type VerifierStatus = ReturnType<ProviderKeys['status']> & {
  readonly tokens: { readonly remembered: number; readonly hits: number; readonly misses: number };
};

/** The verifier of one provider's tokens. Begins to fetch its keys at once, in the background. */
export function createVerifier(options: VerifierOptions): Verifier {
  if (globalThis.navigator?.userAgent === 'Cloudflare-Workers')
    throw new Error(
      '@vestibule/verify does not run on Cloudflare Workers: it fetches keys between requests, and workerd lets no request wait for a fetch that another one began. Verify tokens on Node.js, Bun or Deno.',
    );
  if (typeof Promise.withResolvers !== 'function')
    throw new Error(`@vestibule/verify needs Node.js 24 or newer, and this is ${process.version}.`);
  const settings = readOptions(options);
  const { issuer, audiences, jwksUrl, algorithms, requireAtJwt, requiredScopes, clock } = settings;
  const { maxLifetimeSeconds, maxStaleSeconds, memory, memorySecret } = settings;
  const log = plainLog(settings.log);
  const ask = keysOf(issuer, jwksUrl);
  const firstTry = Promise.withResolvers<void>();
  let lastDetail = '';
  let isClosed = false;

  const keys = new ProviderKeys({
    ask: (stopping, headers) =>
      ask(stopping, headers).catch((error: unknown) => {
        lastDetail = error instanceof FetchError ? error.message : '';
        throw error;
      }),
    algorithms,
    maxStaleSeconds,
    memory: memory === null ? nothingKept : keptKeys(memory, memorySecret, `${issuer} ${jwksUrl ?? ''}`),
    clock,
    log,
    onFetch: () => firstTry.resolve(),
  });
  const trusted = {
    keys,
    algorithms: new Set<string>(algorithms),
    requireAtJwt,
    claims: {
      issuers: [issuer],
      audiences,
      audienceClaim: 'aud',
      requiredClaims: {},
      allowsNonce: false,
      requiredScopes,
      scopesFrom: usualScopeClaims,
      maxLifetimeSeconds,
      clientsOnly: false,
      // The package checks no proofs, so it refuses bound tokens.
      dpop: 'off' as const,
    },
  };
  const cache = new TokenCache<Caller>({
    verify: createVerify([trusted], clock),
    callerOf: toCaller,
    dataOf: (caller) => caller,
    maxPlaces: settings.cacheEntries,
    clock,
  });
  const authenticate = createAuthenticate(cache, () => {});
  const started = keys.start();

  const admit = (caller: Caller, { scopes }: Needs): Verdict => {
    if (scopes !== undefined) requireScopes(scopes, caller.scopes);
    return { ok: true, caller };
  };
  const refuse = (error: unknown): Verdict => {
    if (error instanceof Refusal) return refused(error, settings);
    log.error(errorFields(error), 'a token could not be verified because of a bug');
    return refused(new Refusal('internal', { cause: error }), settings);
  };
  const check: Verifier['check'] = (request, given) => {
    const needs = readNeeds(given);
    expectRequest(request);
    try {
      if (isClosed) throw new Refusal('shutting_down');
      const token = authenticate(authorizationOf(request), new Origin(request));
      // Recognises a promise by its form, not by its class: a program may have replaced the global Promise, and async
      // functions return Node's own.
      if ('caller' in token) return admit(token.caller, needs);
      return token.then(({ caller }) => admit(caller, needs)).catch(refuse);
    } catch (error) {
      return refuse(error);
    }
  };

  return {
    check,
    async verify(request, needs) {
      return check(request, needs);
    },
    async ready() {
      await started;
      if (!keys.status().usable) await firstTry.promise;
      const { usable, lastFault } = keys.status();
      if (usable && !isClosed) return;
      throw new Error(
        `The keys of ${issuer} are not available yet (${lastFault ?? 'closed'}: ${lastDetail}). The verifier fetches them again by itself; until then it answers requests with 503.`,
      );
    },
    status: () => ({
      ...keys.status(),
      tokens: { remembered: cache.size, hits: cache.hits, misses: cache.misses },
    }),
    close() {
      isClosed = true;
      keys.stop();
      cache.stop();
      firstTry.resolve();
    },
  };
}

/** Addresses take turns in the queue. The verifier does not know the client behind a proxy, so no address is a suspect. */
class Origin implements RequestOrigin {
  readonly #request: Pick<RequestLike, 'socket'>;

  constructor(request: Pick<RequestLike, 'socket'>) {
    this.#request = request;
  }

  get address(): string {
    return this.#request.socket?.remoteAddress ?? '';
  }

  isSuspect(): boolean {
    return false;
  }
}

function plainLog(log: ((entry: LogEntry) => void) | null): PlainLog {
  const at = (level: LogEntry['level']) => (fields: object, message: string) =>
    log?.({ ...fields, level, message });
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
