import { type At, changed, email, type Shape, sendAccessToken, sub } from './shape.ts';

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
    'a person': { claims: person, kind: 'user', scopes: [] },
    // Roles are the names of members, whose values are organizations; they are no list.
    'a person, with roles': {
      claims: changed(person, {
        'urn:zitadel:iam:org:project:roles': { editor: { '259241944654282754': 'acme.example.org' } },
      }),
      kind: 'user',
      scopes: [],
    },
    'a person, with roles that an action has made a list of': {
      claims: changed(person, { roles: ['editor'] }),
      kind: 'user',
      scopes: ['editor'],
    },
  },
  refused: {
    'the ID token, which is for the project too': {
      claims: idToken,
      code: 'token_type_not_allowed',
      says: sendAccessToken,
    },
    'the ID token with the hash of its access token': {
      claims: changed(idToken, { at_hash: 'fPlsvVszI29LU2UhDyJ9vg', jti: 'x' }),
      code: 'token_type_not_allowed',
      says: sendAccessToken,
    },
    'a token for another project': {
      claims: changed(person, { aud: [frontend] }),
      code: 'audience_mismatch',
      says: /Ask the provider for a token for that audience/,
    },
  },
};
