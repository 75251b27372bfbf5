import { readDeclaredCollections } from './administration.ts';
import { ownKeysNow, providerKeysNow } from './auth/examine/key.ts';
import { examineProvider } from './auth/examine/provider.ts';
import {
  type Examination,
  type ExaminationParts,
  type ExaminedIssuer,
  examineToken,
} from './auth/examine/token.ts';
import { deriveKeyring, type Keyring } from './auth/keyring.ts';
import { masterSecretFits, otherMasterSecret } from './auth/master-secret.ts';
import { authenticatedMemory } from './auth/stored-key-set.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { OperatorError } from './base/errors.ts';
import { createLog } from './base/log.ts';
import { readMasterSecret } from './config/files.ts';
import { ownIssuer } from './config/rules.ts';
import { type Config, type StorageConfig, signingAlgorithms } from './config/settings.ts';
import { checkAgainst, sentenceOf } from './consumer/collections/check-against.ts';
import { storedDeclarations } from './consumer/collections/stored-declarations.ts';
import { examineCaller } from './consumer/examine-caller.ts';
import { createKeyedDigest } from './consumer/records/keyed-digest.ts';
import { ownRules, providerJwksUrl, providerRules } from './issuer-rules.ts';
import { type Look, lookInto } from './storage/look.ts';
import type { ClientWithSecrets, Reading } from './storage/port.ts';
import { ClientDirectory } from './tokens/client-directory.ts';
import { createClientMac } from './tokens/client-mac.ts';

/** What callers will see of the certificate. */
export { examineCertificate } from './auth/examine/certificate.ts';

/** The provider as it answers now; with a clock to hold its own against. */
export function inspectProvider(config: Config, discoveryUrl: string, clock: Clock = systemClock) {
  const jwksUrl = providerJwksUrl(config);
  return examineProvider({ discoveryUrl, jwksUrl, algorithms: config.allowedAlgorithms, clock });
}

/** The database as it is; its records too, when the collections can be read. Nothing in it is made or changed. */
export function inspectDatabase(config: Config, areDeclared: boolean) {
  return lookInto(config.databaseUrl, async (look) => {
    if (look.state !== 'ready') return look;
    const keyring = deriveKeyring(readMasterSecret(config));
    const clientMac = createClientMac(keyring.clients);
    const judge = async () => {
      const verdicts = await verdictsOn(config, look.reading, keyring);
      return verdicts.filter(({ verdict }) => verdict === 'breaking').map(({ sentence }) => sentence);
    };
    return {
      state: look.state,
      version: look.version,
      missingRights: look.missingRights,
      masterSecretFits: await masterSecretFits(look.reading.documents, keyring),
      breaking: areDeclared ? await judge() : null,
      isScrubDue: await look.reading.records.isScrubDue(),
      foreignClients: (await look.reading.clients.list())
        .filter((client) => !clientMac.isGenuine(client))
        .map(({ id }) => id),
    };
  });
}

export type DatabaseNow = Awaited<ReturnType<typeof inspectDatabase>>;

/** For a command that only looks: what it reads, or a sentence on why there is nothing that it could read. */
export function readStorage<T>(
  config: StorageConfig,
  work: (reading: Reading, keyring: Keyring) => Promise<T>,
): Promise<T> {
  return lookInto(config.databaseUrl, async (look) => {
    if (look.state !== 'ready') throw new OperatorError(whyNotRead(config, look));
    return work(look.reading, await keyringFor(config, look.reading));
  });
}

/** A client, and whether whoever wrote it had the master secret: if not, it is ignored. */
export type ListedClient = ClientWithSecrets & { readonly isGenuine: boolean };

/** The clients, and whether whoever wrote each had the master secret. */
export function listClients(config: StorageConfig): Promise<readonly ListedClient[]> {
  return readStorage(config, async ({ clients }, keyring) => {
    const clientMac = createClientMac(keyring.clients);
    return (await clients.list()).map((client) => ({ ...client, isGenuine: clientMac.isGenuine(client) }));
  });
}

/** What is declared, held against the records that exist. */
export function judgeCollections(config: Config) {
  return readStorage(config, (reading, keyring) => verdictsOn(config, reading, keyring));
}

/** The provider's keys that a restart would begin with; else why they cannot be read. */
export function storedKeySet(config: Config) {
  return lookInto(config.databaseUrl, async (look) => {
    if (look.state === 'ready') {
      const { providerKeys } = await keyringFor(config, look.reading);
      const memory = authenticatedMemory(
        onlyRead(look.reading.documents),
        providerKeys,
        providerJwksUrl(config),
      );
      return { state: look.state, sentence: null, keys: await memory.load() };
    }
    const sentence = whyNotRead(config, look);
    // An older one is migrated by the next "serve"; with this one it cannot start.
    if (look.state === 'other_version' && look.version > look.newest) throw new OperatorError(sentence);
    return { state: look.state, sentence, keys: null };
  });
}

/** The keys of the database, which has to be one of this master secret. */
async function keyringFor(config: StorageConfig, { documents }: Reading): Promise<Keyring> {
  const keyring = deriveKeyring(readMasterSecret(config));
  if (await masterSecretFits(documents, keyring)) return keyring;
  throw otherMasterSecret();
}

async function verdictsOn(config: Config, { documents, records }: Reading, keyring: Keyring) {
  const digest = createKeyedDigest(keyring.declarations);
  const stored = await storedDeclarations(onlyRead(documents), digest).load();
  const declared = await readDeclaredCollections(config);
  const verdicts = await checkAgainst({ stored, declared, records });
  return verdicts.map((verdict) => ({ ...verdict, sentence: sentenceOf(verdict) }));
}

function whyNotRead({ databaseUrl }: StorageConfig, look: Exclude<Look, { state: 'ready' }>): string {
  const where =
    databaseUrl.engine === 'sqlite'
      ? `The SQLite file "${databaseUrl.file}" (DATABASE_URL)`
      : 'The database set in DATABASE_URL';
  if (look.state === 'absent')
    return `${where} is not there, and a command that only looks does not make it. Check DATABASE_URL; the first "npx vestibule serve" makes it.`;
  if (look.state === 'unusable')
    return `${where} cannot be used: ${look.detail}.${look.advice === null ? '' : ` ${look.advice}`}`;
  const { version, newest } = look;
  if (version > newest)
    return `${where} has schema version ${version}, and this release knows versions up to ${newest}. Use a release at least as new as the one that migrated it.`;
  const found = version === 0 ? 'is empty' : `has schema version ${version}, that of an older release`;
  return `${where} ${found}, and this release reads version ${newest}. Nothing was changed: the next "npx vestibule serve" of this release migrates it${version === 0 ? '' : '; until then use the release that it belongs to'}.`;
}

/** What becomes of a token, step by step, by the keys and the database as they are now. */
export function explainToken(config: Config, token: string, clock: Clock = systemClock) {
  return lookInto(config.databaseUrl, async (look): Promise<Examination> => {
    const reading = look.state === 'ready' ? look.reading : null;
    const keyring = reading && deriveKeyring(readMasterSecret(config));
    const url = providerJwksUrl(config);
    const memory = keyring && authenticatedMemory(onlyRead(reading.documents), keyring.providerKeys, url);
    const { allowedAlgorithms: algorithms, jwksMaxStaleSeconds: maxStaleSeconds, maxHeaderBytes } = config;
    const provider: ExaminedIssuer = {
      ...providerRules(config),
      who: 'the provider',
      keysNow: () => providerKeysNow({ url, algorithms, maxStaleSeconds, memory, now: clock.now() }),
    };
    const own: ExaminedIssuer = {
      ...ownRules(config),
      who: 'this service',
      async keysNow() {
        if (look.state === 'unusable') return { code: 'storage_unavailable', why: look.detail };
        const keys = (await reading?.signingKeys.list()) ?? [];
        return ownKeysNow(keys, signingAlgorithms, clock.now());
      },
    };
    const callerNow: ExaminationParts['callerNow'] = async (claims) => {
      if (look.state === 'unusable') return { unknown: look.detail, code: 'storage_unavailable' };
      if (reading === null || keyring === null)
        return { unknown: 'there is no database of this release yet', code: null };
      const { pseudonym: pseudonymKey } = keyring;
      const clients = new ClientDirectory({
        store: reading.clients,
        clientMac: createClientMac(keyring.clients),
        log: createLog('silent'),
      });
      return examineCaller(claims, {
        ...reading,
        clients,
        pseudonymKey,
        ownIssuer: ownIssuer(config),
        clock,
      });
    };
    return examineToken(token, { issuers: [provider, own], maxHeaderBytes, callerNow, clock });
  });
}

/** For what would also write. */
function onlyRead<DocumentStore extends object>(documents: DocumentStore) {
  return { ...documents, write: async () => {} };
}
