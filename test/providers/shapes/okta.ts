import {
  type At,
  atHash,
  client,
  email,
  name,
  refusedIdToken,
  refusedTenant,
  type Shape,
  sub,
  user,
} from './shape.ts';

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
    'a person': user('openid notes', person),
    'a person, with groups': user('openid notes notes-admins', person, {
      groups: ['notes-admins', 'Every one'],
    }),
    'a machine': client('notes', person, {
      sub: frontend,
      uid: undefined,
      scp: ['notes'],
      auth_time: undefined,
    }),
  },
  refused: {
    'the ID token, for this API': refusedIdToken(idToken),
    'the ID token with the hash of its access token': refusedIdToken(idToken, atHash),
    'a token of the org authorization server': refusedTenant(person, ({ issuer }) => ({
      iss: new URL(issuer).origin,
    })),
  },
};
