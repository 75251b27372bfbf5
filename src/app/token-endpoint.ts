import { signedDocumentOpener } from '../auth/signed-document.ts';
import { tokenPath } from '../base/addresses.ts';
import { ownIssuer } from '../config/rules.ts';
import { createCheckAssertion } from '../tokens/assertion.ts';
import type { ClientDirectory } from '../tokens/client-directory.ts';
import { assertionAlgorithms } from '../tokens/metadata.ts';
import { createMint } from '../tokens/mint.ts';
import type { ProveKey } from '../tokens/proven-key.ts';
import { createRecogniseClient } from '../tokens/recognise-client.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import { createSigningLimit } from '../tokens/signing-limit.ts';
import { Throttle } from '../tokens/throttle.ts';
import type { BaseParts } from './base-parts.ts';

/** What `POST /token` is made of, and `POST /revoke` as far as clients are concerned. */
export function createTokenEndpoint(
  base: BaseParts,
  directory: ClientDirectory,
  keys: SigningKeys,
  proveKey: ProveKey | null,
) {
  const { config, storage, keyring, clock, time, log } = base;
  const issuer = ownIssuer(config);
  const ttlSeconds = config.tokenTtlSeconds;
  const signing = createSigningLimit(clock);
  const recognise = createRecogniseClient({
    directory,
    store: storage.clients,
    secretKey: keyring.clientSecrets,
    checkAssertion: createCheckAssertion({
      openSigned: signedDocumentOpener(assertionAlgorithms),
      store: storage.assertions,
      audiences: [issuer, `${issuer}${tokenPath}`],
      clock,
      time,
    }),
    clock,
    log,
  });
  return {
    recognise,
    throttle: new Throttle(config.tokenFailuresPerMinute, clock),
    ttlSeconds,
    signing,
    proveKey,
    mint: createMint({ issuer, audience: config.apiAudience, ttlSeconds, keys, limit: signing, clock }),
  };
}
