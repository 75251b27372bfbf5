import { batch } from './batch.ts';
import { calls } from './calls.ts';
import { live } from './live.ts';
import { people } from './people.ts';
import { retries } from './retries.ts';
import type { Cases } from './scene.ts';

export const cases: Cases = { ...calls, ...retries, ...live, ...people, ...batch };
