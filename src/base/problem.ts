import { describe, type Refusal } from './errors.ts';
import { writeScopes } from './scopes.ts';

/** The members of the problem document (RFC 9457) that tells of a refusal. */
export function problemOf({ code, options }: Refusal, status: number) {
  const title = describe(code).sentence;
  const scope = options.scope === undefined ? {} : { scope: writeScopes(options.scope) };
  return { type: `urn:vestibule:error:${code}`, title, status, code, ...scope, ...options.members };
}

/** How to come back with a token that will do (RFC 6750 section 3); null for a refusal that is not about the token. */
export function bearerChallenge(
  refusal: Refusal,
  realm: string,
  resourceMetadata: string | null,
): string | null {
  return challengeOf('Bearer', refusal, realm, resourceMetadata);
}

/** The same for any scheme. */
export function challengeOf(
  scheme: 'Bearer' | 'DPoP',
  { code, options }: Refusal,
  realm: string,
  resourceMetadata: string | null,
): string | null {
  const { challenge: error, sentence } = describe(code);
  if (error === undefined) return null;
  const attributes =
    error === null ? [] : [`error="${error}"`, `error_description="${sentence.replaceAll('"', "'")}"`];
  if (options.scope !== undefined) attributes.push(`scope="${writeScopes(options.scope)}"`);
  if (resourceMetadata !== null) attributes.push(`resource_metadata="${resourceMetadata}"`);
  return [`${scheme} realm="${realm}"`, ...attributes].join(', ');
}

/** In how many seconds it is worth another try; undefined where waiting does not help. */
export function retryAfterOf({ code, options }: Refusal): number | undefined {
  return options.retryAfterSeconds ?? (describe(code).status === 503 ? 1 : undefined);
}
