import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createDatabase, startPostgres } from '../support/databases/postgres.ts';
import { freePort } from '../support/run/ports.ts';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

export interface Cost {
  readonly seconds: number;
  /** Of all processes of PostgreSQL. */
  readonly cpuSeconds: number;
  /** What went into its log. */
  readonly walBytes: number;
}

/** A PostgreSQL as the tests have it, with memory for more, and nothing that comes by itself in the middle of a measurement. */
export class MeasuredPostgres {
  readonly url: string;
  readonly stop: () => Promise<void>;
  readonly #client: Client;
  readonly #main: number;

  private constructor(url: string, client: Client, main: number, stop: () => Promise<void>) {
    this.url = url;
    this.stop = stop;
    this.#client = client;
    this.#main = main;
  }

  static async start(): Promise<MeasuredPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'vestibule-scale-'));
    // PostgreSQL may run as a user of its own, who has to get to its folder.
    chmodSync(folder, 0o711);
    const settings = ['shared_buffers=2GB', 'maintenance_work_mem=1GB', 'max_wal_size=4GB', 'autovacuum=off'];
    const flags = settings.flatMap((setting) => ['-c', setting]);
    const server = await startPostgres(`${folder}/data`, await freePort(), flags);
    const main = Number(readFileSync(`${folder}/data/postmaster.pid`, 'utf8').split('\n')[0]);
    const endAtOnce = () => process.kill(main, 'SIGQUIT');
    process.once('exit', endAtOnce);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
    const url = await createDatabase(server.url);
    const client = new Client({ connectionString: url });
    await client.connect();
    return new MeasuredPostgres(url, client, main, async () => {
      await client.end();
      process.off('exit', endAtOnce);
      await server.stop();
    });
  }

  async rows<Row = Record<string, unknown>>(sql: string): Promise<readonly Row[]> {
    return (await this.#client.query(sql)).rows as Row[];
  }

  /** Each on a connection of its own, all at once. */
  async atOnce(statements: readonly string[]): Promise<void> {
    await Promise.all(
      statements.map(async (statement) => {
        const client = new Client({ connectionString: this.url });
        await client.connect();
        await client.query(statement).finally(() => client.end());
      }),
    );
  }

  async value(sql: string): Promise<number> {
    const [row = {}] = await this.rows(sql);
    return Number(Object.values(row)[0]);
  }

  async costOf(work: () => Promise<unknown>): Promise<Cost> {
    const walAt = () => this.value("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
    const [wal, cpu, startedAt] = [await walAt(), this.#cpuSeconds(), performance.now()];
    await work();
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, cpuSeconds: this.#cpuSeconds() - cpu, walBytes: (await walAt()) - wal };
  }

  /** While it is filled nothing has to survive a loss of power. */
  async setDurable(isDurable: boolean): Promise<void> {
    await this.rows(`alter system set fsync = ${isDurable ? 'on' : 'off'}`);
    await this.rows('select pg_reload_conf()');
    if (isDurable) await this.rows('checkpoint');
  }

  /** What those have had that are gone is counted with the first one. */
  #cpuSeconds(): number {
    const children = readFileSync(`/proc/${this.#main}/task/${this.#main}/children`, 'utf8').trim();
    const ticks = (pid: number, fields: readonly number[]) => {
      const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const all = line.slice(line.lastIndexOf(')') + 2).split(' ');
      return fields.reduce((sum, field) => sum + Number(all[field]), 0);
    };
    const [own, ofGone] = [
      [11, 12],
      [13, 14],
    ] as const;
    const pids = children.split(' ').filter(Boolean).map(Number);
    const all = pids.reduce((sum, pid) => sum + ticks(pid, own), ticks(this.#main, [...own, ...ofGone]));
    return all / ticksPerSecond;
  }
}
