import { join } from 'node:path';
import type { Options } from '../shared/options.ts';
import { findProgram, type Program, script } from '../shared/processes.ts';
import { choosePeers } from '../shared/stage.ts';
import { vestibule } from '../shared/vestibule.ts';
import type { MeSurroundings } from './peers/given.ts';
import { haproxy } from './peers/haproxy.ts';

export interface Peer {
  readonly name: string;
  readonly title: string;
  /** False for the floor, which looks at no token. */
  readonly verifies: boolean;
  /** Has a readiness endpoint of its own; the others are ready when they answer a good token. */
  readonly hasReadyz?: true;
  /** A program that this machine may not have. */
  readonly needs?: string;
  start(surroundings: MeSurroundings): Program;
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
const lineUp: readonly Peer[] = [
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
    needs: 'haproxy',
    start: haproxy,
  },
];

/** `@vestibule/verify` beside what else is used on the same framework, and the framework that looks at no token. */
const verifyLineUp: readonly Peer[] = [
  bare,
  { ...server('express-bare', 'Express, no verifier', 'express-bare.ts'), verifies: false },
  server('express-verify', 'Express + @vestibule/verify', 'express-verify.ts'),
  server('express-auth0', 'Express + express-oauth2-jwt-bearer', 'express-oauth2-jwt-bearer.ts'),
  server('express-jose', 'Express + jose', 'express-jose.ts'),
  { ...server('fastify-bare', 'Fastify, no verifier', 'fastify-bare.ts'), verifies: false },
  server('fastify-verify', 'Fastify + @vestibule/verify', 'fastify-verify.ts'),
  server('fastify-jwt', 'Fastify + @fastify/jwt + get-jwks', 'fastify-jwt.ts'),
  server('fastify-jwt-cached', 'the same, its token cache on', 'fastify-jwt.ts', 'cached'),
  server('fastify-aws', 'Fastify + aws-jwt-verify', 'fastify-aws-jwt-verify.ts'),
];

/** The peers asked for that this machine has; the floor is always among them. */
export function chooseMePeers(options: Options, say: (line: string) => void): readonly Peer[] {
  const all = options.subject === 'verify' ? verifyLineUp : lineUp;
  const chosen = choosePeers(all, options);
  return all.filter((peer) => {
    if (peer === bare) return true;
    const isHere = peer.needs === undefined || findProgram(peer.needs) !== null;
    if (chosen.includes(peer) && !isHere) say(`${peer.name} is not on this machine and is left out.`);
    return chosen.includes(peer) && isHere;
  });
}

/** A peer that is a program of the peers folder. */
function server(name: string, title: string, file: string, ...parameters: string[]): Peer {
  return {
    name,
    title,
    verifies: true,
    start({ port, path, issuer, jwksUri, audience, answer }) {
      const given = { port, path, issuer, jwksUri, audience, answer };
      return script(join(import.meta.dirname, 'peers', file), given, ...parameters);
    },
  };
}
