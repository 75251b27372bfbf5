import Fastify from 'fastify';
import { readGiven } from './given.ts';

/** What Fastify alone needs to answer: no token is looked at, so there is nothing to put into the answer. */
const given = readGiven();
const answer = JSON.parse(given.answer.body);

const app = Fastify();
app.get(given.path, async () => answer);
await app.listen({ port: given.port, host: '127.0.0.1' });
