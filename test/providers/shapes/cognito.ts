import { type At, changed, email, type Shape, sendAccessToken, sub } from './shape.ts';

const person = ({ issuer, audience, now }: At) => ({
  iss: issuer,
  sub,
  client_id: audience,
  origin_jti: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
  event_id: 'bbbbbbbb-cccc-dddd-eeee-ffffffffffff',
  token_use: 'access',
  scope: 'openid notes/read',
  'cognito:groups': ['admins'],
  auth_time: now,
  jti: 'cccccccc-dddd-eeee-ffff-000000000000',
  username: 'somebody',
});

const idToken = ({ issuer, audience, now }: At) => ({
  iss: issuer,
  sub,
  aud: audience,
  token_use: 'id',
  'cognito:username': 'somebody',
  email,
  auth_time: now,
});

export const cognito: Shape = {
  section: 'Amazon Cognito',
  accepted: {
    'a person, with groups': {
      claims: person,
      kind: 'user',
      scopes: ['openid', 'notes/read', 'admins'],
    },
    'a person, at the other app client': {
      claims: changed(person, { client_id: '2other3456789', 'cognito:groups': undefined }),
      kind: 'user',
      scopes: ['openid', 'notes/read'],
    },
    'a machine': {
      claims: ({ issuer, audience }) => ({
        iss: issuer,
        sub: audience,
        client_id: audience,
        token_use: 'access',
        scope: 'notes/read',
        version: 2,
      }),
      kind: 'client',
      scopes: ['notes/read'],
    },
  },
  refused: {
    'the ID token': { claims: idToken, code: 'token_type_not_allowed', says: sendAccessToken },
    'the ID token that also names the app client': {
      claims: changed(idToken, ({ audience }) => ({ client_id: audience })),
      code: 'token_type_not_allowed',
      says: sendAccessToken,
    },
    'a token without token_use': {
      claims: changed(person, { token_use: undefined }),
      code: 'token_type_not_allowed',
      says: /Access tokens of this provider have token_use "access", and this one does not/,
    },
    'a token for another app client': {
      claims: changed(person, { client_id: 'somebody-elses' }),
      code: 'audience_mismatch',
      says: /it says "somebody-elses" \("client_id"\), and "audience" of "cognito" in IDPS_FILE is/,
    },
  },
};
