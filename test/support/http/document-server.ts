import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Documents = Readonly<Record<string, object | null>>;

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
