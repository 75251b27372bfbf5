import { Refusal } from './errors.ts';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface PlainLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Logs a failure of background work. A refusal, such as an outage of the database, is a warning with its reason; any other
 * error is a bug and keeps its stack.
 */
export function logFailure(log: PlainLog, error: unknown, message: string, fields: object = {}): void {
  if (error instanceof Refusal)
    log.warn({ ...fields, code: error.code, detail: error.options.detail }, message);
  else log.error({ ...fields, ...errorFields(error) }, message);
}

/** An unexpected error as log fields, without its message: parsers and databases quote their input, which may be personal. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (error === undefined) return {};
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const code = (error as { code?: unknown }).code;
  return {
    error: error.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { error_code: code } : {}),
    stack: frames.slice(0, 12).map((line) => line.trim()),
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
  };
}
