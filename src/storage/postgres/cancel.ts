import { Buffer } from 'node:buffer';
import { createConnection } from 'node:net';
import type { Client } from 'pg';

const giveUpMs = 3_000;
const cancelRequest = 80_877_102;

/**
 * Sessions with one read to do, and nothing else: only that may be cancelled. A commit that waits for a standby and is cancelled
 * is answered as if the standby had it.
 */
const reading = new WeakSet<object>();

export async function whileReading<T>(client: object, read: () => Promise<T>): Promise<T> {
  reading.add(client);
  try {
    return await read();
  } finally {
    reading.delete(client);
  }
}

export function cancelRead(client: Client): void {
  if (reading.has(client)) cancel(client);
}

/**
 * Asks PostgreSQL, on a connection of its own as its protocol has it, to end what a session is still about that nobody waits
 * for any more: one that waits for a lock would not notice by itself, and they would become more and more. Nobody answers it.
 */
function cancel(client: Client): void {
  const { host, port, processID, secretKey } = client as unknown as Record<string, unknown>;
  if (typeof host !== 'string' || typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const message = Buffer.alloc(16);
  const parts = [message.length, cancelRequest, processID, secretKey];
  for (const [index, part] of parts.entries()) message.writeInt32BE(part, index * 4);
  const socket = host.startsWith('/')
    ? createConnection(`${host}/.s.PGSQL.${port}`)
    : createConnection(Number(port), host);
  socket.setTimeout(giveUpMs, () => socket.destroy());
  socket.on('error', () => {});
  // Ended by the other side when it has done so: PgBouncer forgets the request of whoever hangs up before.
  socket.resume();
  socket.write(message);
  socket.unref();
}
