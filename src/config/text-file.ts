import { readFileSync } from 'node:fs';
import { OperatorError } from '../base/errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a file, without a byte order mark. Refuses other encodings than UTF-8: a wrongly decoded issuer would differ
 * from that of the token. Throws an Error whose message says what is wrong with the file.
 */
export function readTextFile(file: string): string {
  const bytes = readBytes(file);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Error('is not UTF-8: save it in that encoding');
  }
}

/** The bytes of a file, without checking the content. */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`cannot be read (${systemCode(error)})`);
  }
}

/** Adds what was read to the message of a mistake. */
export function naming<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new OperatorError(`${what} ${(error as Error).message}.`);
  }
}

/** The code of the system, such as ENOENT. */
export function systemCode(error: unknown): string {
  return String((error as { code?: unknown }).code ?? 'unknown reason');
}
