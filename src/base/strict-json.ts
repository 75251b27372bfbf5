import { Refusal } from './errors.ts';

/** Maximum depth of nested objects and arrays. */
export const maxJsonDepth = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** An unterminated text is a token, too: otherwise the search would take quadratic time. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|["{}[\],:]|-?\d[\d.eE+-]*/g;
/** Names with a special meaning in JavaScript. */
const treacherousNames = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parses JSON that every database and program keeps unchanged. `JSON.parse` accepts duplicate names and NUL, and rounds
 * numbers.
 */
export function readStrictJson(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes);
    // Checked before the parser, which has no limit of depth.
    inspect(text, true);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal('json_invalid', { detail: 'not UTF-8 or not JSON' });
  }
}

/** Parses JSON without duplicate names, of which parsers choose different ones. Throws otherwise. */
export function readPlainJson(bytes: Uint8Array): unknown {
  const text = utf8.decode(bytes);
  inspect(text, false);
  return JSON.parse(text);
}

/** Looks at every token. The parser checks the grammar afterwards. */
function inspect(text: string, isStrict: boolean): void {
  /** The names of each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  for (const [token] of text.matchAll(tokens)) {
    const first = token[0] as string;
    if (first === '"') {
      const value = readText(token);
      if (isStrict) checkText(value);
      if (isName) addName(open.at(-1), value, isStrict);
    } else if (first === '{' || first === '[') {
      open.push(first === '{' ? new Set() : null);
      if (isStrict && open.length > maxJsonDepth) throw fault('too deep');
      isName = first === '{';
    } else if (first === ',') isName = open.at(-1) instanceof Set;
    else if (first === ':') isName = false;
    else if (first === '}' || first === ']') {
      open.pop();
      isName = false;
    } else if (isStrict) checkNumber(token);
  }
}

function readText(token: string): string {
  if (token === '"') throw fault('a string without an end');
  return token.includes('\\') ? JSON.parse(token) : token.slice(1, -1);
}

function addName(names: Set<string> | null | undefined, name: string, isStrict: boolean): void {
  // Names that are equal after normalisation count as one.
  const normal = name.normalize('NFC');
  if (names?.has(normal)) throw fault('a duplicate name in one object');
  if (isStrict && treacherousNames.has(normal)) throw fault('a reserved name');
  names?.add(normal);
}

function checkText(text: string): void {
  if (text.includes('\0')) throw fault('NUL in a string');
  if (!text.isWellFormed()) throw fault('half of a surrogate pair in a string');
}

/** Whole numbers must be exact; others must be finite as a double, and not underflow to zero. */
function checkNumber(token: string): void {
  const value = Number(token);
  const isWhole = /^-?\d+$/.test(token);
  const isKept = isWhole ? Number.isSafeInteger(value) || String(value) === token : Number.isFinite(value);
  const vanishes = value === 0 && /^[^eE]*[1-9]/.test(token);
  if (!isKept || vanishes) throw fault('a number that a double cannot hold');
}

function fault(detail: string): Refusal {
  return new Refusal('json_invalid', { detail });
}
