import type { VerifiedClaims } from '../../base/caller.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { passed, quoted } from '../../base/finding.ts';
import { failedStep, judged, type Step } from './step.ts';

/** Whom a token speaks for, and what that caller may do. */

export function subjectStep(caller: VerifiedClaims | null, code: ErrorCode | null): Step {
  if (code !== null || caller === null) {
    return failedStep('subject', code ?? 'subject_invalid', {
      expected: 'a non-empty text',
      found: 'something else (not shown)',
      advice: 'The token names nobody that can be kept apart from others: "sub" must be a non-empty text.',
    });
  }
  if (caller.subject === null)
    return passed('subject', 'none: it opens /me, and nothing that is kept for somebody');
  const kind = caller.kind === 'client' ? 'a machine client (client credentials)' : 'a person';
  return passed('subject', `names somebody by "sub" (not shown): ${kind}`);
}

export function scopesStep(
  granted: readonly string[],
  required: readonly string[],
  setting: string,
  code: ErrorCode | null,
): Step {
  const found = granted.length === 0 ? 'none' : quoted(granted.join(' '));
  const missing = required.filter((name) => !granted.includes(name));
  return judged('scopes', code, required.length === 0 ? `none required; ${found}` : found, {
    expected: required.join(' '),
    found,
    advice: `The token lacks the scope ${missing.join(' ') || '(its list cannot be read)'}. Ask the provider for it when you sign in, or change ${setting}.`,
  });
}

export function credentialsStep(code: ErrorCode | null): Step {
  return judged('credentials', code, 'it says for which secret or key it was issued', {
    expected: 'a "jti" of POST /token',
    found: 'another',
    advice: 'The token was not made by POST /token of this service, although it names it.',
  });
}
