import { type At, client, email, refused, refusedIdToken, type Shape, sub, user } from './shape.ts';

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
    'a person, with groups': user('openid notes/read admins', person),
    'a person, at the other app client': user('openid notes/read', person, {
      client_id: '2other3456789',
      'cognito:groups': undefined,
    }),
    'a machine': client('notes/read', ({ issuer, audience }) => ({
      iss: issuer,
      sub: audience,
      client_id: audience,
      token_use: 'access',
      scope: 'notes/read',
      version: 2,
    })),
  },
  refused: {
    'the ID token': refusedIdToken(idToken),
    'the ID token that also names the app client': refusedIdToken(idToken, ({ audience }) => ({
      client_id: audience,
    })),
    'a token without token_use': refused(
      'token_type_not_allowed',
      /Access tokens of this provider have token_use "access", and this one does not/,
      person,
      { token_use: undefined },
    ),
    'a token for another app client': refused(
      'audience_mismatch',
      /it says "somebody-elses" \("client_id"\), and "audience" of "cognito" in IDPS_FILE is/,
      person,
      { client_id: 'somebody-elses' },
    ),
  },
};
