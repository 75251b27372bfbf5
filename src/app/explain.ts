import { ownKeysNow, providerKeysNow } from '../auth/examine/context.ts';
import { type ExaminationParts, type ExaminedIssuer, examineToken } from '../auth/examine/token.ts';
import { introspect } from '../auth/introspection/request.ts';
import { deriveKeyring } from '../auth/keyring.ts';
import { authenticatedMemory, type KeySetMemory } from '../auth/stored-key-set.ts';
import type { VerifiedClaims } from '../base/caller.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import { createLog } from '../base/log.ts';
import { readMasterSecret } from '../config/files.ts';
import { createPseudonymIssuer, type Provider } from '../config/providers.ts';
import { ownIssuer } from '../config/rules.ts';
import { type Config, signingAlgorithms } from '../config/settings.ts';
import { examineAccess, examineCaller } from '../consumer/examine-caller.ts';
import { createRevocationNames } from '../consumer/pseudonym.ts';
import { maxHeaderBytes } from '../http/limits.ts';
import { ClientDirectory, createClientMac } from '../tokens/client-directory.ts';
import { readDeclaredCollections } from './declared-collections.ts';
import { ownRules, rulesOf } from './issuer-rules.ts';
import { readDatabase } from './read-storage.ts';

export type ExplainedToken = Awaited<ReturnType<typeof explainToken>>;

/** What becomes of a token, step by step, by the keys and the database as they are now; and what it may do in each collection. */
export function explainToken(config: Config, token: string, clock: Clock = systemClock) {
  return readDatabase(config, async (opened) => {
    const found: { claims: VerifiedClaims | null } = { claims: null };
    const storage = opened.state === 'ready' ? opened.storage : null;
    const keyring = storage && deriveKeyring(readMasterSecret(config));
    const asExamined = (provider: Provider) => {
      const memory =
        keyring && authenticatedMemory(storage.documents, keyring.providerKeys, provider.jwksUrl);
      return examinedIssuer(config, provider, memory, clock);
    };
    const own: ExaminedIssuer = {
      ...ownRules(config),
      who: 'this service',
      settings: {
        origin: 'BASE_URL',
        issuer: 'BASE_URL',
        audience: 'API_AUDIENCE',
        algorithms: 'TOKEN_SIGNING_ALG',
        requiredScopes: 'the scopes of the client',
        requireAtJwt: 'POST /token',
        maxLifetime: 'TOKEN_TTL_SECONDS',
      },
      async keysNow() {
        if (opened.state === 'unusable') throw new Refusal('storage_unavailable', { detail: opened.detail });
        const keys = (await storage?.signingKeys.list()) ?? [];
        return ownKeysNow(keys, signingAlgorithms, clock.now());
      },
    };
    const callerNow: ExaminationParts['callerNow'] = async (claims) => {
      found.claims = claims;
      if (opened.state === 'unusable') return { unknown: opened.detail, refusal: 'storage_unavailable' };
      if (storage === null || keyring === null)
        return { unknown: 'there is no database of this release yet', refusal: null };
      const { pseudonym: pseudonymKey } = keyring;
      const clients = new ClientDirectory({
        store: storage.clients,
        clientMac: createClientMac(keyring.clients),
        log: createLog('silent'),
      });
      return examineCaller(claims, {
        ...storage,
        clients,
        pseudonymKey,
        names: createRevocationNames(createKeyedDigest(keyring.revocations)),
        pseudonymIssuer: createPseudonymIssuer(config.providers),
        ownIssuer: ownIssuer(config),
        clock,
      });
    };
    const [first, ...others] = config.providers;
    const issuers = [asExamined(first), ...others.map(asExamined), own] as const;
    const asked = config.providers.find(({ introspection }) => introspection !== null);
    const introspection = asked === undefined ? null : opaqueIssuer(asked, asExamined(asked));
    const examined = await examineToken(token, { issuers, introspection, maxHeaderBytes, callerNow, clock });
    const { claims } = found;
    const isRefused = !examined.accepted || claims === null;
    const collections = isRefused ? [] : examineAccess(claims, await readDeclaredCollections(config));
    return { ...examined, collections };
  });
}

/** A provider with its rules. `memory` has its stored keys; null where only the published ones count. */
export function examinedIssuer(
  config: Config,
  provider: Provider,
  memory: Pick<KeySetMemory, 'load'> | null,
  clock: Clock,
): ExaminedIssuer {
  const { jwksUrl: url, algorithms, settings } = provider;
  const { jwksMaxStaleSeconds: maxStaleSeconds } = config;
  return {
    ...rulesOf(provider, config),
    who: config.providers.length === 1 ? 'the provider' : `the provider "${provider.name}"`,
    settings,
    keysNow: () => providerKeysNow({ url, algorithms, maxStaleSeconds, memory, now: clock.now() }),
  };
}

/** The provider that is asked about opaque tokens; null where it is not. */
export function opaqueIssuer({ introspection }: Provider, issuer: ExaminedIssuer) {
  if (introspection === null) return null;
  const { signal } = new AbortController();
  return { issuer, ask: (token: string) => introspect(token, introspection, signal) };
}
