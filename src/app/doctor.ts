import { proofAlgorithms } from '../auth/dpop/proof-keys.ts';
import { examineProvider } from '../auth/examine/provider.ts';
import { introspect } from '../auth/introspection/request.ts';
import { deriveKeyring } from '../auth/keyring.ts';
import { masterSecretFits } from '../auth/master-secret.ts';
import { FetchError } from '../auth/provider-fetch.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { JsonObject } from '../base/json-object.ts';
import type { IntrospectionEndpoint } from '../base/provider-rules.ts';
import { createSecret } from '../base/random.ts';
import { readMasterSecret } from '../config/files.ts';
import type { Provider } from '../config/providers.ts';
import type { Config, StorageConfig } from '../config/settings.ts';
import { EgressError } from '../events/webhooks/egress.ts';
import { createClientMac } from '../tokens/client-mac.ts';
import { webhookEgress } from './administration.ts';
import { verdictsOn } from './check.ts';
import { listedWebhooks } from './lists.ts';
import { readDatabase } from './read-storage.ts';

/** The database as it is; its records too, when the collections can be read. Nothing in it is made or changed. */
export function inspectDatabase(config: Config, areDeclared: boolean) {
  return readDatabase(config, async (found) => {
    if (found.state !== 'ready') return found;
    const keyring = deriveKeyring(readMasterSecret(config));
    const clientMac = createClientMac(keyring.clients);
    const judge = async () => {
      const verdicts = await verdictsOn(config, found.storage, keyring);
      return verdicts.filter(({ verdict }) => verdict === 'breaking').map(({ sentence }) => sentence);
    };
    return {
      state: found.state,
      plan: found.plan,
      missingRights: found.missingRights,
      masterSecretFits: await masterSecretFits(found.storage.documents, keyring),
      breaking: areDeclared ? await judge() : null,
      isScrubDue: await found.storage.records.isScrubDue(),
      foreignClients: (await found.storage.clients.list())
        .filter((client) => !clientMac.isGenuine(client))
        .map(({ id }) => id),
    };
  });
}

export type DatabaseNow = Awaited<ReturnType<typeof inspectDatabase>>;

/** Each webhook, and why nothing could be sent to its address now; null when the database cannot be read. */
export function inspectWebhooks(config: Config) {
  return readDatabase(config, async (found) => {
    if (found.state !== 'ready') return null;
    const keyring = deriveKeyring(readMasterSecret(config));
    if (!(await masterSecretFits(found.storage.documents, keyring))) return null;
    const egress = webhookEgress(config);
    const webhooks = await listedWebhooks(found.storage, keyring);
    return Promise.all(
      webhooks.map(async (webhook) => ({ webhook, fault: await faultOf(() => egress.check(webhook.url)) })),
    );
  });
}

async function faultOf(check: () => Promise<void>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof EgressError) return error.message;
    throw error;
  }
}

/** The names of the keys that sign for this database, none where there is none yet; null where it cannot be read. */
export function storedSigningKeyIds(config: StorageConfig): Promise<readonly string[] | null> {
  return readDatabase(config, async (found) => {
    if (found.state === 'absent') return [];
    return found.state === 'ready' ? (await found.storage.signingKeys.list()).map(({ kid }) => kid) : null;
  });
}

/** A provider as it answers now; with a clock to hold its own against. */
export function inspectProvider(provider: Provider, discoveryUrl: string, clock: Clock = systemClock) {
  return examineProvider({ discoveryUrl, ...provider, clock });
}

/** What a provider says of a token that nobody can have issued. */
export async function inspectIntrospection(
  endpoint: IntrospectionEndpoint,
): Promise<{ readonly isActive: boolean } | Pick<FetchError, 'message' | 'status'>> {
  try {
    const answer = await introspect(createSecret(), endpoint, new AbortController().signal);
    return { isActive: answer !== null };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return error;
  }
}

/** What a provider says in its metadata of tokens that are bound to their sender. */
export function inspectBinding(document: JsonObject) {
  const { dpop_signing_alg_values_supported: announced } = document;
  return {
    /** What proofs for the provider may be signed with (RFC 9449 section 5.1); null when it says nothing of proofs. */
    announced: Array.isArray(announced) ? announced : null,
    /** What they may be signed with here. */
    taken: proofAlgorithms,
  };
}

/** What callers will see of the certificate. */
export { examineCertificate } from '../auth/examine/certificate.ts';
