import { cacheChecks } from './checks/cache.ts';
import { claimChecks } from './checks/claims.ts';
import { clientLifeChecks } from './checks/client-life.ts';
import { consumerChecks } from './checks/consumer.ts';
import { dpopChecks } from './checks/dpop.ts';
import { eventChecks } from './checks/events.ts';
import { httpChecks } from './checks/http.ts';
import { introspectionChecks } from './checks/introspection.ts';
import { keyChecks } from './checks/keys.ts';
import { providerChecks } from './checks/provider.ts';
import { signOutChecks } from './checks/sign-out.ts';
import { tokenChecks } from './checks/token.ts';
import { tokenEndpointChecks } from './checks/token-endpoint.ts';
import { verifyPackageChecks } from './checks/verify-package.ts';
import type { Mutant } from './mutant.ts';

/** Every security check, in the order in which a request meets them. A new check gets a row, and a test that needs it. */
export const checks: readonly Mutant[] = [
  ...httpChecks,
  ...tokenChecks,
  ...claimChecks,
  ...dpopChecks,
  ...keyChecks,
  ...providerChecks,
  ...cacheChecks,
  ...introspectionChecks,
  ...consumerChecks,
  ...tokenEndpointChecks,
  ...clientLifeChecks,
  ...eventChecks,
  ...verifyPackageChecks,
  ...signOutChecks,
];
