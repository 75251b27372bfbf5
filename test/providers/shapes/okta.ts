import { type At, changed, email, name, type Shape, sendAccessToken, sub } from './shape.ts';

const frontend = '0oabucvyc38HLL1ef0h7';

const person = ({ issuer, audience }: At) => ({
  ver: 1,
  jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE',
  iss: issuer,
  aud: audience,
  sub: email,
  cid: frontend,
  uid: '00ujmkLgagxeRrAg20g3',
  scp: ['openid', 'notes'],
  auth_time: 1_467_142_021,
});

const idToken = ({ issuer, audience }: At) => ({
  ver: 1,
  jti: 'ID.4eAWJOCMB3SX8XewDfVR',
  iss: issuer,
  aud: audience,
  sub,
  name,
  email,
  amr: ['pwd'],
  idp: '00ok1u7AsAkrwdZL3z0g3',
  auth_time: 1_467_142_021,
});

export const okta: Shape = {
  section: 'Okta',
  accepted: {
    'a person': { claims: person, kind: 'user', scopes: ['openid', 'notes'] },
    'a person, with groups': {
      claims: changed(person, { groups: ['notes-admins', 'Every one'] }),
      kind: 'user',
      scopes: ['openid', 'notes', 'notes-admins'],
    },
    'a machine': {
      claims: changed(person, { sub: frontend, uid: undefined, scp: ['notes'], auth_time: undefined }),
      kind: 'client',
      scopes: ['notes'],
    },
  },
  refused: {
    'the ID token, for this API': { claims: idToken, code: 'token_type_not_allowed', says: sendAccessToken },
    'the ID token with the hash of its access token': {
      claims: changed(idToken, { at_hash: 'fPlsvVszI29LU2UhDyJ9vg' }),
      code: 'token_type_not_allowed',
      says: sendAccessToken,
    },
    'a token of the org authorization server': {
      claims: changed(person, ({ issuer }) => ({ iss: new URL(issuer).origin })),
      code: 'issuer_mismatch',
      says: /another tenant or realm of the same provider/,
    },
  },
};
