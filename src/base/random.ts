import { randomBytes } from 'node:crypto';

/** Names for requests: unlike each other across processes, and cheap enough to make one for each. */
export function createRequestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** A secret for people to keep in a file: 384 random bits as text. */
export function createMasterSecret(): string {
  return randomBytes(48).toString('base64url');
}
