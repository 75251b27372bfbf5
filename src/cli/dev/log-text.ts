/** The numbers that pino writes for the levels. */
const names = new Map([
  [10, 'trace'],
  [20, 'debug'],
  [30, 'info'],
  [40, 'warning'],
  [50, 'error'],
  [60, 'fatal'],
]);

/** A log line as a person reads it: the time of day, the level, the message, then the other fields; a stack below. */
export function logText(line: string): string {
  const { level, time, msg, stack, ...fields } = JSON.parse(line);
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const head = [new Date(time).toTimeString().slice(0, 8), `${names.get(level)}:`, msg, ...rest].join(' ');
  const frames = Array.isArray(stack) ? stack.map((frame) => `    ${frame}`) : [];
  return [head, ...frames, ''].join('\n');
}

/** A word stands as it is. Everything else is JSON, so that a value never looks like the end of a line. */
function shown(value: unknown): string {
  return typeof value === 'string' && /^[\w./:+-]+$/.test(value) ? value : JSON.stringify(value);
}
