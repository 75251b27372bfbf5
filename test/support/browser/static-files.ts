import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** Serves the files of a folder as they are, as any server for plain files does. Gives what ends it. */
export async function serveFiles(folder: string, port: number): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = pathname === '/' ? '/index.html' : pathname;
    try {
      const content = readFileSync(`${folder}${file}`);
      response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream').end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
}
