import express from 'express';
import { readGiven } from './given.ts';

/** What Express alone needs to answer: no token is looked at, so there is nothing to put into the answer. */
const given = readGiven();
const answer = JSON.parse(given.answer.body);

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get(given.path, (_request, response) => {
  response.json(answer);
});
app.listen(given.port, '127.0.0.1');
