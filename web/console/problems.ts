import type { Data, Provider, Webhook } from './data.ts';
import type { Mood } from './parts.tsx';

/** A problem, and the section with its details. */
export interface Problem {
  readonly section: string;
  readonly mood: Mood;
  readonly text: string;
}

const nearlyFull = 0.1;
/** How long the end of a process counts as a problem. */
const recentMs = 600_000;

export function problemsOf({ at, health, providers, database, machine, alerts }: Data): readonly Problem[] {
  const { checks = {}, database_fault: fault, collections_fault: collectionsFault } = health;
  const stored = database?.value ?? null;
  const found: (Problem | null)[] = [
    checks.database === undefined || checks.database === 'ok'
      ? null
      : problem('data', 'bad', `The database ${checks.database}${fault === undefined ? '' : `: ${fault}`}`),
    collectionsFault === undefined ? null : problem('data', 'bad', collectionsFault),
    ...(providers ?? []).map(providerProblem),
    isNearlyFull(stored?.disk ?? null)
      ? problem('data', 'bad', 'The disk of the database is nearly full')
      : null,
    stored?.migration === undefined || stored.migration === 'nothing to do'
      ? null
      : problem('data', 'warn', 'A migration is pending'),
    ...(stored?.webhooks ?? []).map(webhookProblem),
    machine.serving < machine.wanted
      ? problem('machine', 'bad', `${machine.serving} of ${machine.wanted} processes serve`)
      : null,
    ...machine.processes.map(({ process, answers }) =>
      answers ? null : problem('machine', 'bad', `Process ${process} does not answer`),
    ),
    ...machine.processes.map(({ process, endings, started_at: startedAt }) =>
      endings > 0 && Date.parse(at) - Date.parse(startedAt ?? at) < recentMs
        ? problem('machine', 'warn', `Process ${process} has ended ${times(endings)} and was replaced`)
        : null,
    ),
    ...alerts
      .filter(({ state }) => state !== 'ok')
      .map(({ name, state, severity }) =>
        problem(
          'alerts',
          state === 'firing' && severity === 'critical' ? 'bad' : 'warn',
          state === 'firing' ? `${name} fires` : `${name} will fire soon`,
        ),
      ),
  ];
  return found.filter((one) => one !== null);
}

export function isNearlyFull(disk: { readonly bytes: number; readonly free: number } | null): boolean {
  return disk !== null && disk.free < disk.bytes * nearlyFull;
}

function providerProblem({ name, usable, last_fault: fault }: Provider): Problem | null {
  if (usable && fault === null) return null;
  const reason = fault === null ? '' : ` (${fault})`;
  return usable
    ? problem('identity', 'warn', `The keys of ${name} cannot be fetched${reason}: older ones are in use`)
    : problem('identity', 'bad', `There are no keys of ${name}${reason}: requests with its tokens get 503`);
}

function webhookProblem({
  id,
  state,
  failing_since: failing,
  last_failure: failure,
  dead,
}: Webhook): Problem | null {
  if (state === 'not genuine')
    return problem('delivery', 'bad', `${id} was changed without the master secret`);
  if (state === 'disabled') return problem('delivery', 'warn', `${id} is disabled`);
  if (failing !== null) return problem('delivery', 'warn', `${id} fails (${failure})`);
  return dead > 0 ? problem('delivery', 'warn', `${id} has ${dead} dead letters`) : null;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function problem(section: string, mood: Mood, text: string): Problem {
  return { section, mood, text };
}
