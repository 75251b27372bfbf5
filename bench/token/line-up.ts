import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Program, script } from '../shared/processes.ts';
import type { Surroundings } from '../shared/stage.ts';
import { addClient, vestibule } from '../shared/vestibule.ts';
import type { Algorithm } from './signing-rate.ts';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** One request, as it goes over the wire. */
export interface Post {
  readonly contentType: string;
  readonly body: string;
}

/** A peer that issues JWTs for client credentials at /token. */
export interface TokenPeer {
  readonly name: string;
  readonly title: string;
  readonly algorithm: Algorithm;
  /** Where its public keys are. */
  readonly keysPath: string;
  /** GET /me can be asked of the same process. */
  readonly servesMe: boolean;
  /** What is to be started, once a client is known there. */
  prepare(surroundings: Surroundings): Promise<{ program: Program; credentials: Credentials }>;
  post(credentials: Credentials): Post;
}

const clientId = 'bench-client';

/** In the order in which they are measured. */
export const lineUp: readonly TokenPeer[] = [
  ours('RS256'),
  {
    name: 'oidc-provider',
    title: 'oidc-provider, RS256',
    algorithm: 'RS256',
    keysPath: '/jwks',
    servesMe: false,
    async prepare({ port, audience }) {
      const credentials = { clientId, clientSecret: randomBytes(32).toString('base64url') };
      const file = join(import.meta.dirname, 'oidc-provider.ts');
      return { program: script(file, { port, audience, ...credentials }), credentials };
    },
    post: ({ clientId, clientSecret }) => ({
      contentType: 'application/x-www-form-urlencoded',
      body: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
    }),
  },
  ours('ES256'),
];

function ours(algorithm: Algorithm): TokenPeer {
  return {
    name: `vestibule-${algorithm.toLowerCase()}`,
    title: `Vestibule, ${algorithm}`,
    algorithm,
    keysPath: '/.well-known/jwks.json',
    servesMe: true,
    async prepare(surroundings) {
      const program = vestibule(surroundings, 'warn', { TOKEN_SIGNING_ALG: algorithm });
      return { program, credentials: { clientId, clientSecret: await addClient(program, clientId) } };
    },
    post: jsonPost,
  };
}

/** As the specification writes it. */
export function jsonPost({ clientId, clientSecret }: Credentials): Post {
  return {
    contentType: 'application/json',
    body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
  };
}
