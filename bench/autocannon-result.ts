import type autocannon from 'autocannon';
import { printResult } from './child.ts';

/** Prints what autocannon saw in the form in which the scripts of wrk print it. */
export function printSeen(result: autocannon.Result): void {
  const { requests, duration, latency, non2xx, errors, timeouts } = result;
  const printed = {
    requests: requests.total,
    seconds: duration,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    refused: non2xx,
    failed: errors + timeouts,
  };
  printResult(printed);
}
