/** Addresses that several rooms need. The major version of the API is part of its prefix. */
export const consumerPrefix = '/api/consumer/v1';

export const tokenPath = '/token';
export const revokePath = '/revoke';
export const logoutPath = '/idp/logout';
export const keysPath = '/.well-known/jwks.json';
export const serverMetadataPath = '/.well-known/oauth-authorization-server';
export const resourceMetadataPath = '/.well-known/oauth-protected-resource';
export const openapiPath = '/openapi.json';
export const docsPath = '/docs';
