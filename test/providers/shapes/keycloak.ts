import { type At, changed, email, name, type Shape, sendAccessToken, sub } from './shape.ts';

const person = ({ issuer, audience, now }: At) => ({
  iss: issuer,
  aud: [audience, 'account'],
  sub,
  typ: 'Bearer',
  azp: 'vestibule-web',
  jti: 'onrtac:5d1c',
  auth_time: now,
  sid: '8b1f',
  acr: '1',
  'allowed-origins': ['https://api.example.org'],
  realm_access: { roles: ['offline_access', 'staff'] },
  resource_access: { 'vestibule-api': { roles: ['notes-admin'] }, account: { roles: ['view-profile'] } },
  scope: 'openid profile',
  name,
  preferred_username: email,
});

const idToken = ({ issuer, audience, now }: At) => ({
  iss: issuer,
  aud: audience,
  sub,
  typ: 'ID',
  azp: 'vestibule-web',
  auth_time: now,
  sid: '8b1f',
  name,
});

export const keycloak: Shape = {
  section: 'Keycloak',
  accepted: {
    'a person, with roles of the realm and of this API': {
      claims: person,
      kind: 'user',
      scopes: ['openid', 'profile', 'offline_access', 'staff', 'notes-admin'],
    },
    'a person with a name that a service account could have': {
      claims: changed(person, { preferred_username: 'service-account-vestibule-web' }),
      kind: 'user',
      scopes: ['openid', 'profile', 'offline_access', 'staff', 'notes-admin'],
    },
    'a service account': {
      claims: changed(person, {
        sub: 'd952cf23-bf92-4c8f-a3ff-4972b4f2bc5b',
        azp: 'importer',
        client_id: 'importer',
        clientHost: '10.0.0.7',
        clientAddress: '10.0.0.7',
        preferred_username: 'service-account-importer',
        scope: 'profile',
        realm_access: undefined,
        resource_access: undefined,
      }),
      kind: 'client',
      scopes: ['profile'],
    },
  },
  refused: {
    'the ID token': { claims: idToken, code: 'token_type_not_allowed', says: sendAccessToken },
    'the refresh token': {
      claims: changed(idToken, { typ: 'Refresh' }),
      code: 'token_type_not_allowed',
      says: /Exchange it for an access token at the provider/,
    },
    'a token without the audience mapper': {
      claims: changed(person, { aud: 'account' }),
      code: 'audience_mismatch',
      says: /it says "account", and "audience" of "keycloak" in IDPS_FILE is "vestibule-api"\. .*audience mapper/,
    },
  },
};
