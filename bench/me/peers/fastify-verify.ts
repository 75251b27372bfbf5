import Fastify from 'fastify';
import { callerOf, protect } from '../../../packages/verify/src/fastify.ts';
import { createVerifier } from '../../../packages/verify/src/index.ts';
import { createAnswer, readGiven } from './given.ts';

/** Fastify with @vestibule/verify and its defaults, as its documentation shows. */
const given = readGiven();
const answerTo = createAnswer(given);
const { issuer, jwksUri: jwksUrl, audience } = given;
const verifier = createVerifier({ issuer, jwksUrl, audience });

const app = Fastify();
app.get(given.path, { onRequest: protect(verifier) }, async (request) => answerTo(callerOf(request).claims));
await app.listen({ port: given.port, host: '127.0.0.1' });
