export interface Finding {
  readonly name: string;
  readonly result: 'pass' | 'warn' | 'fail' | 'skip';
  /** What was found, for programs: null if the check passed or was skipped. */
  readonly code: string | null;
  readonly expected: string | null;
  readonly found: string;
  readonly advice: string | null;
}

export function passed(name: string, found: string) {
  return { name, result: 'pass', code: null, expected: null, found, advice: null } as const;
}

export function skipped(name: string, reason: string) {
  return { name, result: 'skip', code: null, expected: null, found: reason, advice: null } as const;
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
