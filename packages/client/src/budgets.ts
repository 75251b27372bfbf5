import { now } from './pause.ts';

interface CountedRequest {
  readonly path: string;
  readonly method?: string;
}

/** Budgets of which nothing is left, as the `RateLimit` header has said: what comes next waits instead of being refused. */
export function createBudgets() {
  /** By budget, when there is more. */
  const spent = new Map<string, number>();
  return {
    note(caller: string, request: CountedRequest, header: string | null): void {
      const [, seconds] = /;r=0;t=(\d+)/.exec(header ?? '') ?? [];
      if (seconds) spent.set(budgetOf(caller, request), now() + +seconds * 1000);
    },
    /** How long to wait; not at all where that is over. */
    waitMs: (caller: string, request: CountedRequest) => (spent.get(budgetOf(caller, request)) ?? 0) - now(),
  };
}

/** What a caller writes is counted for each collection by itself; what it reads, for all of them. */
function budgetOf(caller: string, { method, path }: CountedRequest): string {
  return `${caller}${method ? path.split(/[/?]/)[1] : ''}`;
}
