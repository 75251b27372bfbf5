import { cacheChecks } from './checks/cache.ts';
import { claimChecks } from './checks/claims.ts';
import { clientLifeChecks } from './checks/client-life.ts';
import { consumerChecks } from './checks/consumer.ts';
import { httpChecks } from './checks/http.ts';
import { keyChecks } from './checks/keys.ts';
import { providerChecks } from './checks/provider.ts';
import { tokenChecks } from './checks/token.ts';
import { tokenEndpointChecks } from './checks/token-endpoint.ts';
import type { Mutant } from './mutant.ts';

/** Every security check, in the order in which a request meets them. A new check gets a row, and a test that needs it. */
export const checks: readonly Mutant[] = [
  ...httpChecks,
  ...tokenChecks,
  ...claimChecks,
  ...keyChecks,
  ...providerChecks,
  ...cacheChecks,
  ...consumerChecks,
  ...tokenEndpointChecks,
  ...clientLifeChecks,
];
