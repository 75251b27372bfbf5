import type { VerifiedClaims } from '../../base/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { describe, type ErrorCode } from '../../base/errors.ts';
import { type Finding, passed, skipped, unquoted } from '../../base/finding.ts';
import { isOpaque } from '../introspection/request.ts';
import { examineClaims } from './claims.ts';
import { examineAlgorithm, examineHeader, examineType } from './header.ts';
import { examineIssuer, type NamedRules } from './issuer.ts';
import { examineKey, examineSignature, type KeysAtHand } from './key.ts';
import { type ExaminedIntrospection, examineOpaque } from './opaque.ts';
import { examineShape } from './shape.ts';
import { failedStep, type Step } from './step.ts';

export interface ExaminedIssuer extends NamedRules {
  readonly keysNow: () => Promise<KeysAtHand>;
}

/** What is known of a caller; or why nothing can be known. */
type CallerNow =
  | {
      readonly pseudonym: string | null;
      readonly registeredAt: number | null;
      readonly refusal: ErrorCode | null;
    }
  /** `code` is what the service would answer with for the same reason. */
  | { readonly unknown: string; readonly code: ErrorCode | null };

export interface ExaminationParts {
  readonly issuers: readonly [provider: ExaminedIssuer, ...others: ExaminedIssuer[]];
  /** Null where opaque tokens are refused. */
  readonly introspection?: ExaminedIntrospection | null;
  readonly maxHeaderBytes: number;
  readonly callerNow: (claims: VerifiedClaims) => Promise<CallerNow>;
  readonly clock: Clock;
}

/** What becomes of a token, and why. Holds nothing of it that must not be shared. */
export interface Examination {
  readonly accepted: boolean;
  /** What the API answers with: that of the first step that fails. */
  readonly code: ErrorCode | null;
  readonly status: number;
  readonly summary: string;
  readonly steps: readonly (Finding & { readonly code: ErrorCode | null })[];
  /** Their names. */
  readonly claims: readonly string[];
  readonly pseudonym: string | null;
}

/**
 * The steps of `auth/verifier`, taken one by one by the very functions that it takes them with. Unlike it, this goes on
 * after a failure, as long as there is something to say: the first step that fails is the reason for the refusal.
 */
export async function examineToken(text: string, parts: ExaminationParts): Promise<Examination> {
  const { issuers, introspection, maxHeaderBytes, callerNow, clock } = parts;
  const shape = examineShape(text, maxHeaderBytes);
  if (introspection && shape.step.code === 'token_malformed' && isOpaque(text))
    return explainOpaque(text, introspection, parts);
  if (shape.token === null) return conclude([shape.step], [], null, false);
  const { token } = shape;
  const claims = token.unverifiedPayload;

  const algorithms = new Set(issuers.flatMap((issuer) => [...issuer.algorithms]));
  const { step: issuerStep, issuer, isTrusted } = examineIssuer(claims.iss, issuers);
  const { settings } = issuer;
  const { step: headerStep, members, header } = examineHeader(token.header, algorithms, settings.algorithms);
  const algorithmStep = examineAlgorithm(header, issuer);
  const typeStep = examineType(members, issuer);
  const { step: keyStep, key } = await examineKey(header, algorithmStep, issuer.keysNow, clock.now());
  const signatureStep = examineSignature(token, header, key);
  const { steps: claimSteps, caller: claimed } = examineClaims(claims, issuer, clock.now() / 1000);
  const caller = claimed !== null && isTrusted ? await callerNow(claimed) : null;
  const steps = [
    shape.step,
    headerStep,
    issuerStep,
    algorithmStep,
    typeStep,
    keyStep,
    signatureStep,
    ...claimSteps,
    callerStep(caller),
    standingStep(caller),
  ];
  const pseudonym = caller !== null && 'pseudonym' in caller ? caller.pseudonym : null;
  const isBound = claimed !== null && claimed.boundTo !== null;
  return conclude(steps, Object.keys(claims), pseudonym, isBound);
}

/** The same of a token that its provider is asked about. */
async function explainOpaque(
  text: string,
  introspection: ExaminedIntrospection,
  { callerNow, clock }: ExaminationParts,
): Promise<Examination> {
  const { steps, claims } = await examineOpaque(text, introspection);
  if (claims === null) return conclude(steps, [], null, false);
  const examined = examineClaims(claims, introspection.issuer, clock.now() / 1000);
  const isTrusted = !steps.some(({ name, result }) => name === 'issuer' && result === 'fail');
  const caller = examined.caller !== null && isTrusted ? await callerNow(examined.caller) : null;
  const all = [...steps, ...examined.steps, callerStep(caller), standingStep(caller)];
  const pseudonym = caller !== null && 'pseudonym' in caller ? caller.pseudonym : null;
  const isBound = examined.caller !== null && examined.caller.boundTo !== null;
  return conclude(all, Object.keys(claims), pseudonym, isBound);
}

function callerStep(caller: CallerNow | null): Step {
  if (caller === null) return skipped('caller', 'whom the token speaks for cannot be told');
  if ('unknown' in caller) {
    if (caller.code === null) return skipped('caller', caller.unknown);
    return failedStep('caller', caller.code, {
      expected: 'a database that answers',
      found: caller.unknown,
      advice: `The token is right, but the database cannot be read (${caller.unknown}). "npx vestibule doctor" tells more.`,
    });
  }
  if (caller.pseudonym === null) return passed('caller', 'nobody is named, so nothing is kept');
  if (caller.registeredAt === null) return passed('caller', 'new here: the first request registers it');
  return passed('caller', `known here since ${new Date(caller.registeredAt).toISOString()}`);
}

const standingCauses: Partial<Record<ErrorCode, string>> = {
  consumer_suspended:
    'The operator has suspended this caller. "npx vestibule consumer resume" lets it in again (its pseudonym: --pseudonym).',
  client_disabled:
    'The client was disabled or removed, or the secret that the token was issued for was. "npx vestibule client list" shows them.',
  token_revoked:
    'The token was taken back: its user signed out, the provider or the operator ended the session, the client revoked it, or the operator took one of its scopes from the client. Sign in again, or ask for a new token.',
};

function standingStep(caller: CallerNow | null): Step {
  if (caller === null || 'unknown' in caller) return skipped('standing', 'the caller is not known');
  const { refusal } = caller;
  if (refusal === null) return passed('standing', 'not shut out');
  return failedStep('standing', refusal, {
    expected: 'a caller in good standing',
    found: refusal,
    advice: standingCauses[refusal] ?? describe(refusal).sentence,
  });
}

/** A real token has a dozen or two. */
const mostClaims = 100;

function conclude(
  steps: readonly Step[],
  claims: readonly string[],
  pseudonym: string | null,
  isBound: boolean,
): Examination {
  const reason = steps.find(({ result }) => result === 'fail');
  const code = reason?.code ?? null;
  const accepted = isBound
    ? 'The token is accepted, beside the proof that the step "binding" speaks of.'
    : 'The token is accepted.';
  return {
    accepted: code === null,
    code,
    status: code === null ? 200 : describe(code).status,
    summary: reason?.advice ?? accepted,
    steps: steps.map((step) => ({ ...step, code: step.code ?? null })),
    claims: claims.slice(0, mostClaims).map((name) => unquoted(name)),
    pseudonym,
  };
}
