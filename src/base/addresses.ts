/** The addresses that are told in more than one place. */

/** Where the consumer API begins. Its major version is part of every address. */
export const consumerPrefix = '/api/consumer/v1';

export const tokenPath = '/token';
/** Where a client takes back a token of ours (RFC 7009). */
export const revokePath = '/revoke';
/** Where a provider sends logout tokens (OpenID Connect Back-Channel Logout). */
export const logoutPath = '/idp/logout';
export const keysPath = '/.well-known/jwks.json';
/** Where our own tokens are told of (RFC 8414). */
export const serverMetadataPath = '/.well-known/oauth-authorization-server';
/** Where the protected resource describes itself (RFC 9728). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource';
export const openapiPath = '/openapi.json';
export const docsPath = '/docs';
