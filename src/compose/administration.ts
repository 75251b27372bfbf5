import { hostname } from 'node:os';
import { deriveKeyring, type Keyring } from '../auth/keyring.ts';
import { faultOfPublicKeys } from '../auth/signed-document.ts';
import { authenticatedMemory } from '../auth/stored-key-set.ts';
import { revocationOf } from '../base/caller.ts';
import { type Clock, clockToleranceSeconds, systemClock } from '../base/clock.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import { storedDeclarations } from '../collections/declaration.ts';
import { parentLinksOf } from '../collections/lineage.ts';
import { readMasterSecret } from '../config/files.ts';
import { ownIssuer } from '../config/rules.ts';
import type { KeyConfig, StorageConfig, WebhookConfig } from '../config/settings.ts';
import { createRevocationNames } from '../consumer/pseudonym.ts';
import { longestTokenLifeSeconds } from '../consumer/sign-out/revoke-session.ts';
import { eventOfErasure } from '../events/catalogue.ts';
import { createEgress } from '../events/webhooks/egress.ts';
import type { Box } from '../events/webhooks/signing.ts';
import { createWebhooks } from '../events/webhooks/webhooks.ts';
import type { AuditEntry, AuditLine } from '../storage/port.ts';
import { createClientMac } from '../tokens/client-directory.ts';
import { createClients } from '../tokens/clients.ts';
import { assertionAlgorithms } from '../tokens/metadata.ts';
import { seal, unseal } from '../tokens/secrets.ts';
import { type KeyRules, rotateSigningKey } from '../tokens/signing-keys.ts';
import { type OpenOptions, openStorage } from './open-storage.ts';

/** The database and its administration, for commands and the service. `actor` is for the audit log. */
export async function openAdministration(
  config: StorageConfig,
  actor: string,
  clock: Clock = systemClock,
  options: OpenOptions = {},
) {
  const keyring: Keyring = deriveKeyring(readMasterSecret(config));
  const clientMac = createClientMac(keyring.clients);
  const { storage, erasureLog } = await openStorage(config, { keyring, clientMac, clock, ...options });
  const node = hostname();
  const audit: AuditLine = (action, subject, details = {}) => {
    return { at: clock.now(), actor, node, action, subject, details };
  };
  const clients = createClients({
    store: storage.clients,
    clientMac,
    secretKey: keyring.clientSecrets,
    audit,
    clock,
    faultOfKeys: (keys) => faultOfPublicKeys(keys, assertionAlgorithms),
  });
  const rotateKey = (keys: KeyConfig, atOnce: boolean) => {
    const { signingKeys: sealingKey } = keyring;
    return rotateSigningKey(
      { ...keyRules(keys), store: storage.signingKeys, sealingKey, audit, clock },
      atOnce,
    );
  };
  const declarations = storedDeclarations(storage.documents, createKeyedDigest(keyring.declarations));
  const webhooks = (service: WebhookConfig) =>
    createWebhooks({
      store: storage.webhooks,
      deliveries: storage.deliveries,
      events: storage.events,
      egress: webhookEgress(service),
      box: webhookBox(keyring),
      source: ownIssuer(service),
      collections: async () => [...(await declarations.load()).keys()],
      audit,
      clock,
    });
  const keySetMemory = (jwksUrl: string) =>
    authenticatedMemory(storage.documents, keyring.providerKeys, jwksUrl);
  const eraseConsumer = async (id: string, line: AuditEntry) => {
    const links = parentLinksOf([...(await declarations.load()).values()]);
    return storage.records.erase(id, line, eventOfErasure(id, clock.now()), undefined, null, links);
  };
  /** Refuses the caller's existing tokens. Returns the latest `iat` that is refused. */
  const signOutConsumer = async (id: string, line: AuditEntry): Promise<number> => {
    // The clock of a provider may be ahead.
    const until = clock.now() + clockToleranceSeconds * 1000;
    const name = createRevocationNames(createKeyedDigest(keyring.revocations)).caller(id);
    const revocation = revocationOf(name, until, longestTokenLifeSeconds * 1000);
    await storage.standing.revoke([{ ...revocation, issuer: null }], { document: null, audit: line });
    return until;
  };
  return {
    storage,
    keyring,
    clientMac,
    erasureLog,
    audit,
    clients,
    eraseConsumer,
    signOutConsumer,
    rotateKey,
    webhooks,
    keySetMemory,
    declarations,
  };
}

export type Administration = Awaited<ReturnType<typeof openAdministration>>;

export function webhookBox({ webhooks: key }: Keyring): Box {
  return {
    seal: (plain, context) => seal(key, plain, context),
    unseal: (sealed, context) => unseal(key, sealed, context),
  };
}

export function webhookEgress(config: WebhookConfig) {
  return createEgress({ allow: config.webhookAllow, ownUrl: ownIssuer(config) });
}

export function keyRules(config: KeyConfig): KeyRules {
  return { algorithm: config.tokenSigningAlg, tokenTtlMs: config.tokenTtlSeconds * 1000 };
}
