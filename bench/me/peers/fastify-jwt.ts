import fastifyJwt from '@fastify/jwt';
import Fastify from 'fastify';
import buildGetJwks from 'get-jwks';
import { type Claims, createAnswer, readGiven } from './given.ts';

/**
 * Fastify with @fastify/jwt and get-jwks, as "Verifying with JWKS" in its documentation shows. Started with
 * "cached" it remembers verified tokens too, which the documentation offers for speed and leaves off.
 */
const given = readGiven();
const answerTo = createAnswer(given);
const { issuer, audience } = given;
const tokenCache = process.argv[2] === 'cached' ? { cache: 10_000 } : {};

const getJwks = buildGetJwks({ issuersWhitelist: [issuer] });
const app = Fastify();
await app.register(fastifyJwt, {
  decode: { complete: true },
  secret: (_request: unknown, token: unknown) => {
    const { header, payload } = token as { header: { kid: string; alg: string }; payload: { iss: string } };
    return getJwks.getPublicKey({ kid: header.kid, alg: header.alg, domain: payload.iss });
  },
  verify: { algorithms: ['RS256'], allowedIss: issuer, allowedAud: audience, ...tokenCache },
});
app.addHook('onRequest', async (request, reply) => {
  try {
    await request.jwtVerify();
  } catch {
    // The library lets the failures of get-jwks through as 500; here each is a refusal.
    return reply.code(401).send();
  }
});
app.get(given.path, async (request) => answerTo(request.user as Claims));
await app.listen({ port: given.port, host: '127.0.0.1' });
