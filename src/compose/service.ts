import { createAuthenticate } from '../auth/authenticate.ts';
import { signedDocumentOpener } from '../auth/signed-document.ts';
import { resourceMetadataPath, tokenPath } from '../base/addresses.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import type { Collection } from '../collections/collection.ts';
import type { Config } from '../config/settings.ts';
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

interface Answering {
  readonly settings: ServiceSettings;
  readonly collections: readonly Collection[];
  readonly names: PeopleNames;
  readonly collectionsMayChange: boolean;
  readonly writes: WriteQueue;
  readonly signingKeys: SigningKeys;
  readonly callers: Callers;
  readonly events: ReturnType<typeof createEventParts>;
  readonly signOut: ReturnType<typeof createSignOut>;
  readonly frontend: ServiceParts['frontend'];
  readonly tls: ServerParts['tls'];
  readonly limits: ServerParts['limits'];
}

/** The settings that say what is answered, and how often. */
type ServiceSettings = Pick<
  Config,
  | 'providers'
  | 'apiAudience'
  | 'dpop'
  | 'trustedProxies'
  | 'corsOrigins'
  | 'refusalsPerMinute'
  | 'readsPerMinute'
  | 'tokenTtlSeconds'
>;

export function createService(base: BaseParts, answering: Answering): HttpServer {
  const { issuer, metrics, tracing, clock, log } = base;
  const { settings, callers, tls, limits } = answering;
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
    trustedProxies: settings.trustedProxies,
    corsOrigins: settings.corsOrigins,
    refusals: new RefusalLimit(settings.refusalsPerMinute, clock),
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
  const { issuer, storage, keyring, clock } = base;
  const {
    settings,
    collections,
    names,
    collectionsMayChange,
    writes,
    signingKeys,
    callers,
    events,
    signOut,
    frontend,
  } = answering;
  const { registry, tokenCache, dpop } = callers;
  const store = storage.records;
  const reads = new ReadLimit(settings.readsPerMinute, clock);
  const digest = createKeyedDigest(keyring.records);
  return serviceRoutes({
    issuer,
    protectedResource: {
      resource: issuer,
      issuers: [...settings.providers.map(({ issuers }) => issuers[0]), issuer],
      scopes: [...new Set(settings.providers.flatMap(({ requiredScopes }) => requiredScopes))],
      dpop: dpop?.terms ?? null,
    },
    tokens: { dpop: settings.dpop.policy, nonce: settings.dpop.nonce },
    signingKeys,
    collections,
    collectionsMayChange,
    events: { ...events.forCallers, reads },
    records: {
      store,
      reads,
      tail: events.forCallers.tail,
      attempts: new ReadLimit(settings.readsPerMinute, clock),
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
    signOut,
    frontend,
    ...createTokenEndpoint(base, settings, callers, signingKeys),
  });
}

/** The parts of `POST /token`, and of `POST /revoke` as far as clients are concerned. */
export function createTokenEndpoint(
  base: BaseParts,
  settings: Pick<ServiceSettings, 'refusalsPerMinute' | 'tokenTtlSeconds' | 'apiAudience'>,
  { clientDirectory: directory, signatures, dpop }: Pick<Callers, 'clientDirectory' | 'signatures' | 'dpop'>,
  keys: SigningKeys,
) {
  const { issuer, storage, keyring, clock, time, log } = base;
  const ttlSeconds = settings.tokenTtlSeconds;
  const signing = createSigningLimit(clock);
  const throttle = new Throttle(Math.ceil(settings.refusalsPerMinute / refusalsPerFailure), clock);
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
    mint: createMint({ issuer, audience: settings.apiAudience, ttlSeconds, keys, limit: signing, clock }),
  };
}
