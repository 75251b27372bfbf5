import { type At, client, email, name, refused, refusedIdToken, type Shape, sub, user } from './shape.ts';

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

const everyScope = 'openid profile offline_access staff notes-admin';

export const keycloak: Shape = {
  section: 'Keycloak',
  accepted: {
    'a person, with roles of the realm and of this API': user(everyScope, person),
    'a person with a name that a service account could have': user(everyScope, person, {
      preferred_username: 'service-account-vestibule-web',
    }),
    'a service account': client('profile', person, {
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
  },
  refused: {
    'the ID token': refusedIdToken(idToken),
    'the refresh token': refused(
      'token_type_not_allowed',
      /Exchange it for an access token at the provider/,
      idToken,
      { typ: 'Refresh' },
    ),
    'a token without the audience mapper': refused(
      'audience_mismatch',
      /it says "account", and "audience" of "keycloak" in IDPS_FILE is "vestibule-api"\. .*audience mapper/,
      person,
      { aud: 'account' },
    ),
  },
};
