import { type At, client, email, name, refused, refusedIdToken, type Shape, sub, user } from './shape.ts';

const tenant = '8a1f3c52-6d07-4b9e-a3d1-5e2c90b7f614';
const frontend = '5b60f1a9-e8d3-4c27-8f94-31a7c5d2b06e';
const object = '4d0c7e11-93a2-4c55-b7f0-0d1e6a2b9c38';

const common = ({ issuer, audience, now }: At) => ({
  iss: issuer,
  aud: audience,
  iat: now,
  nbf: now,
  aio: 'AXQAi/8TAAAA',
  oid: object,
  rh: '0.AXQA',
  sub,
  tid: tenant,
  uti: 'GQGl3VhF9Uq1AA',
  ver: '2.0',
});

const person = (at: At) => ({
  ...common(at),
  azp: frontend,
  azpacr: '0',
  name,
  preferred_username: email,
  scp: 'access notes.read',
});

const program = (at: At) => ({
  ...common(at),
  azp: frontend,
  azpacr: '1',
  sub: object,
  roles: ['notes.read'],
});

const idToken = (at: At) => ({ ...common(at), name, preferred_username: email });

export const entra: Shape = {
  section: 'Microsoft Entra',
  accepted: {
    'a person': user('access notes.read', person),
    'a person, with an app role': user('access notes.read Notes.Admin', person, { roles: ['Notes.Admin'] }),
    // The groups are at another URL, which the service does not read: only groups in the token grant anything.
    'a person in too many groups': user('access notes.read', person, {
      _claim_names: { groups: 'src1', roles: 'src1' },
      _claim_sources: { src1: { endpoint: 'http://127.0.0.1:9/getMemberObjects' } },
    }),
    'a program, by its object': client('notes.read', program),
    'a program with idtyp "app"': client('notes.read', program, { idtyp: 'app', sub: 'another-program' }),
  },
  refused: {
    'the ID token of a frontend that is also the API': refusedIdToken(idToken),
    'the same with app roles': refusedIdToken(idToken, { roles: ['Notes.Admin'] }),
    'the same with a nonce': refusedIdToken(idToken, { nonce: '678910' }),
    'a version 1 token': refused(
      'issuer_mismatch',
      /and only .* are accepted\. Add an entry for it to IDPS_FILE/,
      person,
      {
        iss: `https://sts.windows.net/${tenant}/`,
        ver: '1.0',
        azp: undefined,
        appid: frontend,
      },
    ),
  },
};
