import { type At, changed, email, refused, type Shape, sub, user } from './shape.ts';

const person = ({ issuer, audience, now }: At) => ({
  aal: 'aal1',
  amr: [{ method: 'password', timestamp: now }],
  app_metadata: { provider: 'email', roles: ['editor'] },
  aud: audience,
  email,
  is_anonymous: false,
  iss: issuer,
  phone: '',
  role: 'authenticated',
  session_id: '3b1e',
  sub,
  // Whatever a person writes there.
  user_metadata: { roles: ['admin'], scope: 'admin' },
});

export const supabase: Shape = {
  section: 'Supabase',
  accepted: {
    'a person, with roles that the project gave': user('editor', person),
    'an anonymous person': user('', person, { is_anonymous: true, email: '', app_metadata: {} }),
  },
  refused: {
    'a token signed with the secret of the project': {
      claims: person,
      isSymmetric: true,
      code: 'algorithm_not_allowed',
      says: /signed with a shared secret \(HS256\)/,
    },
    'the API key of the project': {
      claims: changed(person, { iss: 'supabase', role: 'anon', sub: undefined, aud: undefined }),
      isSymmetric: true,
      code: 'algorithm_not_allowed',
      says: /signed with a shared secret \(HS256\)/,
    },
    'a token with another role': refused(
      'token_type_not_allowed',
      /have role "authenticated", and this one does not/,
      person,
      { role: 'service_role' },
    ),
  },
};
