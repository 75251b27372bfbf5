import { type Answer, json } from '../base/handler.ts';

/** An answer of GET /readyz of one process; null when it did not answer. */
export type ProcessHealth = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
} | null;

interface Counts {
  readonly wanted: number;
  /** Those that take connections; one that is being started does not, and nothing is lost by it. */
  readonly serving: number;
}

/** GET /livez for several processes: whoever takes connections has to answer. */
export function worstLife(answers: readonly unknown[], wanted: number): Answer {
  const serving = answers.length;
  const silent = answers.filter((answer) => answer === null).length;
  const status = silent === 0 ? 'ok' : 'a process does not answer';
  return json({ status, processes: { wanted, serving, silent } }, { status: silent === 0 ? 200 : 503 });
}

/** GET /readyz for several processes: what the worst of those that take connections says, and how many there are. */
export function worstReadiness(
  answers: readonly ProcessHealth[],
  { wanted, serving }: Counts,
  isStopping: boolean,
): Answer {
  const told = answers.filter((answer) => answer !== null);
  const silent = answers.length - told.length;
  const worst = told.find(({ status }) => status !== 200) ?? told[0];
  const isReady = worst?.status === 200 && silent === 0 && !isStopping;
  const status = isStopping ? 'stopping' : isReady ? 'ready' : (notReady(worst) ?? 'not ready');
  // With checks also when there is nobody to pass on those of: by them `doctor` knows whom it asks.
  const checks = { ...(worst?.body.checks ?? {}), processes: processesCheck(serving, silent) };
  const body = { ...worst?.body, status, checks, processes: { wanted, serving, silent } };
  return json(body, { status: isReady ? 200 : 503 });
}

function processesCheck(serving: number, silent: number): string {
  if (serving === 0) return 'none serves';
  return silent === 0 ? 'ok' : `${silent} of ${serving} do not answer`;
}

function notReady(worst: ProcessHealth | undefined): unknown {
  return worst && worst.status !== 200 ? worst.body.status : undefined;
}
