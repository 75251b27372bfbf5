import { createServer, type Server } from 'node:net';

/** Below the ephemeral ports of the system. Each process has some of its own. */
const [lowest, slices, perSlice] = [10_000, 220, 100];
let given = 0;

/** A port of loopback that nothing listens on, and that no other test gets before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const wanted = lowest + (process.pid % slices) * perSlice + (given % perSlice);
    given += 1;
    try {
      const { port, release } = await takePort('127.0.0.1', wanted);
      await release();
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/** A port that is taken until it is released. */
export async function takePort(
  host = '127.0.0.1',
  wanted = 0,
): Promise<{ port: number; release(): Promise<void> }> {
  const server: Server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(wanted, host, resolve));
  const { port } = server.address() as { port: number };
  return { port, release: () => new Promise((resolve) => server.close(() => resolve())) };
}
