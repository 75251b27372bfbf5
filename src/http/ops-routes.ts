import type { PublicHandler } from '../base/handler.ts';

/** What answers on the ops port, whoever does: a process for itself, or a supervisor for all of its processes. */
export type OpsHandlers = Readonly<Record<'live' | 'ready' | 'metrics', PublicHandler>>;

/** Everything the ops port answers to. */
export function opsTable({ live, ready, metrics }: OpsHandlers) {
  const own = (path: string, handle: PublicHandler) =>
    ({ method: 'GET', path, access: 'ops', cors: false, handle, describe: null }) as const;
  return [own('/livez', live), own('/readyz', ready), own('/metrics', metrics)];
}
