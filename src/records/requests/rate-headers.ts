import { type Budget, secondsLeft } from '../rules/budgets.ts';

/** As the draft "RateLimit header fields for HTTP" has them. */
export function rateHeaders(policy: 'reads' | 'writes', budget: Budget, now: number) {
  const { used, allowed, windowMs } = budget;
  const left = Math.max(allowed - used, 0);
  const seconds = secondsLeft(budget, now);
  return {
    'ratelimit-policy': `"${policy}";q=${allowed};w=${windowMs / 1000}`,
    ratelimit: `"${policy}";r=${left};t=${seconds}`,
  };
}
