import { type At, client, email, name, refused, refusedIdToken, type Shape, sub } from './shape.ts';

const frontend = '1045732891644-5n3kq0v8bd.apps.googleusercontent.com';
const account = '107369904873621458032';

const serviceAccount = ({ issuer, audience }: At) => ({
  iss: issuer,
  aud: audience,
  azp: account,
  sub: account,
  email: 'importer@project.iam.gserviceaccount.com',
  email_verified: true,
});

const idToken = ({ issuer, now }: At) => ({
  iss: issuer,
  aud: frontend,
  azp: frontend,
  sub,
  email,
  email_verified: true,
  name,
  nbf: now,
  jti: 'f3b1c9',
});

export const google: Shape = {
  section: 'Google',
  accepted: { 'a service account': client('', serviceAccount) },
  refused: {
    'the ID token of the sign-in button': refusedIdToken(idToken),
    'the ID token of a sign-in with a redirect': refusedIdToken(idToken, {
      at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q',
    }),
    'a service account for another API': refused(
      'audience_mismatch',
      /Ask the provider for a token for that audience/,
      serviceAccount,
      { aud: 'https://other.example.org' },
    ),
  },
};
