import { readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fill, matchesOf } from './pattern.ts';

/** One security check, and how to take it away: a pattern that fits one place of one file, and what stands there instead. */
export interface Mutant {
  readonly check: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** What somebody could do without it. */
  readonly why: string;
  /** The test files that are expected to notice. */
  readonly tests: readonly string[];
}

/** The file with the check taken away. Throws when the pattern does not fit exactly once: the table has fallen behind. */
export function mutate({ check, find, replace }: Mutant, source: string): string {
  const [match, ...others] = matchesOf(find, source);
  if (match === undefined || others.length > 0)
    throw new Error(`"${check}": "${find}" fits ${match ? 1 + others.length : 0} places instead of one`);
  const mutated = source.slice(0, match.start) + fill(replace, match.filled) + source.slice(match.end);
  // A file that cannot be read any more would fail every test and prove nothing.
  stripTypeScriptTypes(mutated);
  return mutated;
}

/** Takes the check away in a copy of the source; the returned function puts it back. */
export function applyTo(tree: string, mutant: Mutant): () => void {
  const path = `${tree}/${mutant.file}`;
  const original = readFileSync(path, 'utf8');
  writeFileSync(path, mutate(mutant, original));
  return () => writeFileSync(path, original);
}

/** A check of the file at hand: what it is called, what of it goes, what stands there instead, and why it matters. */
type Row = readonly [check: string, find: string, replace: string, why: string, tests?: readonly string[]];

/** The checks of one file. `tests` are those that notice, where a row names no others. */
export function checksOf(file: string, tests: readonly string[], rows: readonly Row[]): Mutant[] {
  return rows.map(([check, find, replace, why, own]) => ({
    check,
    file,
    find,
    replace,
    why,
    tests: own ?? tests,
  }));
}
