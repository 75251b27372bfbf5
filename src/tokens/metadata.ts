import { keysPath, revokePath, tokenPath } from '../base/addresses.ts';
import { type Answer, json, type PublicHandler } from '../base/handler.ts';
import { answersJson, type Description, tags } from '../openapi/description.ts';
import { listOf, object, text, texts, uri } from '../openapi/schemas.ts';
import type { TokenTerms } from '../openapi/token-terms.ts';
import type { SigningKey } from './signing-key.ts';

export const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const;

const cacheControl = 'public, max-age=3600';
/** Ways to authenticate at POST /token and POST /revoke. */
const authMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** GET /.well-known/oauth-authorization-server (RFC 8414): how a standard client gets a token. */
export function authorizationServer(issuer: string, dpop: ProtectedResource['dpop']): PublicHandler {
  const answer = json(serverMetadata(issuer, dpop?.algorithms ?? null), { cacheControl });
  return () => answer;
}

function serverMetadata(issuer: string, dpopAlgorithms: readonly string[] | null) {
  return {
    issuer,
    token_endpoint: `${issuer}${tokenPath}`,
    revocation_endpoint: `${issuer}${revokePath}`,
    jwks_uri: `${issuer}${keysPath}`,
    grant_types_supported: ['client_credentials'],
    // There is no authorization endpoint.
    response_types_supported: [],
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    ...(dpopAlgorithms === null ? {} : { dpop_signing_alg_values_supported: dpopAlgorithms }),
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  };
}

export function describeAuthorizationServer({ dpop }: Pick<TokenTerms, 'dpop'>): Description {
  const example = Object.entries(serverMetadata('', dpop === 'off' ? null : []));
  const members = example.map(([name, value]) => [name, typeof value === 'string' ? uri : texts]);
  const metadata = object(Object.fromEntries(members), ['dpop_signing_alg_values_supported']);
  const answers = answersJson('Metadata (RFC 8414).', metadata);
  return { name: 'readAuthorizationServer', tag: tags.tokens, summary: 'Read how to get a token', answers };
}

interface ProtectedResource {
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
  /** How tokens may be bound to a key (RFC 9449); null if they are not. */
  readonly dpop: { readonly algorithms: readonly string[]; readonly isRequired: boolean } | null;
}

/** GET /.well-known/oauth-protected-resource (RFC 9728): where to get a token that this service accepts. */
export function protectedResource(about: ProtectedResource): PublicHandler {
  const { resource, issuers, scopes, dpop } = about;
  const answer = json(
    {
      resource,
      authorization_servers: issuers,
      bearer_methods_supported: ['header'],
      ...(scopes.length > 0 ? { scopes_supported: scopes } : {}),
      ...(dpop === null ? {} : { dpop_signing_alg_values_supported: dpop.algorithms }),
      ...(dpop?.isRequired ? { dpop_bound_access_tokens_required: true } : {}),
    },
    { cacheControl },
  );
  return () => answer;
}

export function describeProtectedResource({ dpop }: Pick<TokenTerms, 'dpop'>): Description {
  const metadata = object(
    {
      resource: uri,
      authorization_servers: texts,
      bearer_methods_supported: texts,
      scopes_supported: texts,
      ...(dpop === 'off' ? {} : { dpop_signing_alg_values_supported: texts }),
      ...(dpop === 'off' ? {} : { dpop_bound_access_tokens_required: { const: true } }),
    },
    ['scopes_supported', 'dpop_signing_alg_values_supported', 'dpop_bound_access_tokens_required'],
  );
  const answers = answersJson('Metadata (RFC 9728).', metadata);
  return {
    name: 'readProtectedResource',
    tag: tags.tokens,
    summary: 'Read which tokens are accepted',
    answers,
  };
}

/** How long verifiers may cache the keys. By default a new key is published for longer than that before it signs. */
const keepSeconds = 300;

/** GET /.well-known/jwks.json: the keys that verify tokens of this service. */
export function publishedKeys(keys: { published(): readonly SigningKey[] }): PublicHandler {
  return (): Answer => {
    const published = { keys: keys.published().map(({ publicJwk }) => publicJwk) };
    return json(published, { cacheControl: `public, max-age=${keepSeconds}` });
  };
}

export function describeKeys(): Description {
  const key = {
    ...object({ kty: text, kid: text, alg: text, use: text }),
    description: 'A public key (RFC 7517); which further members it has depends on "kty".',
    additionalProperties: text,
  };
  return {
    name: 'readKeys',
    tag: tags.tokens,
    summary: 'The keys that verify the tokens of POST /token',
    answers: answersJson('A key set (RFC 7517).', object({ keys: listOf(key) })),
  };
}
