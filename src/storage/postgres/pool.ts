import { Buffer } from 'node:buffer';
import { createConnection, Socket } from 'node:net';
import { Client, type ClientConfig, Pool, type PoolConfig, types } from 'pg';

const connectTimeoutMs = 3_000;
const statementTimeoutMs = 5_000;

/** By the id of the type. Every bigint of this schema fits a number; bytes are what they are on SQLite. */
const parsers = new Map<number, (text: string) => unknown>([
  [20, Number],
  [17, (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'))],
]);

/** Limits are set in each transaction, not in the session: behind a pooler the session is another one each time. */
export const beginWithTimeout = beginWithin(statementTimeoutMs);
export const beginWithoutTimeout = beginWithin(0);

function beginWithin(limitMs: number): string {
  return `begin; set local statement_timeout = ${limitMs}; set local idle_in_transaction_session_timeout = ${limitMs}`;
}

/** Statements time out; `cancelRead` ends a read outside of a transaction. */
export function poolWithTimeout(url: string, max: number): Pool {
  return connect(url, {
    max,
    idleTimeoutMillis: statementTimeoutMs,
    Client: ClientWithTimeout as unknown as PoolConfig['Client'],
  });
}

export function poolWithoutTimeout(url: string): Pool {
  return connect(url, { max: 1 });
}

function connect(url: string, limits: PoolConfig): Pool {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'vestibule',
    types: {
      getTypeParser: (oid, format) => parsers.get(oid) ?? types.getTypeParser(oid, format as 'text'),
    },
    // Sends statements without waiting for earlier answers.
    pipeline: true,
    ...limits,
  });
  // An idle connection that breaks is replaced at the next query, which reports the fault.
  pool.on('error', () => {});
  // A connection that breaks in use fails its current statement.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Destroys a connection that is silent for longer than a statement may take. A socket timer is cheaper than one per query. */
export function idleTimeoutSocket(): Socket {
  const socket = new Socket();
  const silentMs = statementTimeoutMs + 1_000;
  let asked = 0;
  socket.setTimeout(silentMs);
  socket.on('timeout', () => {
    if (asked === maxAsked)
      return void socket.destroy(new Error(`no data from PostgreSQL for ${silentMs / 1000} s`));
    asked += 1;
    socket.setTimeout(lastWordMs);
    socket.emit(silent);
  });
  return socket;
}

const silent = 'silent';
/** Time for the answer to a cancel request. A pooler passes one on only while the statement has a session, so ask again. */
const lastWordMs = 100;
const maxAsked = 5;

/** Cancels a read in PostgreSQL before the connection is destroyed. */
class ClientWithTimeout extends Client {
  constructor(config: ClientConfig) {
    const socket = idleTimeoutSocket();
    super({ ...config, stream: () => socket });
    socket.on(silent, () => cancelRead(this));
  }
}

const giveUpMs = 3_000;
const cancelRequest = 80_877_102;

/** Only a session with a single read may be cancelled: a cancelled commit that waits for a standby counts as committed. */
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

/** Sends a cancel request on its own connection: a read that waits for a lock would go on although its caller is gone. */
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
  // The server closes it: PgBouncer drops the request if this side closes first.
  socket.resume();
  socket.write(message);
  socket.unref();
}
