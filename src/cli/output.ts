import type { Command } from 'commander';
import type { Finding } from '../base/finding.ts';
import { escapeUnseen } from '../base/unicode.ts';

/** Options without a value. */
export type Flags<Name extends string = never> = { readonly [Key in Name | 'json']?: boolean };

export function printing(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'print JSON');
}

/** Escapes control characters except line ends: a name in the database must not move the cursor of the terminal. */
export function write(text: string, stream: NodeJS.WriteStream = process.stdout): void {
  stream.write(text.split('\n').map(escapeUnseen).join('\n'));
}

/** Prints the same data for people or, with --json, for programs. */
export function print(json: boolean | undefined, data: unknown, forPeople: () => string): void {
  write(`${json ? JSON.stringify(data, null, 2) : forPeople()}\n`);
}

type Column<Row> = keyof Row | ((row: Row) => unknown);

/** Columns as wide as their widest cell, each with a field of the row. Line ends in a cell are escaped, too. */
export function table<Row>(columns: Readonly<Record<string, Column<Row>>>, rows: readonly Row[]): string {
  const header = Object.keys(columns);
  const cells = Object.values(columns).map((column) => (row: Row) => {
    return escapeUnseen(String((typeof column === 'function' ? column(row) : row[column]) ?? '-'));
  });
  const lines = [header, ...rows.map((row) => cells.map((cell) => cell(row)))];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The names in a column, with room for the usual ones. */
const usualWidth = 17;

/** Findings: what was found, what was expected and what to do, one line each. */
export function findingLines(findings: readonly Finding[]): readonly string[] {
  const width = Math.max(usualWidth, ...findings.map(({ name }) => name.length));
  return findings.map((finding) => findingLine(finding, width));
}

function findingLine({ name, result, expected, found, advice }: Finding, width: number): string {
  const text = [
    result === 'skip' ? `not checked: ${found}` : found,
    ...(expected === null ? [] : [`expected ${expected}`]),
  ].join('; ');
  const whole = advice === null ? text : `${text.replace(/[^.?]$/, '$&.')} ${advice}`;
  const word = result === 'warn' || result === 'fail' ? result.toUpperCase() : result;
  const oneLine = whole.replace(/\s*\n\s*/g, ' ');
  return `${word}  ${name.padEnd(width)}  ${oneLine}`;
}
