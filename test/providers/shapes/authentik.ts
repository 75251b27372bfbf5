import { type At, changed, email, name, type Shape, sendAccessToken, sub } from './shape.ts';

const idToken = ({ issuer, audience, now }: At) => ({
  iss: issuer,
  sub,
  aud: audience,
  auth_time: now,
  acr: 'goauthentik.io/providers/oauth2/default',
  amr: ['pwd'],
  sid: '4f2a',
  name,
  email,
  groups: ['staff', 'authentik Admins'],
});

/** The ID token with a few members more. */
const person = changed(idToken, ({ audience }) => ({
  azp: audience,
  uid: 'nOGlGG1uUHRPZVFHyPQLsGiv',
  scope: 'openid profile',
}));

export const authentik: Shape = {
  section: 'authentik',
  accepted: {
    'a person, with groups': { claims: person, kind: 'user', scopes: ['openid', 'profile', 'staff'] },
    'a person, with the nonce of the sign-in': {
      claims: changed(person, { nonce: 'n-0S6_WzA2Mj' }),
      kind: 'user',
      scopes: ['openid', 'profile', 'staff'],
    },
  },
  refused: {
    'the ID token, which has the same audience': {
      claims: idToken,
      code: 'token_type_not_allowed',
      says: sendAccessToken,
    },
    'the ID token with a nonce': {
      claims: changed(idToken, { nonce: 'n-0S6_WzA2Mj' }),
      code: 'token_type_not_allowed',
      says: sendAccessToken,
    },
    'the ID token with a hash and all that an access token has': {
      claims: changed(person, { at_hash: 'fPlsvVszI29LU2UhDyJ9vg' }),
      code: 'token_type_not_allowed',
      says: sendAccessToken,
    },
  },
};
