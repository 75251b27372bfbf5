import { type At, changed, email, name, type Shape, sendAccessToken, sub } from './shape.ts';

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
  accepted: { 'a service account': { claims: serviceAccount, kind: 'client', scopes: [] } },
  refused: {
    'the ID token of the sign-in button': {
      claims: idToken,
      code: 'token_type_not_allowed',
      says: sendAccessToken,
    },
    'the ID token of a sign-in with a redirect': {
      claims: changed(idToken, { at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q' }),
      code: 'token_type_not_allowed',
      says: sendAccessToken,
    },
    'a service account for another API': {
      claims: changed(serviceAccount, { aud: 'https://other.example.org' }),
      code: 'audience_mismatch',
      says: /Ask the provider for a token for that audience/,
    },
  },
};
