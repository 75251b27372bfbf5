import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

export type Documents = Readonly<Record<string, object | null>>;

/** Listens on loopback; the origin there. */
export async function listen(server: Server, port = 0): Promise<string> {
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export type DocumentServer = Awaited<ReturnType<typeof serveDocuments>>;

/** Serves documents on loopback, and 404 for everything else. `before` may add headers, or answer itself. */
export async function serveDocuments(
  documentsAt: (origin: string) => Documents,
  before: (request: IncomingMessage, response: ServerResponse) => 'answered' | undefined = () => undefined,
) {
  const server = createServer((request, response) => {
    if (before(request, response) === 'answered') return;
    const document = documentsAt(`http://${request.headers.host}`)[String(request.url)] ?? null;
    response.writeHead(document === null ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  return {
    origin: await listen(server),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
