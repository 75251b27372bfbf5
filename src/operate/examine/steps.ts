import { maxTokenBytes } from '../../auth/jws.ts';
import type { Outcomes, StepName } from '../../auth/trace.ts';
import { clockToleranceSeconds } from '../../base/clock.ts';
import { counted } from '../../base/counted.ts';
import { roughDuration } from '../../base/duration.ts';
import type { ErrorCode, Refusal } from '../../base/errors.ts';
import { type Finding, passed, quoted, skipped } from '../../base/finding.ts';
import { refusedStep } from '../findings.ts';
import { requiredShown, shown, shownTime } from './advice.ts';
import type { TraceContext } from './context.ts';

/** One step as shown. `code` is the refusal of the service if this step fails first. */
export interface Step extends Finding {
  readonly code: ErrorCode | null;
}

export function describeSteps(outcomes: Outcomes, context: TraceContext): readonly Step[] {
  const hasRequired = Object.keys(context.issuer.claims.requiredClaims).length > 0;
  return [...outcomes]
    .filter(([step]) => step !== 'use' || hasRequired)
    .map(([step, refusal]) => {
      const reason = reasonToSkip(step, outcomes, context);
      if (reason !== null) return skipped(step, reason);
      const view = views[step](context, refusal);
      if (refusal === null) return passed(step, view[0]);
      return refusedStep(step, refusal, view, context);
    });
}

/** A step that says nothing after an earlier failure is skipped. */
function reasonToSkip(step: StepName, outcomes: Outcomes, { caller }: TraceContext): string | null {
  const hasFailed = (...earlier: StepName[]) => earlier.some((name) => outcomes.get(name));
  if ((step === 'algorithm' || step === 'type') && hasFailed('header')) return 'the header is refused';
  if (step === 'key' && hasFailed('header', 'algorithm'))
    return 'the header is refused, so no key is looked up';
  if (step === 'signature' && hasFailed('key')) return 'there is no key to check it with';
  if (step === 'caller' && caller === null) return 'the caller of the token is unknown';
  if (step === 'caller' && !caller?.isKnown && !hasFailed('caller')) return caller?.found ?? null;
  return step === 'standing' && !caller?.isKnown ? 'the caller is not known' : null;
}

type View = (context: TraceContext, refusal: Refusal | null) => readonly [found: string, expected: string];

const views: Readonly<Record<StepName, View>> = {
  shape: ({ text }) => [
    `${counted(text.split('.').length, 'part')}, ${counted(Buffer.byteLength(text), 'byte')}`,
    `three base64url parts joined by dots, at most ${maxTokenBytes} bytes`,
  ],
  header: ({ header, issuers }) => {
    const { alg, kid, typ, ...others } = header;
    const extensions = ['crit', 'b64'].filter((name) => others[name] !== undefined);
    const members = `alg ${shown(alg)}, kid ${shown(kid)}, typ ${shown(typ)}`;
    const algorithms = new Set(issuers.flatMap((issuer) => [...issuer.algorithms]));
    return [
      [members, ...extensions.map((name) => `"${name}"`)].join(', '),
      `a JSON object with alg one of ${[...algorithms].join(', ')}; no "crit", no "b64"`,
    ];
  },
  issuer: ({ claims, issuers, issuer }, refusal) => [
    refusal === null ? `${quoted(claims.iss)}: ${issuer.who}` : shown(claims.iss),
    `one of ${issuers.flatMap((known) => known.claims.issuers.map(quoted)).join(', ')}`,
  ],
  algorithm: ({ header, issuer }) => [String(header.alg), `one of ${[...issuer.algorithms].join(', ')}`],
  type: ({ header, issuer }) => [
    shown(header.typ),
    issuer.requireAtJwt ? '"at+jwt"' : '"at+jwt", "JWT" or none',
  ],
  key: ({ header, keys, nowSeconds }, refusal) => {
    if (keys === null) return [refusal?.options.detail ?? 'none', 'the published keys of the issuer'];
    const kid = header.kid as string | undefined;
    const madeAt = keys.madeAt?.(kid);
    const age = madeAt === undefined ? '' : `, made ${roughDuration(nowSeconds - madeAt / 1000)} ago`;
    const names = keys.set.keys.map((key) => quoted(key.kid)).join(', ');
    return [
      refusal === null ? `kid ${quoted(kid)}, ${keys.source}${age}` : `kid ${quoted(kid)} for ${header.alg}`,
      `one of kid ${names || '(none)'}, ${keys.source}`,
    ];
  },
  signature: ({ header }, refusal) => [
    refusal === null ? 'holds' : 'another',
    `one by the key ${quoted(header.kid)}`,
  ],
  purpose: ({ claims }, refusal) => {
    const marks = ['at_hash', 'c_hash', 's_hash', 'nonce', 'events', 'typ'].filter((name) =>
      Object.hasOwn(claims, name),
    );
    const found =
      marks.length > 0
        ? `the claims ${marks.join(', ')}`
        : 'claims that this provider writes only into ID tokens';
    return [refusal === null ? 'no sign of another kind of token' : found, 'an access token'];
  },
  binding: ({ claims: { cnf }, verified }, refusal) => {
    const bound =
      'bound to a key (DPoP): send it as "Authorization: DPoP <token>", each time with a new proof by that key in the header DPoP';
    if (refusal === null) return [verified?.boundTo ? bound : 'bound to no key: a plain bearer token', ''];
    return cnf === undefined
      ? ['no "cnf"', '"cnf" with "jkt"']
      : ['"cnf" (not shown)', 'no "cnf", or one that this service can check'];
  },
  times: ({ claims, issuer, nowSeconds }) => {
    const found = ['iat', 'nbf', 'exp'].filter((name) => claims[name] !== undefined);
    const maxSeconds = issuer.claims.maxLifetimeSeconds;
    return [
      found.map((name) => `${name} ${distance(claims[name], nowSeconds)}`).join(', ') || 'none',
      `iat and nbf past, exp to come, by our clock (${shownTime(nowSeconds)}) and ${clockToleranceSeconds} s more or less${maxSeconds === null ? '' : `; from iat to exp at most ${maxSeconds} s`}`,
    ];
  },
  use({ claims, issuer }) {
    const found = ([name, wanted]: [string, string | true]) => {
      // The value of a claim that only has to be present is not shown.
      const isThere = Object.hasOwn(claims, name) ? '(not shown)' : 'none';
      return `${name} ${wanted === true ? isThere : shown(claims[name])}`;
    };
    return [Object.entries(issuer.claims.requiredClaims).map(found).join(', '), requiredShown(issuer)];
  },
  audience: ({ claims, issuer: { claims: policy } }) => [
    shown(claims[policy.audienceClaim]),
    (policy.audiences ?? []).map(quoted).join(' or '),
  ],
  subject: ({ verified }, refusal) => {
    if (refusal !== null) return ['something else (not shown)', 'a non-empty text'];
    if (verified?.subject == null)
      return ['no subject: the token is accepted on /me, but not where data belongs to a caller', ''];
    const kind = verified.kind === 'client' ? 'a machine client (client credentials)' : 'a person';
    return [`names a caller by "sub" (not shown): ${kind}`, ''];
  },
  scopes: ({ verified, issuer: { claims: policy } }) => {
    const granted = verified?.scopes.length ? quoted(verified.scopes.join(' ')) : 'none';
    const required = policy.requiredScopes.join(' ');
    return [required === '' ? `none required; ${granted}` : granted, required];
  },
  credentials: (_context, refusal) => [
    refusal === null ? '"jti" names the secret or key that it was issued for' : 'another',
    'a "jti" of POST /token',
  ],
  caller: ({ caller }) => [caller?.found ?? '', 'a database that answers'],
  standing: (_context, refusal) => [refusal?.code ?? 'admitted', 'a caller that is not suspended or revoked'],
};

function distance(value: unknown, nowSeconds: number): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'is no time';
  const seconds = value - nowSeconds;
  return seconds < 0 ? `${roughDuration(seconds)} ago` : `in ${roughDuration(seconds)}`;
}
