import type { Line } from './data.ts';

const points = 361;
const height = 100;

interface ChartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly text: (value: number | null) => string;
  /** Shown if all lines are empty. */
  readonly empty: string;
}

/** A chart of the last hour. Each line has its own colour and dash, and a legend with its present value. */
export function Chart({ title, lines, text, empty }: ChartProps) {
  const values = lines.flatMap(({ line, now }) => [...line, now]).filter((value) => value !== null);
  const top = Math.max(...values, 0);
  const isEmpty = top === 0;
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <ul class="legend">
        {lines.map(({ name, now }, index) => (
          <li key={name}>
            <svg class="swatch" viewBox="0 0 28 8" aria-hidden="true">
              <polyline class={`line-${index}`} points="0,4 28,4" />
            </svg>
            {name} <b>{text(now)}</b>
          </li>
        ))}
      </ul>
      <div class="plot">
        <svg viewBox={`0 0 ${points} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {lines
            .slice(0, 1)
            .flatMap(({ line, now }) =>
              segments([...line, now], top).map((path) => (
                <polygon key={path.slice(0, 8)} points={areaBelow(path)} />
              )),
            )}
          {lines.map(({ name, line, now }, index) =>
            segments([...line, now], top).map((path) => (
              <polyline key={`${name} ${path.slice(0, 8)}`} class={`line-${index}`} points={path} />
            )),
          )}
        </svg>
        {isEmpty ? <p class="empty">{empty}</p> : <span class="top">{text(top)}</span>}
      </div>
      <p class="axis" aria-hidden="true">
        <span>1 h ago</span>
        <span>now</span>
      </p>
      <p class="hidden">{isEmpty ? empty : `The highest value of the last hour is ${text(top)}.`}</p>
    </figure>
  );
}

/** The newest value is at the right edge. A gap ends a line. */
function segments(values: readonly (number | null)[], top: number): readonly string[] {
  const found: string[][] = [[]];
  values.forEach((value, index) => {
    const x = points - values.length + index;
    if (value === null) found.push([]);
    else found.at(-1)?.push(`${x},${round(height - (value / (top || 1)) * (height - 4) - 2)}`);
  });
  return found.filter((segment) => segment.length > 0).map(drawable);
}

/** A line of a single point would be invisible. */
function drawable(segment: readonly string[]): string {
  const [first = ''] = segment;
  const [x, y] = first.split(',');
  return segment.length === 1 ? `${Number(x) - 1},${y} ${first}` : segment.join(' ');
}

function areaBelow(path: string): string {
  const [from] = path.split(',');
  const to = path.slice(path.lastIndexOf(' ') + 1).split(',')[0];
  return `${from},${height} ${path} ${to},${height}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
