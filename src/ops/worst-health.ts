import { type Answer, json } from '../base/handler.ts';

/** The answer of one process to GET /readyz. */
export interface ReadinessAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** GET /livez for several processes: each one that serves has to answer. Null is one that did not answer. */
export function worstLife(answers: readonly unknown[], wanted: number): Answer {
  const serving = answers.length;
  const silent = answers.filter((answer) => answer === null).length;
  const status = silent === 0 ? 'ok' : 'a process does not answer';
  return json({ status, processes: { wanted, serving, silent } }, { status: silent === 0 ? 200 : 503 });
}

/** GET /readyz for several processes: the answer of the worst that serves, and how many there are. */
export function worstReadiness(
  answers: readonly (ReadinessAnswer | null)[],
  wanted: number,
  isStopping: boolean,
): Answer {
  const serving = answers.length;
  const told = answers.filter((answer) => answer !== null);
  const silent = serving - told.length;
  const worst = told.find(({ status }) => status !== 200) ?? told[0];
  const isWorstReady = worst?.status === 200;
  const isReady = isWorstReady && silent === 0 && !isStopping;
  const notReady = isWorstReady ? 'not ready' : (worst?.body.status ?? 'not ready');
  const status = isStopping ? 'stopping' : isReady ? 'ready' : notReady;
  // `doctor` recognises the service by `checks`, also when no process serves.
  const checks = { ...(worst?.body.checks ?? {}), processes: processesCheck(serving, silent) };
  const body = { ...worst?.body, status, checks, processes: { wanted, serving, silent } };
  return json(body, { status: isReady ? 200 : 503 });
}

function processesCheck(serving: number, silent: number): string {
  if (serving === 0) return 'none serves';
  return silent === 0 ? 'ok' : `${silent} of ${serving} do not answer`;
}
