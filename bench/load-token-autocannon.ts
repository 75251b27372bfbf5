import autocannon from 'autocannon';
import { printSeen } from './autocannon-result.ts';
import { readGiven } from './child.ts';
import type { PostLoad } from './load-token.ts';

/** POST where wrk is not at hand: the same request again and again. */
const { url, contentType, body, seconds, connections } = readGiven<PostLoad & { connections: number }>();

printSeen(
  await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': contentType },
    body,
    connections,
    duration: seconds,
    timeout: 10,
    sampleInt: 10,
  }),
);
