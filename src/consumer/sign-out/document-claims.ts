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

/** A claim that names something, by the rule of access tokens (`auth/claims`): who can come in can be signed out. */
export function nameIn(value: unknown): string | null {
  return isUsableName(value) ? value : null;
}
