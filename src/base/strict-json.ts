import { Refusal } from './errors.ts';
import { maxMarksInRow, normaliseName } from './unicode.ts';

/** True for a JSON object: neither null nor a list. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Maximum depth of nested objects and arrays. */
export const maxJsonDepth = 64;
/** The same for bodies whose unknown members are ignored. */
export const maxPlainJsonDepth = 1_000;
/** Members of all objects of a body, and values of a body: each costs time before the schema and the size of a record are known. */
export const maxJsonMembers = 10_000;
export const maxJsonValues = 65_536;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const stringForm = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const numberForm = /-?\d[\d.eE+-]*/y;
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
    throw fault('not UTF-8 or not JSON');
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
  const maxDepth = isStrict ? maxJsonDepth : maxPlainJsonDepth;
  /** The names of each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  let members = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const first = text[at] as string;
    if (first === '"') {
      const token = tokenAt(text, at, stringForm);
      if (token === null) throw fault('a string without an end');
      at += token.length - 1;
      const value = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1);
      if (isStrict) checkText(value);
      if (!isName) continue;
      members += 1;
      if (members > maxJsonMembers) throw tooMany('members in the body', maxJsonMembers);
      addName(open.at(-1), value, isStrict);
    } else if (first === '{' || first === '[') {
      values += 1;
      open.push(first === '{' ? new Set() : null);
      if (open.length > maxDepth) throw fault('too deep');
      isName = first === '{';
    } else if (first === ',') {
      values += 1;
      isName = open.at(-1) instanceof Set;
    } else if (first === ':') isName = false;
    else if (first === '}' || first === ']') {
      open.pop();
      isName = false;
    } else if (first <= '9' && first >= '-') {
      const token = tokenAt(text, at, numberForm) ?? first;
      at += token.length - 1;
      if (isStrict) checkNumber(token);
    }
    if (values > maxJsonValues) throw tooMany('values in the body', maxJsonValues);
  }
}

function tokenAt(text: string, at: number, form: RegExp): string | null {
  form.lastIndex = at;
  return form.test(text) ? text.slice(at, form.lastIndex) : null;
}

function addName(names: Set<string> | null | undefined, name: string, isStrict: boolean): void {
  // Names that are equal after normalisation count as one.
  const normal = normaliseName(name);
  if (normal === null) throw tooMany('combining marks in a row in a name', maxMarksInRow);
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

function tooMany(what: string, max: number): Refusal {
  const members = { detail: `Too many ${what}. Send at most ${max}.` };
  return new Refusal('json_invalid', { detail: `too many ${what}`, members });
}

function fault(detail: string): Refusal {
  return new Refusal('json_invalid', { detail });
}

/** JSON pointers (RFC 6901): '' is the whole, '/a/0' the first item of its member "a". */
export function pointerTo(parent: string, member: string | number): string {
  return `${parent}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function membersOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((member) => member.replaceAll('~1', '/').replaceAll('~0', '~'));
}
