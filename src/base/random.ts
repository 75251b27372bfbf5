import { Buffer } from 'node:buffer';
import { randomBytes, randomFillSync } from 'node:crypto';

/** The id of a request: random, so that it does not reveal the number of requests. */
export function createRequestId(): string {
  return fewBytes(9).toString('base64url');
}

/** The id of a process among those that share a database. */
export function createProcessName(): string {
  return randomBytes(12).toString('hex');
}

/** A secret that is stored in a file: 384 random bits as text. */
export function createSecret(): string {
  return randomBytes(48).toString('base64url');
}

/** The code of an invitation: 128 random bits as text. */
export function createInvitationCode(): string {
  return randomBytes(16).toString('base64url');
}

/** The id of a record. One spelling only, so that no record has two URLs. */
export const recordIdForm: RegExp =
  /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A UUID of version 7 (RFC 9562), which is ordered by time. */
export function createRecordId(now: number): string {
  const bytes = fewBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export function isServiceId(id: string): boolean {
  return id[14] === '7';
}

export function createRevision(): string {
  return fewBytes(12).toString('base64url');
}

const pool = Buffer.alloc(4_096);
let taken = pool.length;

/** Random bytes from a pool, for ids and not for secrets. Use them at once. */
function fewBytes(count: number): Buffer {
  if (taken + count > pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += count;
  return pool.subarray(taken - count, taken);
}
