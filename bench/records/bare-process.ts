import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Listing, pageSize } from './data.ts';

/**
 * The floor for one record: what Node alone needs to answer these bytes, with the headers that Vestibule sends. All records
 * are in memory, nothing is stored, and no token is verified.
 */
const [port = '', file = ''] = process.argv.slice(2);
const headers = {
  'cache-control': 'private, no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  vary: 'Authorization',
  'x-content-type-options': 'nosniff',
  'x-request-id': '0123456789ab-0',
  'content-type': 'application/json',
  etag: '"0123456789abcdef"',
  'ratelimit-policy': '"reads";q=1000000;w=60',
  ratelimit: '"reads";r=999999;t=60',
};

type Kept = Listing & { readonly id: string };
const records = JSON.parse(readFileSync(file, 'utf8')) as Kept[];
const bodies = new Map<string, Buffer>(
  records.map((record) => [record.id, Buffer.from(JSON.stringify(record))]),
);
let made = 0;

createServer((request, response) => {
  if (request.method === 'POST') return void create(request, response);
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://bare');
  if (pathname === '/listings') return send(response, 200, page(searchParams.get('from') ?? ''));
  const body = bodies.get(pathname.slice('/listings/'.length));
  if (body === undefined) send(response, 404, Buffer.from('{}'));
  else send(response, 200, body);
}).listen(Number(port), '127.0.0.1');

function page(from: string): Buffer {
  const items = records.filter(({ starts_at }) => starts_at >= from);
  items.sort((one, other) => (one.starts_at < other.starts_at ? -1 : 1));
  return Buffer.from(JSON.stringify({ items: items.slice(0, pageSize) }));
}

async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += chunk;
  made += 1;
  const id = `made-${made}`;
  const body = Buffer.from(JSON.stringify({ id, ...JSON.parse(text) }));
  bodies.set(id, body);
  send(response, 201, body);
}

function send(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}
