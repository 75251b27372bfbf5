/** Both names of a minute are read; the later one is written. */
const unitMs = { s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const longestMs = 3650 * unitMs.d;

export const unitNames: readonly string[] = Object.keys(unitMs);

export const durationForm = `(\\d{1,9})(${unitNames.join('|')})`;
const wholeDuration = new RegExp(`^${durationForm}$`);

/** Milliseconds of a unit; null for an unknown one. */
export function parseUnit(name: string): number | null {
  return Object.hasOwn(unitMs, name) ? unitMs[name as keyof typeof unitMs] : null;
}

/** `30s`, `15min`, `12h` or `90d` in milliseconds; null for anything else, and for more than ten years. */
export function parseDuration(text: string): number | null {
  const [, count, unit = ''] = wholeDuration.exec(text) ?? [];
  const size = parseUnit(unit);
  if (count === undefined || size === null) return null;
  const milliseconds = Number(count) * size;
  return milliseconds <= longestMs ? milliseconds : null;
}

/** Writes the largest unit that leaves no remainder. */
export function durationText(milliseconds: number): string {
  const fitting = Object.entries(unitMs).findLast(([, size]) => milliseconds % size === 0);
  const [unit, size] = fitting ?? ['ms', 1];
  return `${milliseconds / size}${unit}`;
}

/** A duration in its two largest units: "3 h 12 min". */
export function roughDuration(seconds: number): string {
  const whole = Math.round(Math.abs(seconds));
  const units = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3_600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
