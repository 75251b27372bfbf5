import express from 'express';
import { readGiven } from './given.ts';

/** The floor of Express: it verifies no token, so the answer is fixed. */
const given = readGiven();
const answer = JSON.parse(given.answer.body);

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get(given.path, (_request, response) => {
  response.json(answer);
});
app.listen(given.port, '127.0.0.1');
