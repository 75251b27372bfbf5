import { type At, refused, type Shape, sub, user } from './shape.ts';

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
    'a person': { ...user('', session), header: { cat: 'cl_B7d4PD111AAA' } },
    'a person in an organization': user('', session, { o: { id: 'org_123', rol: 'admin', slg: 'acme' } }),
  },
  refused: {
    'a person at another frontend of the same instance': refused(
      'audience_mismatch',
      /it says "https:\/\/evil\.example\.org" \("azp"\), and "audience" of "clerk" in IDPS_FILE is/,
      session,
      { azp: 'https://evil.example.org' },
    ),
    'a token that names no frontend': refused(
      'audience_mismatch',
      /it says none \("azp"\), and "audience" of "clerk" in IDPS_FILE is/,
      session,
      { azp: undefined },
    ),
  },
};
