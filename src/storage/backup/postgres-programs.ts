import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { OperatorError } from '../../base/errors.ts';

type Variables = Readonly<Record<string, string | undefined>>;
type Program = 'pg_dump' | 'pg_restore';

const dumpOptions = ['--format=custom', '--no-owner', '--no-privileges'];
const restoreOptions = ['--no-owner', '--no-privileges', '--single-transaction', '--exit-on-error'];

/** PostgreSQL's own programs for one database. What connects them goes by the environment, where other users cannot see it. */
export class PostgresPrograms {
  readonly #url: string;
  readonly #environment: Variables;

  constructor(url: string, environment: Variables) {
    this.#url = url;
    this.#environment = { ...forPrograms(environment), ...connectionVariables(url) };
  }

  async dump(to: string): Promise<void> {
    await this.#run('pg_dump', [...dumpOptions, `--file=${to}`], () => this.#dumpLine(to));
    const listed = await this.#run('pg_restore', ['--list', to], () => this.#dumpLine(to));
    if (!/ TABLE DATA \S+ records /.test(listed))
      throw new OperatorError('pg_dump has written a file without records. Nothing was kept of it.');
  }

  async restore(from: string): Promise<void> {
    const database = String(this.#environment.PGDATABASE);
    await this.#run('pg_restore', [...restoreOptions, `--dbname=${database}`, from], () =>
      this.#restoreLine(from),
    );
  }

  /** The rows of one table of a dump, as PostgreSQL writes them for COPY: a list of columns each. */
  async rowsOf(dump: string, table: string): Promise<readonly (readonly string[])[]> {
    const options = ['--data-only', `--table=${table}`, '--file=-', dump];
    const text = await this.#run('pg_restore', options, () => this.#restoreLine(dump));
    const [, rows = ''] = /^COPY [^\n]* FROM stdin;\n([\s\S]*?)^\\\.$/m.exec(text) ?? [];
    return rows
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t'));
  }

  #dumpLine(file: string): string {
    return `umask 077 && pg_dump ${dumpOptions.join(' ')} --file=${quoted(file)} ${quoted(withoutPassword(this.#url))}`;
  }

  #restoreLine(file: string): string {
    return `pg_restore ${restoreOptions.join(' ')} --dbname=${quoted(withoutPassword(this.#url))} ${quoted(file)}`;
  }

  async #run(program: Program, options: readonly string[], byHand: () => string): Promise<string> {
    if (!isOnPath(program, this.#environment.PATH))
      throw new OperatorError(
        `${program} is not on PATH. Install PostgreSQL's client programs, of the server's version or a newer one, or run this where they are (the password in PGPASSWORD or ~/.pgpass): ${byHand()}`,
      );
    const child = spawn(program, options, { env: this.#environment, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = ['', ''].map(() => [] as Buffer[]);
    child.stdout.on('data', (chunk: Buffer) => stdout?.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr?.push(chunk));
    const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
    if (code === 0) return Buffer.concat(stdout ?? []).toString();
    const said = Buffer.concat(stderr ?? [])
      .toString()
      .trim()
      .replaceAll(/\s*\n\s*/g, ' ');
    throw new OperatorError(`${program} could not do it (exit code ${code}): ${said}`);
  }
}

/** A custom-format dump says so by its first bytes. */
export function isDump(file: string): boolean {
  const start = Buffer.alloc(5);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, start);
  } finally {
    closeSync(descriptor);
  }
  return start.toString('latin1') === 'PGDMP';
}

function isOnPath(program: Program, path = ''): boolean {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .some((folder) => {
      try {
        accessSync(join(folder, program), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** All that they get to see of ours: no master secret. */
function forPrograms(environment: Variables): Variables {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => /^(PATH|HOME|LANG|PG.*)$/.test(name)),
  );
}

/** What PostgreSQL's programs read. `no-verify` is a word of our driver's. */
function connectionVariables(url: string): Variables {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const given = (name: string) => searchParams.get(name) ?? undefined;
  const mode = given('sslmode');
  const all = {
    PGHOST: given('host') ?? (hostname === '' ? 'localhost' : decodeURIComponent(hostname)),
    PGPORT: given('port') ?? (port === '' ? undefined : port),
    PGUSER: username === '' ? given('user') : decodeURIComponent(username),
    PGPASSWORD: password === '' ? given('password') : decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGSSLMODE: mode === 'no-verify' ? 'require' : mode,
    PGSSLROOTCERT: given('sslrootcert'),
    PGSSLCERT: given('sslcert'),
    PGSSLKEY: given('sslkey'),
    PGOPTIONS: given('options'),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export function withoutPassword(url: string): string {
  const plain = new URL(url);
  plain.password = '';
  plain.searchParams.delete('password');
  return plain.href;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
