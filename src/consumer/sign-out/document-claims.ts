import { isUsableName } from '../../base/usable-name.ts';

/** Whose tokens a provider has taken back: of one session, or all of a subject. */
export interface Ended {
  /** Of the tokens. */
  readonly issuer: string;
  readonly subject: string | null;
  readonly sessionId: string | null;
  /** Tokens issued up to then, in milliseconds since 1970. */
  readonly until: number;
}

const longestName = 512;

/** A claim that names something; null where it does not. */
export function nameIn(value: unknown): string | null {
  return isUsableName(value) && value.length <= longestName ? value : null;
}
