import { createCheckAgain, createCheckStanding, TokenCache, tokenCachePlaces } from '../auth/authenticate.ts';
import { createPossession, createUseProof, SeenProofs } from '../auth/dpop/possession.ts';
import { createNonces, createProofCheck } from '../auth/dpop/proof.ts';
import { proofAlgorithms } from '../auth/dpop/proof-keys.ts';
import { fetchDocument } from '../auth/provider-fetch.ts';
import { ProviderKeys } from '../auth/provider-keys.ts';
import { SignatureQueue } from '../auth/signature-queue.ts';
import type { authenticatedMemory } from '../auth/stored-key-set.ts';
import { createVerifier } from '../auth/verifier.ts';
import { tokenPath } from '../base/addresses.ts';
import type { Caller } from '../base/caller.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import { createPseudonymIssuer } from '../config/providers.ts';
import { createNameCaller, createRevocationNames } from '../consumer/pseudonym.ts';
import { Registry } from '../consumer/registry.ts';
import { Standing } from '../consumer/standing.ts';
import type { WriteQueue } from '../records/write-queue.ts';
import type { ClientMac, WatchedTable } from '../storage/port.ts';
import { ClientDirectory } from '../tokens/client-directory.ts';
import type { ProveKey } from '../tokens/issue.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import type { BaseParts } from './base-parts.ts';
import { ownRules, rulesOf } from './issuer-rules.ts';

interface CallerOptions {
  readonly signingKeys: SigningKeys;
  readonly keySetMemory: (jwksUrl: string) => ReturnType<typeof authenticatedMemory>;
  readonly clientMac: ClientMac;
  readonly writes: WriteQueue;
  /** Called when the database has changed data that is cached in memory; called again if it rejects. */
  readonly onChange: (changed: ReadonlySet<WatchedTable>) => Promise<void>;
}

export type Callers = ReturnType<typeof createCallers>;

export function createCallers(base: BaseParts, options: CallerOptions) {
  const { config, issuer, storage, keyring, metrics, tracing, clock, time, log } = base;
  const { signingKeys, keySetMemory, clientMac, writes, onChange } = options;
  const providers = config.providers.map((provider) => {
    const { name, jwksUrl, algorithms } = provider;
    const keys = new ProviderKeys({
      ask: (stopping, headers) => fetchDocument(jwksUrl, stopping, headers),
      algorithms,
      maxStaleSeconds: config.jwksMaxStaleSeconds,
      memory: keySetMemory(jwksUrl),
      clock,
      log: log.child({ provider: name }),
      onFetch: (fault) => metrics.countKeyFetch(name, fault),
      tracing,
    });
    return { name, provider, rules: rulesOf(provider, config), keys };
  });
  const own = { ...ownRules(config), keys: signingKeys };
  const issuers = [...providers.map(({ rules, keys }) => ({ ...rules, keys })), own];
  // One queue for all signatures, so that a flood of one kind does not starve the others.
  const signatures = new SignatureQueue();
  const verify = createVerifier(issuers, clock, signatures);
  const names = createRevocationNames(createKeyedDigest(keyring.revocations));
  const pseudonymIssuer = createPseudonymIssuer(config.providers);
  const nameCaller = createNameCaller(keyring.pseudonym, names, pseudonymIssuer);
  const tokenCache = new TokenCache<Caller>({
    verify,
    callerOf: ({ claims }, known) => nameCaller(claims, known),
    dataOf: ({ subject, scopes }) => [subject, scopes],
    maxPlaces: tokenCachePlaces,
    clock,
  });
  const registry = new Registry({ store: storage.consumers, writes, clock });
  const clientDirectory = new ClientDirectory({ store: storage.clients, clientMac, log });
  const standing = new Standing({
    store: storage.standing,
    names,
    clients: clientDirectory,
    ownIssuer: issuer,
    onChange(changed) {
      if (changed.has('consumers')) registry.forget();
      return onChange(changed);
    },
    clock,
    time,
    log,
  });
  const checkStanding = createCheckStanding(standing);
  const dpop = createDpop(base, signatures);
  return {
    providers,
    own,
    pseudonymIssuer,
    signatures,
    names,
    tokenCache,
    registry,
    clientDirectory,
    standing,
    checkStanding,
    checkAgain: createCheckAgain(checkStanding, clock),
    dpop,
  };
}

/** Tokens bound to a key (RFC 9449), and proofs at POST /token. Null if DPoP is off. */
export function createDpop({ config, issuer, keyring, clock }: BaseParts, signatures: SignatureQueue) {
  const { policy, nonce } = config.dpop;
  if (policy === 'off') return null;
  const now = () => clock.now();
  const nonces = nonce ? createNonces(keyring.proofNonces, now) : null;
  const checkProof = createProofCheck({ signatures, nonces, now });
  const useProof = createUseProof(keyring.proofs, new SeenProofs(clock));
  const isRequired = policy === 'required';
  const proveKey: ProveKey = async (input, origin) => {
    const header = input.header('dpop');
    if (header === undefined && !isRequired) return null;
    const request = { method: 'POST', uri: `${issuer}${tokenPath}`, tokenDigest: null, thumbprint: null };
    const proof = await checkProof(header, request, origin);
    useProof(proof);
    return proof.thumbprint;
  };
  return {
    provePossession: createPossession(checkProof, useProof, issuer),
    proveKey,
    terms: { algorithms: proofAlgorithms, isRequired, nonce: nonces && (() => nonces.current()) },
  };
}
