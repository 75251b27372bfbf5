/** The same data for people or, with --json, for programs. */
export function print(json: boolean | undefined, data: unknown, forPeople: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(data, null, 2) : forPeople()}\n`);
}

/** Columns as wide as their widest cell. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
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
