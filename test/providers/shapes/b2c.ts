import { type At, atHash, changed, name, refusedIdToken, type Shape, user } from './shape.ts';

const frontend = '0b7d5c1e-2f6a-4e93-9d48-a1c3e5f70962';
const object = '9f27b6d0-41ce-4e8a-8b35-c6a9d1f0e274';
const program = '61e8a3f7-5d02-4b1c-a9c6-7f3e08d2b415';

/** The subject is the object id: the default of the policy. */
const idToken = ({ issuer, audience, now }: At) => ({
  iss: issuer,
  aud: audience,
  iat: now,
  nbf: now,
  auth_time: now,
  oid: object,
  sub: object,
  name,
  tfp: 'B2C_1_signin',
  nonce: 'n-0S6_WzA2Mj',
  ver: '1.0',
});

const person = changed(idToken, { auth_time: undefined, scp: 'access notes.read', azp: frontend });

export const b2c: Shape = {
  section: 'Azure AD B2C',
  accepted: {
    'a person, with the nonce of the sign-in': user('access notes.read', person),
    'a person whose sign-in had no nonce': user('access notes.read', person, { nonce: undefined }),
    // Its scopes look like those of people, so it counts as a person.
    'a program': user('access notes.read', person, {
      sub: program,
      oid: program,
      nonce: undefined,
      name: undefined,
    }),
  },
  refused: {
    'the ID token of a frontend that is also the API': refusedIdToken(idToken),
    'the same with the hash of an access token and all that one has': refusedIdToken(person, atHash),
  },
};
