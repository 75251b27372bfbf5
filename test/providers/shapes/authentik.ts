import { type At, atHash, changed, email, name, refusedIdToken, type Shape, sub, user } from './shape.ts';

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

const person = changed(idToken, ({ audience }) => ({
  azp: audience,
  uid: 'nOGlGG1uUHRPZVFHyPQLsGiv',
  scope: 'openid profile',
}));

export const authentik: Shape = {
  section: 'authentik',
  accepted: {
    'a person, with groups': user('openid profile staff', person),
    'a person, with the nonce of the sign-in': user('openid profile staff', person, {
      nonce: 'n-0S6_WzA2Mj',
    }),
  },
  refused: {
    'the ID token, which has the same audience': refusedIdToken(idToken),
    'the ID token with a nonce': refusedIdToken(idToken, { nonce: 'n-0S6_WzA2Mj' }),
    'the ID token with a hash and all that an access token has': refusedIdToken(person, atHash),
  },
};
