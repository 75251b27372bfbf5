/** One thing that was looked at on behalf of an operator: plain data, in plain words. */
export interface Finding {
  readonly name: string;
  /** Skipped: not looked at, because of what was found before. */
  readonly result: 'pass' | 'warn' | 'fail' | 'skip';
  readonly expected: string | null;
  readonly found: string;
  /** What to do about it. */
  readonly advice: string | null;
}

interface Trouble {
  readonly expected?: string;
  readonly found: string;
  readonly advice: string;
}

export function passed(name: string, found: string): Finding {
  return { name, result: 'pass', expected: null, found, advice: null };
}

export function doubtful(name: string, { expected, found, advice }: Trouble): Finding {
  return { name, result: 'warn', expected: expected ?? null, found, advice };
}

export function failed(name: string, { expected, found, advice }: Trouble): Finding {
  return { name, result: 'fail', expected: expected ?? null, found, advice };
}

export function skipped(name: string, reason: string): Finding {
  return { name, result: 'skip', expected: null, found: reason, advice: null };
}

const longestQuote = 200;

/** A value that came from outside, for a terminal: short, in quotes, and nothing in it that a terminal would obey. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  const plain = text.replace(/[^\x20-\x7e]/g, (letter) => `\\u${hex(letter.charCodeAt(0))}`);
  return plain.length > longestQuote ? `${plain.slice(0, longestQuote)}... (shortened)` : plain;
}

/** The same without the quotes, to be pasted. */
export function unquoted(text: string): string {
  return quoted(text).slice(1, -1);
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}

/** To be pasted, or, for members of an entry of a file, to be followed. Each is a name and its value. */
export function assigned(...changes: readonly (readonly [name: string, value: string])[]): string {
  const areSettings = changes.every(([name]) => /^[A-Z_]+$/.test(name));
  if (areSettings) return changes.map(([name, value]) => `${name}=${value}`).join(' ');
  return `${changes.map(([name, value]) => `${name} to "${value}"`).join(', and ')}.`;
}
