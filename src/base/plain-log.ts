/** What most parts need of a log, so that they do not depend on pino: its logger is one of these, and so is anything alike. */
export interface PlainLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * An unexpected error as log fields. Its message is left out on purpose: messages of parsers and databases
 * quote their input, and input may be personal. Name, code and stack frames are enough to find the line.
 */
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
