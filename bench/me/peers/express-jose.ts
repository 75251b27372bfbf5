import express from 'express';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { createAnswer, readGiven } from './given.ts';

/** Express with a middleware of one's own around jose, as its documentation shows for remote key sets. */
const given = readGiven();
const answerTo = createAnswer(given);
const { issuer, audience } = given;
const keys = createRemoteJWKSet(new URL(given.jwksUri));

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get(given.path, async (request, response) => {
  try {
    const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms: ['RS256'] });
    response.json(answerTo(payload));
  } catch {
    response.status(403).end();
  }
});
app.listen(given.port, '127.0.0.1');
