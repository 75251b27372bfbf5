import { createAuthenticate } from '../auth/authenticate.ts';
import { signedDocumentOpener } from '../auth/signed-document.ts';
import { resourceMetadataPath, tokenPath } from '../base/addresses.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import { exportsPerCaller } from '../consumer/export.ts';
import { StreamLimit } from '../events/stream-limit.ts';
import { RefusalLimit } from '../http/refusal-limit.ts';
import { type ServiceParts, serviceRoutes } from '../http/routes.ts';
import { createServer, type HttpServer, type ServerParts } from '../http/server.ts';
import { createObserve } from '../ops/observe-requests.ts';
import { RepeatedWarnings } from '../ops/repeated-warnings.ts';
import type { PeopleNames } from '../records/people-names.ts';
import { ReadLimit } from '../records/requests/read-limit.ts';
import type { WriteQueue } from '../records/write-queue.ts';
import { createCheckAssertion } from '../tokens/assertion.ts';
import { assertionAlgorithms } from '../tokens/metadata.ts';
import { createMint, createSigningLimit } from '../tokens/mint.ts';
import { createRecogniseClient } from '../tokens/recognise-client.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import { refusalsPerFailure, Throttle } from '../tokens/throttle.ts';
import type { BaseParts } from './base-parts.ts';
import type { Callers } from './callers.ts';
import type { createEventParts } from './events.ts';
import type { createSignOut } from './sign-out.ts';

interface Answering
  extends Pick<ServiceParts, 'collections' | 'collectionsMayChange' | 'frontend'>,
    Pick<ServerParts, 'tls' | 'limits'> {
  readonly names: PeopleNames;
  readonly writes: WriteQueue;
  readonly signingKeys: SigningKeys;
  readonly callers: Callers;
  readonly events: ReturnType<typeof createEventParts>;
  readonly signOut: ReturnType<typeof createSignOut>;
}

export function createService(base: BaseParts, answering: Answering): HttpServer {
  const { config, issuer, metrics, tracing, clock, log } = base;
  const { callers, tls, limits } = answering;
  const warnings = new RepeatedWarnings(log, clock);
  return createServer({
    limits,
    tls,
    tracing,
    authenticate: createAuthenticate(
      callers.tokenCache,
      callers.checkStanding,
      callers.dpop?.provePossession,
    ),
    checkAgain: callers.checkAgain,
    dpop: callers.dpop?.terms ?? null,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    refusals: new RefusalLimit(config.refusalsPerMinute, clock),
    onRefusedConnection(reason) {
      metrics.countRefusedConnection(reason);
      warnings.warn({ reason }, 'connections', 'connections refused: too many are open');
    },
    observe: createObserve(log, metrics, warnings),
    resourceMetadata: `${issuer}${resourceMetadataPath}`,
    routes: routesOf(base, answering),
  });
}

/** Attempts per caller. A code has 128 random bits, so more attempts would not find one either. */
const wrongCodesPerMinute = 10;

function routesOf(base: BaseParts, answering: Answering) {
  const { config, issuer, storage, keyring, clock } = base;
  const { names, writes, signingKeys, callers, events } = answering;
  const { registry, tokenCache, dpop } = callers;
  const store = storage.records;
  const reads = new ReadLimit(config.readsPerMinute, clock);
  const digest = createKeyedDigest(keyring.records);
  return serviceRoutes({
    ...answering,
    issuer,
    protectedResource: {
      resource: issuer,
      issuers: [...config.providers.map(({ issuers }) => issuers[0]), issuer],
      scopes: [...new Set(config.providers.flatMap(({ requiredScopes }) => requiredScopes))],
      dpop: dpop?.terms ?? null,
    },
    tokens: { dpop: config.dpop.policy, nonce: config.dpop.nonce },
    events: { ...events.forCallers, reads },
    records: {
      store,
      reads,
      tail: events.forCallers.tail,
      attempts: new ReadLimit(config.readsPerMinute, clock),
      digest,
      names,
      guesses: new ReadLimit(wrongCodesPerMinute, clock),
      writes,
      clock,
    },
    consumer: {
      store,
      registry,
      reads,
      erasures: new ReadLimit(10, clock),
      exports: new StreamLimit(exportsPerCaller),
      forgetTokensOf: (owner) => tokenCache.forget(({ id }) => id === owner),
      digest,
      clock,
    },
    ...createTokenEndpoint(base, callers, signingKeys),
  });
}

/** The parts of `POST /token`, and of `POST /revoke` as far as clients are concerned. */
export function createTokenEndpoint(
  base: BaseParts,
  { clientDirectory: directory, signatures, dpop }: Pick<Callers, 'clientDirectory' | 'signatures' | 'dpop'>,
  keys: SigningKeys,
) {
  const { config, issuer, storage, keyring, clock, time, log } = base;
  const ttlSeconds = config.tokenTtlSeconds;
  const signing = createSigningLimit(clock);
  const throttle = new Throttle(Math.ceil(config.refusalsPerMinute / refusalsPerFailure), clock);
  const recognise = createRecogniseClient({
    directory,
    store: storage.clients,
    secretKey: keyring.clientSecrets,
    checkAssertion: createCheckAssertion({
      openSigned: signedDocumentOpener(assertionAlgorithms, signatures),
      store: storage.assertions,
      audiences: [issuer, `${issuer}${tokenPath}`],
      clock,
      time,
    }),
    throttle,
    clock,
    log,
  });
  return {
    recognise,
    throttle,
    ttlSeconds,
    signing,
    proveKey: dpop?.proveKey ?? null,
    mint: createMint({ issuer, audience: config.apiAudience, ttlSeconds, keys, limit: signing, clock }),
  };
}
