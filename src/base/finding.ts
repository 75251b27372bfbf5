export interface Finding {
  readonly name: string;
  readonly result: 'pass' | 'warn' | 'fail' | 'skip';
  readonly expected: string | null;
  readonly found: string;
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

export function doubtful(name: string, trouble: Trouble): Finding {
  return { name, result: 'warn', expected: null, ...trouble };
}

export function failed(name: string, trouble: Trouble): Finding {
  return { name, result: 'fail', expected: null, ...trouble };
}

export function skipped(name: string, reason: string): Finding {
  return { name, result: 'skip', expected: null, found: reason, advice: null };
}

const longestQuote = 200;

/** An untrusted value for a terminal: shortened, in quotes, without control characters. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  const plain = text.replace(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return plain.length > longestQuote ? `${plain.slice(0, longestQuote)}... (shortened)` : plain;
}

/** The same without quotes. */
export function unquoted(text: string): string {
  return quoted(text).slice(1, -1);
}

/** Settings to paste, or members of an entry to change. */
export function assigned(...changes: readonly (readonly [name: string, value: string])[]): string {
  const areSettings = changes.every(([name]) => /^[A-Z_]+$/.test(name));
  if (areSettings) return changes.map(([name, value]) => `${name}=${value}`).join(' ');
  return `${changes.map(([name, value]) => `${name} to "${value}"`).join(', and ')}.`;
}
