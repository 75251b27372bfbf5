import express from 'express';
import { auth } from 'express-oauth2-jwt-bearer';
import { createAnswer, readGiven } from './given.ts';

/** Express with Auth0's middleware: its defaults, which keep the provider's keys for ten minutes. */
const given = readGiven();
const answerTo = createAnswer(given);
const { issuer, jwksUri, audience } = given;

const app = express();
// Neither is asked for, and each costs something on every answer.
app.disable('x-powered-by');
app.disable('etag');
app.get(given.path, auth({ issuer, jwksUri, audience, tokenSigningAlg: 'RS256' }), (request, response) => {
  response.json(answerTo(request.auth?.payload ?? {}));
});
app.listen(given.port, '127.0.0.1');
