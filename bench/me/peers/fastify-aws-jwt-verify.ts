import { JwtVerifier } from 'aws-jwt-verify';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import Fastify from 'fastify';
import { createAnswer, readGiven } from './given.ts';

/** Fastify with AWS's verifier, its keys fetched before the first request, as its documentation shows. */
const given = readGiven();
const answerTo = createAnswer(given);
const { issuer, jwksUri, audience } = given;

// The library's own fetcher speaks HTTPS only, and the provider of the benchmark does not.
const fetcher = { fetch: async (uri: string) => (await fetch(uri)).arrayBuffer() };
const jwksCache = new SimpleJwksCache({ fetcher });
const verifier = JwtVerifier.create({ issuer, audience, jwksUri }, { jwksCache });
await verifier.hydrate();

const app = Fastify();
app.get(given.path, async (request, reply) => {
  try {
    const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
    return answerTo(await verifier.verify(token));
  } catch {
    return reply.code(403).send();
  }
});
await app.listen({ port: given.port, host: '127.0.0.1' });
