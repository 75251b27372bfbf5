import { readFileSync } from 'node:fs';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a file, without the byte order mark that some editors begin it with. What is not UTF-8 is refused: read all the
 * same it would be another text, and an issuer so written would never be that of a token. Throws an Error whose message says
 * what is wrong with the file.
 */
export function readTextFile(file: string): string {
  const bytes = readBytes(file);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Error('is not UTF-8: save it in that encoding');
  }
}

/** The same without a look at what is in it. */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`cannot be read (${systemCode(error)})`);
  }
}

/** By what the system calls the reason: ENOENT. */
export function systemCode(error: unknown): string {
  return String((error as { code?: unknown }).code ?? 'unknown reason');
}
