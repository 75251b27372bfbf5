import { randomBytes } from 'node:crypto';

/** One that is good enough, made for this run. */
export function newMasterSecret(): string {
  return randomBytes(48).toString('base64');
}
