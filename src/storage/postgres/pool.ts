import { Socket } from 'node:net';
import { Pool, type PoolConfig, types } from 'pg';

const connectTimeoutMs = 3_000;
const statementTimeoutMs = 5_000;
const int8 = 20;

/** Gives up after seconds, on both sides. */
export function hurriedPool(url: string, most: number): Pool {
  return connect(url, {
    max: most,
    statement_timeout: statementTimeoutMs,
    idleTimeoutMillis: statementTimeoutMs,
    stream: impatientSocket,
  });
}

/** One connection, for what may take long. */
export function patientPool(url: string): Pool {
  return connect(url, { max: 1 });
}

function connect(url: string, limits: PoolConfig): Pool {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'vestibule',
    // Every bigint of ours is a time or a count and fits a number.
    types: {
      getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format as 'text')),
    },
    // A statement need not wait until the one before is answered.
    pipeline: true,
    ...limits,
  });
  // An idle connection that breaks is replaced at the next query, which reports what is wrong.
  pool.on('error', () => {});
  // One that breaks in use fails the statement that waits for an answer.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * A server that is silent for longer than a statement may take is gone. The driver would set a timer for each statement,
 * and what those leave behind survives until the whole heap is looked through; a socket moves the one that it has along.
 * Connections that nobody uses are closed before.
 */
export function impatientSocket(): Socket {
  const socket = new Socket();
  const silentMs = statementTimeoutMs + 1_000;
  socket.setTimeout(silentMs, () => socket.destroy(new Error(`not a word for ${silentMs / 1000} s`)));
  return socket;
}
