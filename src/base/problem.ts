import { describe, type Refusal } from './errors.ts';
import { writeScopes } from './scopes.ts';

export function problemOf({ code, options }: Refusal, status: number) {
  const title = describe(code).sentence;
  const scope = options.scope === undefined ? {} : { scope: writeScopes(options.scope) };
  return { type: `urn:vestibule:error:${code}`, title, status, code, ...scope, ...options.members };
}

/** How to authenticate (RFC 6750 section 3), for a refusal that has a challenge. */
export function challengeOf(
  scheme: 'Bearer' | 'DPoP',
  { code, options }: Refusal,
  realm: string,
  resourceMetadata: string | null,
): string {
  const { challenge: error, sentence } = describe(code);
  const attributes = error
    ? [`error="${error}"`, `error_description="${sentence.replaceAll('"', "'")}"`]
    : [];
  if (options.scope !== undefined) attributes.push(`scope="${writeScopes(options.scope)}"`);
  if (resourceMetadata !== null) attributes.push(`resource_metadata="${resourceMetadata}"`);
  return [`${scheme} realm="${realm}"`, ...attributes].join(', ');
}

/** Undefined where waiting does not help. */
export function retryAfterOf({ code, options }: Refusal): number | undefined {
  return options.retryAfterSeconds ?? (describe(code).status === 503 ? 1 : undefined);
}
