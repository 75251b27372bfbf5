import { type At, changed, type Shape, sub } from './shape.ts';

const session = ({ issuer, audience, now }: At) => ({
  azp: audience,
  exp: now + 60,
  fva: [7, -1],
  iat: now,
  iss: issuer,
  nbf: now - 10,
  sid: 'sess_2k3',
  sts: 'active',
  sub,
  v: 2,
});

export const clerk: Shape = {
  section: 'Clerk',
  accepted: {
    'a person': { claims: session, header: { cat: 'cl_B7d4PD111AAA' }, kind: 'user', scopes: [] },
    'a person in an organization': {
      claims: changed(session, { o: { id: 'org_123', rol: 'admin', slg: 'acme' } }),
      kind: 'user',
      scopes: [],
    },
  },
  refused: {
    'a person at another frontend of the same instance': {
      claims: changed(session, { azp: 'https://evil.example.org' }),
      code: 'audience_mismatch',
      says: /it says "https:\/\/evil\.example\.org" \("azp"\), and "audience" of "clerk" in IDPS_FILE is/,
    },
    'a token that names no frontend': {
      claims: changed(session, { azp: undefined }),
      code: 'audience_mismatch',
      says: /it says none \("azp"\), and "audience" of "clerk" in IDPS_FILE is/,
    },
  },
};
