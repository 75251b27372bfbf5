import { once } from 'node:events';
import { connect } from 'node:net';
import { printResult, readGiven } from '../shared/child.ts';
import type { RefusalKind, RefusalProbe } from './refusal-timing.ts';

/** Times refusals, one after the other over one connection, all kinds in turn in an order that chance decides. */
const { port, bodies, samples } = readGiven<RefusalProbe>();
const warmUp = 100;
const socket = connect({ port, host: '127.0.0.1', noDelay: true });
await once(socket, 'connect');
socket.setEncoding('latin1');

const works = (Object.keys(bodies) as RefusalKind[]).map((kind) => {
  return { kind, request: requestOf(bodies[kind]), microseconds: [] as number[] };
});
for (let turn = -warmUp; turn < samples; turn++) {
  for (const { request, microseconds } of shuffled(works)) {
    const took = await timeOne(request);
    if (turn >= 0) microseconds.push(took);
  }
}
printResult(Object.fromEntries(works.map(({ kind, microseconds }) => [kind, microseconds])));
socket.destroy();

function requestOf(body: string): Buffer {
  const head = `POST /token HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** With as little of its own between the two looks at the clock as there can be. */
function timeOne(request: Buffer): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let answer = '';
  const read = (chunk: string) => {
    answer += chunk;
    if (!answer.endsWith('\r\n\r\n{}')) return;
    const took = (performance.now() - sentAt) * 1000;
    socket.off('data', read);
    socket.off('close', broken);
    if (answer.startsWith('HTTP/1.1 401 ')) resolve(took);
    else reject(new Error(`A refusal was to be timed, and this came: ${answer}`));
  };
  const broken = () => reject(new Error('The connection was closed.'));
  socket.on('data', read);
  socket.on('close', broken);
  const sentAt = performance.now();
  socket.write(request);
  return promise;
}

function shuffled<T>(values: readonly T[]): T[] {
  const order = values.map((value) => ({ value, at: Math.random() }));
  return order.sort((a, b) => a.at - b.at).map(({ value }) => value);
}
