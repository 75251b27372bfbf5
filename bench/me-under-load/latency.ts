import { join } from 'node:path';
import { allCores, runForResult, script } from '../shared/processes.ts';
import { mePath } from '../shared/stage.ts';

export interface MeProbe {
  readonly url: string;
  readonly token: string;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface MeLatency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly sent: number;
  readonly lost: number;
}

/** Little enough that it costs next to nothing, and enough for a p99. */
export const mePerSecond = 100;

/** How long GET /me takes a caller who is known, at a modest pace. */
export function meLatency(origin: string, token: string, seconds: number): Promise<MeLatency> {
  const probe: MeProbe = { url: `${origin}${mePath}`, token, perSecond: mePerSecond, seconds };
  return runForResult(script(join(import.meta.dirname, 'probe.ts'), probe), seconds + 40, allCores);
}
