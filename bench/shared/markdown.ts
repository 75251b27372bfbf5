/** A table with its heading; all columns but the first are figures. */
export function table(
  heading: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const alignment = ['---', ...columns.map(() => '---:')];
  const lines = [['', ...columns], alignment, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${heading}\n\n${lines.join('\n').replace('|  |', '| |')}\n`;
}

export function shown(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function counted(value: number): string {
  return value.toLocaleString('en');
}

export function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}
