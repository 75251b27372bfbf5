import express from 'express';
import { callerOf, protect } from '../../../packages/verify/src/express.ts';
import { createVerifier } from '../../../packages/verify/src/index.ts';
import { createAnswer, readGiven } from './given.ts';

/** Express with @vestibule/verify and its defaults, as its documentation shows. */
const given = readGiven();
const answerTo = createAnswer(given);
const { issuer, jwksUri: jwksUrl, audience } = given;
const verifier = createVerifier({ issuer, jwksUrl, audience });

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get(given.path, protect(verifier), (request, response) => {
  response.json(answerTo(callerOf(request).claims));
});
app.listen(given.port, '127.0.0.1');
