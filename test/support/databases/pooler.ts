import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { until } from '../run/polling.ts';
import { freePort } from '../run/ports.ts';
import { findProgram } from '../run/programs.ts';

/** Sessions with PostgreSQL for all who come through it, for each database. */
const sessions = 5;

/**
 * A real PgBouncer in front of a PostgreSQL, which gives each transaction whichever session is free. It takes no more start-up
 * parameters than it does by itself.
 */
export async function startPooler(directory: string, server: URL) {
  const port = await freePort();
  mkdirSync(directory, { recursive: true });
  const file = `${directory}/pgbouncer.ini`;
  const { hostname, port: serverPort, username, password } = server;
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 2000
server_idle_timeout = 10
server_login_retry = 1
`,
  );
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(await findProgram('pgbouncer'), [...user, file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said = `${said}${text}`.slice(-4_000);
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    // At once: SIGTERM would wait for those who are connected.
    child.kill('SIGQUIT');
    await gone;
  };
  try {
    const isUp = async () => child.exitCode !== null || (await isOpen(port));
    await until(isUp, true, 'PgBouncer does not listen');
    if (child.exitCode !== null) throw new Error(`PgBouncer has ended: ${said}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, stop };
}

function isOpen(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
