import { systemClock } from '../base/clock.ts';
import { type Begin, createProgress } from '../base/progress.ts';
import { escapeUnseen } from '../base/unicode.ts';

type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;
const eraseLine = '\r\u001b[2K';

/** Shows long work on standard error: in one line of a terminal, which is written over; else a line every ten seconds. */
export async function withProgress<T>(
  work: (begin: Begin) => Promise<T>,
  output: Output = process.stderr,
  clock = systemClock,
): Promise<T> {
  const { isTTY } = output;
  const say = (text: string) => {
    const line = escapeUnseen(text);
    output.write(isTTY ? `${eraseLine}${line.slice(0, (output.columns || 80) - 1)}` : `${line}\n`);
  };
  const progress = createProgress({ clock, everyMs: isTTY ? 250 : 10_000, atOnce: isTTY, say });
  try {
    return await work(progress.begin);
  } finally {
    progress.end();
    if (isTTY) output.write(eraseLine);
  }
}
