import { createCheckStanding } from '../auth/authenticate.ts';
import { deriveKeyring, type Keyring } from '../auth/keyring.ts';
import { authenticatedMemory, type KeySetMemory } from '../auth/stored-key-set.ts';
import type { VerifiedClaims } from '../base/caller.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import { createLog } from '../base/log.ts';
import { writeScopes } from '../base/scopes.ts';
import type { Collection } from '../collections/collection.ts';
import { readDeclaredCollections } from '../compose/declared-collections.ts';
import { ownRules, rulesOf } from '../compose/issuer-rules.ts';
import { readDatabase } from '../compose/read-storage.ts';
import { readMasterSecret } from '../config/files.ts';
import { createPseudonymIssuer, type Provider } from '../config/providers.ts';
import { ownIssuer } from '../config/rules.ts';
import type { Config } from '../config/settings.ts';
import { createNameCaller, createRevocationNames } from '../consumer/pseudonym.ts';
import { Standing } from '../consumer/standing.ts';
import { CallerAccess } from '../records/caller-access.ts';
import type { Storage } from '../storage/port.ts';
import { ClientDirectory, createClientMac } from '../tokens/client-directory.ts';
import { type ExaminedIssuer, ownKeysNow, providerKeysNow } from './examine/context.ts';
import { type ExaminationParts, examineToken } from './examine/token.ts';

export type ExplainedToken = Awaited<ReturnType<typeof explainToken>>;

/** Explains a token step by step with the current keys and database, and what it may do in each collection. */
export function explainToken(config: Config, token: string, clock: Clock = systemClock) {
  return readDatabase(config, async (opened) => {
    let claims: VerifiedClaims | null = null;
    const storage = opened.state === 'ready' ? opened.storage : null;
    const keyring = storage && deriveKeyring(readMasterSecret(config));
    const unavailable = opened.state === 'unusable' ? new Refusal('storage_unavailable', opened) : null;
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
        if (unavailable !== null) throw unavailable;
        const keys = (await storage?.signingKeys.list()) ?? [];
        return ownKeysNow(keys, clock.now());
      },
    };
    const callerNow: ExaminationParts['callerNow'] = async (verified) => {
      claims = verified;
      if (storage !== null && keyring !== null)
        return examineCaller(config, storage, keyring, clock, verified);
      const found = unavailable?.options.detail ?? 'there is no database of this release yet';
      return { found, isKnown: false, pseudonym: null, refusal: unavailable };
    };
    const [first, ...others] = config.providers;
    const issuers = [asExamined(first), ...others.map(asExamined), own] as const;
    const examined = await examineToken(token, { issuers, callerNow, clock });
    const collections =
      examined.accepted && claims !== null
        ? examineAccess(claims, await readDeclaredCollections(config))
        : [];
    return { ...examined, collections };
  });
}

/** The provider as an issuer for the examination of a token. With `memory`, stored keys are used if none can be fetched. */
export function examinedIssuer(
  config: Config,
  provider: Provider,
  memory: Pick<KeySetMemory, 'load'> | null,
  clock: Clock,
): ExaminedIssuer {
  const { jwksUrl, algorithms, settings } = provider;
  return {
    ...rulesOf(provider, config),
    who: config.providers.length === 1 ? 'the provider' : `the provider "${provider.name}"`,
    settings,
    async keysNow() {
      const stored = (await memory?.load()) ?? null;
      return providerKeysNow(jwksUrl, algorithms, stored, config.jwksMaxStaleSeconds, clock.now());
    },
  };
}

/** The stored state of a caller, and the refusal if it is shut out. Registers nothing. */
async function examineCaller(
  config: Config,
  storage: Storage,
  keyring: Keyring,
  clock: Clock,
  claims: VerifiedClaims,
) {
  const names = createRevocationNames(createKeyedDigest(keyring.revocations));
  const nameCaller = createNameCaller(keyring.pseudonym, names, createPseudonymIssuer(config.providers));
  const caller = nameCaller(claims);
  // The token was verified just now, so its keys need no check.
  const token = { caller, ...claims.times, tokenId: claims.tokenId, keys: { generation: 0 }, generation: 0 };
  const log = createLog('silent');
  const standing = new Standing({
    store: { ...storage.standing, watch: async () => async () => {} },
    names,
    clients: new ClientDirectory({
      store: storage.clients,
      clientMac: createClientMac(keyring.clients),
      log,
    }),
    ownIssuer: ownIssuer(config),
    onChange: async () => {},
    clock,
    time: clock,
    log,
  });
  await standing.start();
  let refusal: Refusal | null = null;
  try {
    await createCheckStanding(standing)(token);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refusal = error;
  } finally {
    await standing.stop();
  }
  return { found: await knownSince(storage, caller.id), isKnown: true, pseudonym: caller.id, refusal };
}

async function knownSince({ consumers }: Storage, pseudonym: string | null): Promise<string> {
  if (pseudonym === null) return 'the token names no caller, so nothing is stored';
  const consumer = await consumers.find(pseudonym);
  if (consumer === null) return 'unknown: the first request registers it';
  return `registered since ${new Date(consumer.registeredAt).toISOString()}`;
}

/** The read and write access of the caller in each collection, by the checks of the service. */
function examineAccess(
  { subject, kind, scopes, credentialId }: VerifiedClaims,
  collections: readonly Collection[],
) {
  const bearer = { id: subject, kind, scopes, credentialId };
  /** `code` and `scope` give the reason of a refusal. */
  const accessTo = (collection: Collection, purpose: 'read' | 'write') => {
    try {
      const access = CallerAccess.admit([collection], bearer, purpose);
      const isForAll = purpose === 'read' ? access.listsEverybodys : access.reachesAll;
      return { allowed: true, records: isForAll ? 'all' : 'own', code: null, scope: null };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const scope = error.options.scope === undefined ? null : writeScopes(error.options.scope);
      return { allowed: false, records: null, code: error.code, scope };
    }
  };
  return collections.map((collection) => ({
    name: collection.name,
    read: accessTo(collection, 'read'),
    write: accessTo(collection, 'write'),
  }));
}
