import { createAuthenticate } from '../auth/authenticate.ts';
import { resourceMetadataPath } from '../base/addresses.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import type { Collection } from '../collections/collection.ts';
import { isBehindProxy, ownIssuer } from '../config/rules.ts';
import { addressFinder } from '../http/client-address.ts';
import { createObserve } from '../http/observe.ts';
import { createReceive } from '../http/receive.ts';
import { RefusalLimit } from '../http/refusal-limit.ts';
import { createCountRefused } from '../http/refused-connections.ts';
import { type ServiceParts, serviceRoutes } from '../http/routes.ts';
import { createServer, type HttpServer, type ServerParts } from '../http/server.ts';
import { createTransportCheck } from '../http/transport.ts';
import { OutageLog } from '../ops/outage-log.ts';
import { ReadLimit } from '../records/requests/read-limit.ts';
import type { WriteQueue } from '../records/write-queue.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import type { BaseParts } from './base-parts.ts';
import type { Callers } from './callers.ts';
import type { createEventParts } from './events.ts';
import type { createSignOut } from './sign-out.ts';
import { createTokenEndpoint } from './token-endpoint.ts';

interface Answering {
  readonly collections: readonly Collection[];
  readonly collectionsMayChange: boolean;
  readonly writes: WriteQueue;
  readonly signingKeys: SigningKeys;
  readonly callers: Callers;
  readonly events: ReturnType<typeof createEventParts>;
  readonly signOut: ReturnType<typeof createSignOut>;
  readonly frontend: ServiceParts['frontend'];
  readonly isClosing: () => boolean;
  readonly tls: ServerParts['tls'];
  /** What the ops port has as well. */
  readonly shared: Pick<ServerParts, 'limits' | 'requestId' | 'isProxy'>;
}

/** The server that callers talk to, with everything it answers to. */
export function createService(base: BaseParts, answering: Answering): HttpServer {
  const { config, metrics, tracing, clock, log } = base;
  const { callers, isClosing, tls, shared } = answering;
  return createServer({
    ...shared,
    tls,
    tracing,
    https: tls !== null || isBehindProxy(config),
    authenticate: createAuthenticate(callers.tokenCache, callers.checkStanding, callers.dpop?.possession),
    checkStillIn: callers.checkStillIn,
    dpop: callers.dpop?.terms ?? null,
    addressOf: addressFinder(config.trustedProxies),
    corsOrigins: config.corsOrigins,
    refusals: new RefusalLimit(config.refusalsPerMinute, clock),
    receive: createReceive(isClosing, createTransportCheck(config.trustedProxies)),
    isClosing,
    onRefusedConnection: createCountRefused({ metrics, clock, log }),
    observe: createObserve(log, metrics, new OutageLog(log, clock)),
    resourceMetadata: `${ownIssuer(config)}${resourceMetadataPath}`,
    routes: routesOf(base, answering),
  });
}

function routesOf(base: BaseParts, answering: Answering) {
  const { config, storage, keyring, clock } = base;
  const { collections, collectionsMayChange, writes, signingKeys, callers, events, signOut, frontend } =
    answering;
  const { registry, tokenCache, dpop } = callers;
  const issuer = ownIssuer(config);
  const reads = new ReadLimit(config.readsPerMinute, clock);
  return serviceRoutes({
    issuer,
    protectedResource: {
      resource: issuer,
      issuers: [...config.providers.map(({ issuers }) => issuers[0]), issuer],
      scopes: [...new Set(config.providers.flatMap(({ requiredScopes }) => requiredScopes))],
      dpop: dpop?.terms ?? null,
    },
    tokens: {
      dpop: config.dpop.policy,
      nonce: config.dpop.nonce,
    },
    signingKeys,
    collections,
    collectionsMayChange,
    events: { ...events.forCallers, reads },
    records: {
      store: storage.records,
      registry,
      reads,
      position: () => events.last,
      attempts: new ReadLimit(config.readsPerMinute, clock),
      erasures: new ReadLimit(10, clock),
      forgetTokensOf: (owner) => tokenCache.forget(({ id }) => id === owner),
      digest: createKeyedDigest(keyring.records),
      writes,
      clock,
    },
    signOut,
    frontend,
    ...createTokenEndpoint(base, callers, signingKeys),
  });
}
