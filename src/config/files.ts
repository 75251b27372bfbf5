import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import { OperatorError } from '../base/errors.ts';
import { accessTo, FolderError, makePrivateFolder, publishFile } from '../base/files.ts';
import { createSecret } from '../base/random.ts';
import { masterSecret as parseMasterSecret } from './kinds.ts';
import type { Config, StorageConfig } from './settings.ts';
import { naming, readBytes, readTextFile, systemCode } from './text-file.ts';

/** The master secret: from MASTER_SECRET, else from its file, else (SQLite) from the file beside the database. */
export function readMasterSecret(config: StorageConfig): string {
  if (config.masterSecret !== null) return config.masterSecret;
  if (config.masterSecretFile !== null) return checked('MASTER_SECRET_FILE', config.masterSecretFile);
  if (config.databaseUrl.engine !== 'sqlite') throw new OperatorError('MASTER_SECRET is not set.');
  return secretBeside(config.databaseUrl.file);
}

/** Reads the master secret of existing data, and never creates one. */
export function readGivenMasterSecret(config: StorageConfig): string {
  const { masterSecret, masterSecretFile, databaseUrl } = config;
  if (masterSecret === null && masterSecretFile === null && databaseUrl.engine === 'sqlite') {
    const file = `${databaseUrl.file}.secret`;
    if (!existsSync(file))
      throw new OperatorError(
        `The master secret that belongs to the backup is not at "${file}". Put it there first, or set MASTER_SECRET_FILE.`,
      );
  }
  return readMasterSecret(config);
}

export function erasureLogFile({ erasureLog, databaseUrl }: StorageConfig): string | null {
  return erasureLog ?? (databaseUrl.engine === 'sqlite' ? `${databaseUrl.file}.erasures` : null);
}

/** The absolute paths of the SQLite file, its master secret file and its erasure log; null with PostgreSQL. */
export function databaseFiles(config: StorageConfig) {
  const { databaseUrl, masterSecret, masterSecretFile } = config;
  if (databaseUrl.engine !== 'sqlite') return null;
  const { file } = databaseUrl;
  return {
    database: resolve(file),
    master_secret: masterSecret === null ? resolve(masterSecretFile ?? `${file}.secret`) : null,
    erasure_log: resolve(erasureLogFile(config) ?? ''),
  };
}

function secretBeside(databaseFile: string): string {
  const file = `${databaseFile}.secret`;
  const database = accessTo(databaseFile);
  if (database.state === 'forbidden') {
    throw new OperatorError(
      `The SQLite file "${databaseFile}" (DATABASE_URL) cannot be used: ${database.detail}. ${database.advice}`,
    );
  }
  if (!existsSync(file)) {
    if (database.state === 'readable') {
      throw new OperatorError(
        `The database "${databaseFile}" exists but its master secret "${file}" does not. Restore that file, or set MASTER_SECRET. A new secret would make the data unusable.`,
      );
    }
    writeOnce(file, `${createSecret()}\n`);
  }
  return checked('the master secret', file);
}

/** Creates the file for its owner only and atomically: if two processes start at once, the first one wins. */
function writeOnce(file: string, content: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    makePrivateFolder(dirname(file));
    writeFileSync(draft, content, { mode: 0o600, flush: true });
    publishFile(draft, file);
  } catch (error) {
    if (systemCode(error) === 'EEXIST' && existsSync(file)) return;
    const reason = error instanceof FolderError ? `: ${error.message}` : ` (${systemCode(error)})`;
    throw new OperatorError(
      `The master secret cannot be written to "${file}"${reason}. Make the folder writable, name another one in DATABASE_URL, or set MASTER_SECRET.`,
    );
  } finally {
    if (existsSync(draft)) rmSync(draft);
  }
}

function checked(what: string, file: string): string {
  const content = readFile(what, file).trim();
  try {
    return parseMasterSecret(content);
  } catch (error) {
    throw new OperatorError(
      `The content of "${file}" (${what}) ${(error as Error).message}. Make one with: openssl rand -base64 48`,
    );
  }
}

/** The limit of open files and sockets of this process; infinite if the system does not report it (outside Linux). */
export function readOpenFileLimit(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return limit === null ? Number.POSITIVE_INFINITY : Number(limit[1]);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The settings that name files, read without creating any: the files must exist and be valid. */
export function checkFiles(config: StorageConfig & TlsFiles): void {
  readTls(config);
  if (config.masterSecretFile !== null) readMasterSecret(config);
}

type TlsFiles = Pick<Config, 'tlsCertFile' | 'tlsKeyFile'>;

/** The certificate and key of TLS_CERT_FILE and TLS_KEY_FILE, which must match; null if neither is set. */
export function readTls(config: TlsFiles): { readonly cert: string; readonly key: string } | null {
  if (config.tlsCertFile === null || config.tlsKeyFile === null) return null;
  const [cert, key] = readFiles({ TLS_CERT_FILE: config.tlsCertFile, TLS_KEY_FILE: config.tlsKeyFile });
  const tls = { cert: String(cert), key: String(key) };
  try {
    // An `import` of node:tls would read all its exports, and so parse every root certificate at each start.
    process.getBuiltinModule('node:tls').createSecureContext(tls);
  } catch (error) {
    throw new OperatorError(
      `TLS_CERT_FILE and TLS_KEY_FILE are not a valid pair (${systemCode(error)}). Both must be PEM, and the key must belong to the certificate.`,
    );
  }
  return tls;
}

const collectionsDir = 'collections';
const largestYamlFile = 256 * 1024;

/** The declarations in a folder (null: "collections", if it exists), by the name of the file without `.yaml`. */
export function readCollectionFiles(folder: string | null) {
  const directory = folder ?? collectionsDir;
  if (folder === null && !existsSync(directory)) return [];
  const files = listFolder(directory)
    .filter((file) => /\.ya?ml$/.test(file))
    .map((file) => ({ name: parse(file).name, path: join(directory, file) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const twice = files.find(({ name }, index) => files[index + 1]?.name === name);
  if (twice !== undefined) {
    throw new OperatorError(
      `The folder "${directory}" has both "${twice.name}.yaml" and "${twice.name}.yml". Keep one of the two.`,
    );
  }
  return files.map(({ name, path }) => ({ name, path, text: readYamlText('COLLECTIONS_DIR', path) }));
}

function listFolder(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    throw new OperatorError(
      `The folder "${directory}" (COLLECTIONS_DIR) cannot be read (${systemCode(error)}). Create it, or name another folder.`,
    );
  }
}

export function readYamlText(setting: string, path: string): string {
  return named(setting, path, (file) => {
    const found = statSync(file, { throwIfNoEntry: false });
    // Refuses a pipe or a device, which may never end.
    if (found?.isFile() === false)
      throw new Error('is not a regular file. Replace it with one, or rename it');
    if (found !== undefined && found.size > largestYamlFile)
      throw new Error(`is larger than ${largestYamlFile} bytes. Make it smaller`);
    return readTextFile(file);
  });
}

/** Reads any encoding: text around a certificate does not matter, and a secret must stay the same. */
function readFile(setting: string, file: string): string {
  const content = named(setting, file, readBytes).toString('utf8');
  if (content.trim() === '') throw new OperatorError(`The file "${file}" (${setting}) is empty.`);
  return content;
}

/** Reads each file, and reports all unreadable ones together. */
function readFiles(files: Readonly<Record<string, string>>): readonly string[] {
  const faults: string[] = [];
  const contents = Object.entries(files).map(([setting, file]) => {
    try {
      return readFile(setting, file);
    } catch (error) {
      faults.push((error as Error).message);
      return '';
    }
  });
  if (faults.length > 0) throw new OperatorError(faults.join(' '));
  return contents;
}

export function readText(setting: string, file: string): string {
  return named(setting, file, readTextFile);
}

function named<T>(setting: string, file: string, read: (file: string) => T): T {
  return naming(`The file "${file}" (${setting})`, () => read(file));
}
