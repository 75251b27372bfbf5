import type { VerifiedClaims } from '../../base/caller.ts';
import { quoted } from '../../base/finding.ts';
import type { JsonObject } from '../../base/json-object.ts';
import type { IssuerSettingNames } from '../../base/provider-rules.ts';
import type { TrustedIssuer } from '../verifier.ts';
import type { KeysNow } from './keys-now.ts';

/** The rules of an issuer, and how to name it and its settings to the operator. */
export interface NamedRules extends Omit<TrustedIssuer, 'keys'> {
  /** "the provider", one of several by its name, or "this service". */
  readonly who: string;
  /** Providers have `jwksPath`; our own keys are in the database. */
  readonly settings: IssuerSettingNames & { readonly jwksPath?: string };
}

/** A caller as the database has it; or why nothing is known. */
export type CallerNow =
  | { readonly pseudonym: string | null; readonly registeredAt: number | null }
  | { readonly unknown: string };

/** What a trace is described with. The token itself is never shown. */
export interface TraceContext {
  readonly text: string;
  readonly issuers: readonly [NamedRules, ...NamedRules[]];
  /** The first one stands in for an unknown issuer, so that there is more to tell. */
  readonly issuer: NamedRules;
  readonly nowSeconds: number;
  /** Null for an opaque token; {} if it cannot be read. */
  readonly header: JsonObject | null;
  readonly claims: JsonObject;
  readonly verified: VerifiedClaims | null;
  readonly keys: KeysNow | null;
  readonly caller: CallerNow | null;
}

/** A member of a token that may be shown: a text or a list of texts. */
export function shown(value: unknown): string {
  if (value === undefined) return 'none';
  const isText = (entry: unknown) => typeof entry === 'string';
  const isShowable = isText(value) || (Array.isArray(value) && value.every(isText));
  return isShowable ? quoted(value) : 'no text (not shown)';
}

export function shownTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? 'no date' : date.toISOString();
}

/** The claims that all access tokens of this provider have. */
export function requiredShown({ claims: { requiredClaims } }: NamedRules): string {
  const each = ([name, text]: [string, string | true]) =>
    text === true ? `${name}, whatever it says` : `${name} ${quoted(text)}`;
  return Object.entries(requiredClaims).map(each).join(', ');
}
