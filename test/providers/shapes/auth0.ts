import {
  client,
  email,
  name,
  picture,
  refused,
  refusedIdToken,
  type Shape,
  sendAccessToken,
  sub,
  user,
} from './shape.ts';

const frontend = 'k3Jp0vTq8sWbYxNz5RfLcD2hGmAeU7oi';

const person = ({ issuer, audience }: { issuer: string; audience: string }) => ({
  iss: issuer,
  sub,
  aud: [audience, `${issuer}userinfo`],
  azp: frontend,
  scope: 'openid profile read:notes',
  permissions: ['write:notes'],
});

const idToken = ({ issuer }: { issuer: string }) => ({
  iss: issuer,
  sub,
  aud: frontend,
  name,
  email,
  picture,
  updated_at: '2026-01-01T00:00:00.000Z',
  sid: 'x8Vn2kQ0',
});

export const auth0: Shape = {
  section: 'Auth0',
  accepted: {
    'a person, with permissions': user('openid profile read:notes write:notes', person),
    'a person, in the profile of RFC 9068': {
      ...user('openid profile read:notes', person, {
        azp: undefined,
        client_id: frontend,
        jti: 'w3vK',
        permissions: undefined,
      }),
      header: { typ: 'at+jwt' },
    },
    'a machine': client('read:notes', person, ({ audience }) => ({
      sub: `${frontend}@clients`,
      aud: audience,
      scope: 'read:notes',
      permissions: ['read:notes'],
      gty: 'client-credentials',
    })),
  },
  refused: {
    'the ID token': refused('audience_mismatch', sendAccessToken, idToken),
    'the ID token with a nonce, for this API': refusedIdToken(idToken, ({ audience }) => ({
      aud: audience,
      nonce: 'n-0S6_WzA2Mj',
    })),
  },
};
