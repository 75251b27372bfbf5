import { type At, email, refused, refusedIdToken, type Shape, sub, user } from './shape.ts';

const frontend = '69234237810729234';

const person = ({ issuer, audience, now }: At) => ({
  iss: issuer,
  sub,
  aud: [frontend, audience],
  nbf: now,
  jti: 'V2_69234237813329048-at_1',
  client_id: frontend,
});

const idToken = ({ issuer, audience, now }: At) => ({
  iss: issuer,
  sub,
  aud: [frontend, audience],
  azp: frontend,
  client_id: frontend,
  amr: ['pwd'],
  auth_time: now,
  sid: 'V1_2916',
  preferred_username: email,
});

export const zitadel: Shape = {
  section: 'Zitadel',
  accepted: {
    'a person': user('', person),
    // Roles are the names of members, whose values are organizations; they are no list.
    'a person, with roles': user('', person, {
      'urn:zitadel:iam:org:project:roles': { editor: { '259241944654282754': 'acme.example.org' } },
    }),
    'a person, with roles that an action has made a list of': user('editor', person, { roles: ['editor'] }),
  },
  refused: {
    'the ID token, which is for the project too': refusedIdToken(idToken),
    'the ID token with the hash of its access token': refusedIdToken(idToken, {
      at_hash: 'fPlsvVszI29LU2UhDyJ9vg',
      jti: 'x',
    }),
    'a token for another project': refused(
      'audience_mismatch',
      /Ask the provider for a token for that audience/,
      person,
      { aud: [frontend] },
    ),
  },
};
