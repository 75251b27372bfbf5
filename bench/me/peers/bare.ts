import { createServer } from 'node:http';
import { readGiven } from './given.ts';

/** The floor: what the runtime alone needs to answer these bytes. It looks at no token. */
const { port, answer } = readGiven();
const body = Buffer.from(answer.body);

createServer((_request, response) => {
  response.writeHead(200, answer.headers);
  response.end(body);
}).listen(port, '127.0.0.1');
