import { readFileSync } from 'node:fs';
import { OperatorError } from '../base/errors.ts';
import { readPlainJson } from '../base/strict-json.ts';
import { isUsableName } from '../base/usable-name.ts';

/** A subject at the provider before, and the same caller's at the one from now on. */
export interface MappedSubjects {
  readonly from: string;
  readonly to: string;
}

const expected = 'must be {"old":"<subject>","new":"<subject>"}, both texts that are not empty';

/**
 * The lines of a mapping, one JSON object each: a subject may hold commas and quotes, and who has the two members by name
 * cannot confuse them. What is wrong is said by the number of the line and never with what stands in it.
 */
export function* readMapping(file: string): Generator<{ readonly line: number } & MappedSubjects> {
  // As bytes: what is no UTF-8 is refused, and not read as another subject.
  const bytes = readBytes(file);
  for (let line = 1, start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(newline, start);
    const text = bytes.subarray(start, end === -1 ? bytes.length : end);
    start = end === -1 ? bytes.length : end + 1;
    if (text.some((byte) => byte > blank)) yield { line, ...readLine(text, line) };
  }
}

const newline = 0x0a;
const blank = 0x20;

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new OperatorError(`The mapping cannot be read (${code}). Name a file with a line for each caller.`);
  }
}

function readLine(bytes: Uint8Array, line: number): MappedSubjects {
  const value = parsed(bytes);
  const { old: from, new: to, ...more } = Object(value) as Record<string, unknown>;
  // As a token may have it.
  if (isUsableName(from) && isUsableName(to) && Object.keys(more).length === 0) return { from, to };
  throw new OperatorError(`Line ${line} of the mapping ${expected}.`);
}

/** Without the error of the parser, which quotes what it has read. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return readPlainJson(bytes);
  } catch {
    return null;
  }
}
