import { Socket } from 'node:net';
import { Client, type ClientConfig, Pool, type PoolConfig, types } from 'pg';
import { cancelRead } from './cancel.ts';

const connectTimeoutMs = 3_000;
const statementTimeoutMs = 5_000;
const int8 = 20;

/**
 * How a transaction begins: PostgreSQL gives up on it after seconds, and one of a process that stands still in the middle of it
 * keeps its locks no longer than that. Said in each transaction and not to the session, which behind a pooler is another
 * one for each, and may be somebody else's next; all of it is one message.
 */
export const hurriedBegin = beginWithin(statementTimeoutMs);
/** For what may take long, whatever the role is limited to otherwise. */
export const patientBegin = beginWithin(0);

function beginWithin(limitMs: number): string {
  return `begin; set local statement_timeout = ${limitMs}; set local idle_in_transaction_session_timeout = ${limitMs}`;
}

/** Gives up after seconds; a read outside of a transaction is then ended by `cancelRead`. */
export function hurriedPool(url: string, most: number): Pool {
  return connect(url, {
    max: most,
    idleTimeoutMillis: statementTimeoutMs,
    Client: ImpatientClient as unknown as PoolConfig['Client'],
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
  let asked = 0;
  socket.setTimeout(silentMs);
  socket.on('timeout', () => {
    if (asked === mostAsked) return void socket.destroy(new Error(`not a word for ${silentMs / 1000} s`));
    asked += 1;
    socket.setTimeout(lastWordMs);
    socket.emit(silent);
  });
  return socket;
}

const silent = 'silent';
/**
 * For the answer to a request to give up, which behind a pooler counts only while the connection is there and has a session:
 * a statement that waited for one until others were given up would begin now and go on for nobody.
 */
const lastWordMs = 100;
const mostAsked = 5;

/** Has PostgreSQL give up a read, before it is given up here. */
class ImpatientClient extends Client {
  constructor(config: ClientConfig) {
    const socket = impatientSocket();
    super({ ...config, stream: () => socket });
    socket.on(silent, () => cancelRead(this));
  }
}
