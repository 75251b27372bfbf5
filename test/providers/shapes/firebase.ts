import { type At, changed, email, name, type Shape, sub } from './shape.ts';

const person = ({ issuer, audience, now }: At) => ({
  name,
  iss: issuer,
  aud: audience,
  auth_time: now,
  user_id: sub,
  sub,
  email,
  email_verified: true,
  firebase: { identities: { email: [email] }, sign_in_provider: 'password' },
});

export const firebase: Shape = {
  section: 'Firebase',
  accepted: {
    'a person, by the only token there is': { claims: person, kind: 'user', scopes: [] },
    'a person with custom claims': {
      claims: changed(person, { roles: ['editor', 'not a scope'] }),
      kind: 'user',
      scopes: ['editor'],
    },
    // Firebase gives anonymous people a user id, which the app keeps.
    'an anonymous person': {
      claims: changed(person, {
        provider_id: 'anonymous',
        email: undefined,
        firebase: { identities: {}, sign_in_provider: 'anonymous' },
      }),
      kind: 'user',
      scopes: [],
    },
  },
  refused: {
    'a token of another project': {
      claims: changed(person, { iss: 'https://securetoken.google.com/other', aud: 'other' }),
      code: 'issuer_mismatch',
      says: /another tenant or realm of the same provider/,
    },
    'a session cookie': {
      claims: changed(person, ({ audience }) => ({ iss: `https://session.firebase.google.com/${audience}` })),
      code: 'issuer_mismatch',
      says: /another tenant or realm of the same provider/,
    },
    'a token for another audience': {
      claims: changed(person, { aud: 'other' }),
      code: 'audience_mismatch',
      says: /it says "other", and "audience" of "firebase" in IDPS_FILE is/,
    },
  },
};
