import { signedDocumentOpener } from '../auth/signed-document.ts';
import { tokenPath } from '../base/addresses.ts';
import { ownIssuer } from '../config/rules.ts';
import { createCheckAssertion } from '../tokens/assertion.ts';
import { assertionAlgorithms } from '../tokens/metadata.ts';
import { createMint, createSigningLimit } from '../tokens/mint.ts';
import { createRecogniseClient } from '../tokens/recognise-client.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import { refusalsPerFailure, Throttle } from '../tokens/throttle.ts';
import type { BaseParts } from './base-parts.ts';
import type { Callers } from './callers.ts';

/** What `POST /token` is made of, and `POST /revoke` as far as clients are concerned. */
export function createTokenEndpoint(
  base: BaseParts,
  { clientDirectory: directory, signatures, dpop }: Pick<Callers, 'clientDirectory' | 'signatures' | 'dpop'>,
  keys: SigningKeys,
) {
  const { config, storage, keyring, clock, time, log } = base;
  const issuer = ownIssuer(config);
  const ttlSeconds = config.tokenTtlSeconds;
  const signing = createSigningLimit(clock);
  const throttle = new Throttle(Math.ceil(config.refusalsPerMinute / refusalsPerFailure), clock);
  const recognise = createRecogniseClient({
    directory,
    store: storage.clients,
    secretKey: keyring.clientSecrets,
    checkAssertion: createCheckAssertion({
      openSigned: signedDocumentOpener(assertionAlgorithms, signatures),
      store: storage.assertions,
      audiences: [issuer, `${issuer}${tokenPath}`],
      clock,
      time,
    }),
    throttle,
    clock,
    log,
  });
  return {
    recognise,
    throttle,
    ttlSeconds,
    signing,
    proveKey: dpop?.proveKey ?? null,
    mint: createMint({ issuer, audience: config.apiAudience, ttlSeconds, keys, limit: signing, clock }),
  };
}
