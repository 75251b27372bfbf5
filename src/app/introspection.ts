import { Introspection } from '../auth/introspection/introspection.ts';
import { introspect } from '../auth/introspection/request.ts';
import type { BaseParts } from './base-parts.ts';
import { rulesOf } from './issuer-rules.ts';

/** What asks a provider about tokens that are no JWTs; null where no provider is to be asked. */
export function createIntrospection({ config, metrics, tracing, clock, log }: BaseParts) {
  const provider = config.providers.find(({ introspection }) => introspection !== null);
  const endpoint = provider?.introspection;
  if (provider === undefined || !endpoint) return null;
  const { name } = provider;
  return new Introspection({
    rules: rulesOf(provider, config),
    ask: (token, stopping, headers) => introspect(token, endpoint, stopping, headers),
    clock,
    log: log.child({ provider: name }),
    onAsked: (result) => metrics.countIntrospection(name, result),
    tracing,
  });
}
