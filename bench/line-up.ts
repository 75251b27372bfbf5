import { join } from 'node:path';
import type { Answer } from './peers/given.ts';
import { haproxy } from './peers/haproxy.ts';
import { vestibule } from './peers/vestibule.ts';
import { findProgram, type Program, script } from './processes.ts';

/** All that a peer may need to start. */
export interface Surroundings {
  readonly port: number;
  /** Health and metrics, for whoever has them. */
  readonly opsPort: number;
  /** A folder of its own. */
  readonly folder: string;
  readonly path: string;
  readonly issuer: string;
  /** What the provider signs with. */
  readonly algorithm: string;
  readonly jwksUri: string;
  readonly jwksPath: string;
  readonly audience: string;
  readonly publicKeyPem: string;
  readonly answer: Answer;
}

export interface Peer {
  readonly name: string;
  readonly title: string;
  /** False for the floor, which looks at no token. */
  readonly verifies: boolean;
  /** Has a readiness endpoint of its own; the others are ready when they answer a good token. */
  readonly hasReadyz?: true;
  /** Null when the program is not on this machine. */
  start(surroundings: Surroundings): Program | null;
}

/** Everything else is a ratio to this one. */
export const bare: Peer = {
  ...server('bare', 'node:http, bare', 'bare.ts'),
  verifies: false,
};

export const ours: Peer = {
  name: 'vestibule',
  title: 'Vestibule, request log off',
  verifies: true,
  hasReadyz: true,
  start: (surroundings) => vestibule(surroundings, 'warn'),
};

/** In the order in which they are measured. */
export const lineUp: readonly Peer[] = [
  bare,
  ours,
  {
    ...ours,
    name: 'vestibule-logging',
    title: 'Vestibule, as shipped',
    start: (surroundings) => vestibule(surroundings, 'info'),
  },
  server('express', 'express-oauth2-jwt-bearer', 'express-oauth2-jwt-bearer.ts'),
  server('fastify-jwt', '@fastify/jwt + get-jwks', 'fastify-jwt.ts'),
  server('fastify-jwt-cached', '@fastify/jwt + get-jwks, token cache on', 'fastify-jwt.ts', 'cached'),
  server('hono', 'Hono jwk', 'hono-jwk.ts'),
  server('fastify-aws', 'Fastify + aws-jwt-verify', 'fastify-aws-jwt-verify.ts'),
  {
    name: 'haproxy',
    title: 'HAProxy jwt_verify',
    verifies: true,
    start(surroundings) {
      const command = findProgram('haproxy');
      return command === null ? null : haproxy(command, surroundings);
    },
  },
];

/** The peers asked for; the floor is always among them. */
export function choosePeers(names: readonly string[] | null): readonly Peer[] {
  if (names === null) return lineUp;
  const unknown = names.filter((name) => !lineUp.some((peer) => peer.name === name));
  if (unknown.length > 0) {
    const known = lineUp.map(({ name }) => name).join(', ');
    throw new Error(`--only does not know ${unknown.join(', ')}. There are: ${known}.`);
  }
  return lineUp.filter((peer) => peer === bare || names.includes(peer.name));
}

/** A peer that is a program of the peers folder. */
function server(name: string, title: string, file: string, ...parameters: string[]): Peer {
  return {
    name,
    title,
    verifies: true,
    start({ port, path, issuer, jwksUri, audience, answer }) {
      const given = { port, path, issuer, jwksUri, audience, answer };
      return script(join('peers', file), given, ...parameters);
    },
  };
}
