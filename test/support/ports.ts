import { createServer, type Server } from 'node:net';

/** A port of loopback that nobody listens on. */
export async function freePort(): Promise<number> {
  const { port, release } = await takePort();
  await release();
  return port;
}

/** A port that is taken until it is released. */
export async function takePort(host = '127.0.0.1'): Promise<{ port: number; release(): Promise<void> }> {
  const server: Server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as { port: number };
  return { port, release: () => new Promise((resolve) => server.close(() => resolve())) };
}
