import type { About } from '../parts/language.ts';
import { t } from '../parts/words.ts';
import type { Problem } from './client.ts';

/** What a problem means for the person who uses the page, and what they can do about it. */
interface Explained {
  readonly heading: string;
  readonly advice: string;
}

type Sentence = string | ((about: About) => string);

/** A token is the page's business: to the person all of them say one thing. */
const ofSignIn = new Set([
  'token_missing',
  'authorization_malformed',
  'token_malformed',
  'token_too_large',
  'token_type_not_allowed',
  'header_not_supported',
  'algorithm_not_allowed',
  'issuer_mismatch',
  'key_unknown',
  'signature_invalid',
  'claim_invalid',
  'expiry_missing',
  'token_expired',
  'token_not_yet_valid',
  'token_lifetime_too_long',
  'token_bound',
  'proof_required',
  'audience_mismatch',
  'subject_invalid',
  'subject_required',
  'client_disabled',
  'token_revoked',
  'proof_invalid',
  'proof_replayed',
  'proof_nonce_required',
]);

/** The same code can mean different things: words for one context are under `context.code` (`invitations.quota_exceeded`). */
export function wordsFor({ code, status }: Problem, context = '', about = nothingKnown()): Explained {
  const known: Readonly<Record<string, { readonly heading: Sentence; readonly advice: Sentence }>> =
    t.problems;
  const { heading, advice } =
    known[`${context}.${code}`] ??
    known[ofSignIn.has(code) ? 'sign_in_refused' : code] ??
    (status >= 500 ? t.problems.internal : t.problems.unknown);
  const said = (sentence: Sentence) => (typeof sentence === 'string' ? sentence : sentence(about));
  return { heading: said(heading), advice: said(advice) };
}

function nothingKnown(): About {
  const [one, many] = [t.entry, t.entries];
  return { one, many, parent: '', child: one, children: many, count: 0, fields: [], isOwn: false };
}
