import { readDeclaredCollections } from './administration.ts';
import {
  type Examination,
  type ExaminationParts,
  type ExaminedIssuer,
  examineToken,
} from './auth/examine.ts';
import { ownKeysNow, providerKeysNow } from './auth/examine-key.ts';
import { masterSecretFits } from './auth/examine-master-secret.ts';
import { examineProvider } from './auth/examine-provider.ts';
import { deriveKeyring } from './auth/keyring.ts';
import { authenticatedMemory } from './auth/stored-key-set.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { createLog } from './base/log.ts';
import { readMasterSecret } from './config/files.ts';
import { ownIssuer } from './config/rules.ts';
import { type Config, signingAlgorithms } from './config/settings.ts';
import { checkAgainst, sentenceOf } from './consumer/collections/check-against.ts';
import { storedDeclarations } from './consumer/collections/stored-declarations.ts';
import { examineCaller } from './consumer/examine-caller.ts';
import { createKeyedDigest } from './consumer/records/keyed-digest.ts';
import { ownRules, providerJwksUrl, providerRules } from './issuer-rules.ts';
import { lookInto } from './storage/look.ts';
import { ClientDirectory } from './tokens/client-directory.ts';
import { createClientMac } from './tokens/client-mac.ts';

/** What callers will see of the certificate. */
export { examineCertificate } from './auth/examine-certificate.ts';

/** The provider as it answers now; with a clock to hold its own against. */
export function inspectProvider(config: Config, discoveryUrl: string, clock: Clock = systemClock) {
  const jwksUrl = providerJwksUrl(config);
  return examineProvider({ discoveryUrl, jwksUrl, algorithms: config.allowedAlgorithms, clock });
}

/** The database as it is; its records too, when the collections can be read. Nothing in it is made or changed. */
export function inspectDatabase(config: Config, areDeclared: boolean) {
  return lookInto(config.databaseUrl, async (look) => {
    if (look.state !== 'ready') return look;
    const { shelf, records, clients } = look.reading;
    const keyring = deriveKeyring(readMasterSecret(config));
    const clientMac = createClientMac(keyring.clients);
    const digest = createKeyedDigest(keyring.declarations);
    const judge = async () => {
      const stored = await storedDeclarations(onlyRead(shelf), (content) => digest.of(content)).load();
      const declared = await readDeclaredCollections(config);
      const verdicts = await checkAgainst({ stored, declared, records });
      return verdicts.filter(({ verdict }) => verdict === 'breaking').map(sentenceOf);
    };
    return {
      state: look.state,
      version: look.version,
      masterSecretFits: await masterSecretFits(shelf, keyring),
      breaking: areDeclared ? await judge() : null,
      foreignClients: (await clients.list())
        .filter((client) => !clientMac.isGenuine(client))
        .map(({ id }) => id),
    };
  });
}

/** What becomes of a token, step by step, by the keys and the database as they are now. */
export function explainToken(config: Config, token: string, clock: Clock = systemClock) {
  return lookInto(config.databaseUrl, async (look): Promise<Examination> => {
    const reading = look.state === 'ready' ? look.reading : null;
    const keyring = reading && deriveKeyring(readMasterSecret(config));
    const url = providerJwksUrl(config);
    const memory = keyring && authenticatedMemory(onlyRead(reading.shelf), keyring.providerKeys, url);
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
    const callerNow: ExaminationParts['callerNow'] = async (claimant) => {
      if (look.state === 'unusable') return { unknown: look.detail, code: 'storage_unavailable' };
      if (reading === null || keyring === null)
        return { unknown: 'there is no database of this release yet', code: null };
      const { pseudonym: pseudonymKey } = keyring;
      const clients = new ClientDirectory({
        store: reading.clients,
        clientMac: createClientMac(keyring.clients),
        log: createLog('silent'),
      });
      return examineCaller(claimant, {
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
function onlyRead<Shelf extends object>(shelf: Shelf) {
  return { ...shelf, write: async () => {} };
}
