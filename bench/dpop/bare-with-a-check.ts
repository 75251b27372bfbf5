import { createPublicKey, type KeyObject } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { readGiven } from '../shared/child.ts';
import { readProof, signatureHolds } from './proofs.ts';

/**
 * The ceiling: what Node.js alone needs to answer these bytes after one ES256 check a request. It looks at no token and at
 * nothing that a proof says, and reads the key of a header once. What came in with a turn of the event loop is checked in
 * a row, however much that is: it takes less than each check in the middle of other work.
 */
const { port, headers, body } = readGiven<{ port: number; headers: Record<string, string>; body: string }>();
const bytes = Buffer.from(body);
const keys = new Map<string, KeyObject>();
let waiting: { readonly proof: string; readonly response: ServerResponse }[] = [];

createServer((request, response) => {
  waiting.push({ proof: String(request.headers.dpop ?? ''), response });
  if (waiting.length === 1) setImmediate(answerAll);
}).listen(port, '127.0.0.1');

function answerAll(): void {
  const row = waiting;
  waiting = [];
  const results = row.map(({ proof }) => proof === '' || holds(proof));
  row.forEach(({ response }, index) => {
    response.writeHead(results[index] ? 200 : 403, headers);
    response.end(bytes);
  });
}

function holds(text: string): boolean {
  const proof = readProof(text);
  const key = keys.get(proof.header) ?? readKey(proof.header);
  keys.set(proof.header, key);
  return signatureHolds(proof, key);
}

function readKey(header: string): KeyObject {
  const { jwk } = JSON.parse(Buffer.from(header, 'base64url').toString());
  return createPublicKey({ key: jwk, format: 'jwk' });
}
