import { now } from './pause.ts';

interface CountedRequest {
  readonly path: string;
  readonly method?: string;
}

/** Budgets that are used up, from the `RateLimit` header. The next request waits instead of being refused. */
export function createBudgets() {
  /** By budget, the time at which it is renewed. */
  const spent = new Map<string, number>();
  return {
    note(caller: string, request: CountedRequest, header: string | null): void {
      const [, seconds] = /;r=0;t=(\d+)/.exec(header ?? '') ?? [];
      if (seconds) spent.set(budgetOf(caller, request), now() + +seconds * 1000);
    },
    /** Milliseconds to wait; 0 or less: none. */
    waitMs: (caller: string, request: CountedRequest) => (spent.get(budgetOf(caller, request)) ?? 0) - now(),
  };
}

/** Writes have a budget for each caller and collection, reads one for each caller. */
function budgetOf(caller: string, { method, path }: CountedRequest): string {
  return `${caller}${method ? path.split(/[/?]/)[1] : ''}`;
}
