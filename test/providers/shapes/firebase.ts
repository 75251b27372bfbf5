import { type At, email, name, refused, refusedTenant, type Shape, sub, user } from './shape.ts';

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
    'a person, by the only token there is': user('', person),
    'a person with custom claims': user('editor', person, { roles: ['editor', 'not a scope'] }),
    // Firebase gives anonymous people a user id, which the app keeps.
    'an anonymous person': user('', person, {
      provider_id: 'anonymous',
      email: undefined,
      firebase: { identities: {}, sign_in_provider: 'anonymous' },
    }),
  },
  refused: {
    'a token of another project': refusedTenant(person, {
      iss: 'https://securetoken.google.com/other',
      aud: 'other',
    }),
    'a session cookie': refusedTenant(person, ({ audience }) => ({
      iss: `https://session.firebase.google.com/${audience}`,
    })),
    'a token for another audience': refused(
      'audience_mismatch',
      /it says "other", and "audience" of "firebase" in IDPS_FILE is/,
      person,
      { aud: 'other' },
    ),
  },
};
