import { examineProvider } from '../auth/examine/provider.ts';
import { introspect } from '../auth/introspection/request.ts';
import { FetchError } from '../auth/provider-fetch.ts';
import { authenticatedMemory } from '../auth/stored-key-set.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import type { IntrospectionEndpoint } from '../base/provider-rules.ts';
import { createSecret } from '../base/random.ts';
import type { Provider } from '../config/providers.ts';
import type { Config } from '../config/settings.ts';
import { lookInto } from '../storage/look.ts';
import { keyringFor, onlyRead, whyNotRead } from './read-storage.ts';

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

/** The keys of each provider that a restart would begin with; else why they cannot be read. */
export function storedKeySets(config: Config) {
  return lookInto(config.databaseUrl, async (look) => {
    if (look.state === 'ready') {
      const { providerKeys } = await keyringFor(config, look.reading);
      const documents = onlyRead(look.reading.documents);
      const keys = config.providers.map(({ jwksUrl }) =>
        authenticatedMemory(documents, providerKeys, jwksUrl).load(),
      );
      return { state: look.state, sentence: null, keys: await Promise.all(keys) };
    }
    const sentence = whyNotRead(config, look);
    // An older one is migrated by the next "serve"; with this one it cannot start.
    if (look.state === 'other_version' && look.isTooNew) throw new OperatorError(sentence);
    return { state: look.state, sentence, keys: config.providers.map(() => null) };
  });
}
