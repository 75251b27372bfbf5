import { jsonObject, type KeySource, parseCompact } from '../../auth/jws.ts';
import { createTrace, type Outcomes, type RunStep } from '../../auth/trace.ts';
import { createTracer } from '../../auth/verifier.ts';
import type { VerifiedClaims } from '../../base/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { describe, Refusal } from '../../base/errors.ts';
import { unquoted } from '../../base/finding.ts';
import type { JsonObject } from '../../base/strict-json.ts';
import { maxHeaderBytes } from '../../http/limits.ts';
import type { CallerNow, ExaminedIssuer, KeysNow, TraceContext } from './context.ts';
import { describeSteps } from './steps.ts';

export interface ExaminationParts {
  readonly issuers: TraceContext['issuers'];
  readonly callerNow: (claims: VerifiedClaims) => Promise<CallerNow>;
  readonly clock: Clock;
}

/** Explains a trace of the verifier: it goes on after a failure, and the first step that fails is the reason. */
export async function examineToken(text: string, parts: ExaminationParts) {
  const { issuers, clock } = parts;
  const { run, outcomes } = createTrace();
  const start: TraceContext = {
    text,
    issuers,
    issuer: issuers[0],
    nowSeconds: clock.now() / 1000,
    header: {},
    claims: {},
    verified: null,
    keys: null,
    caller: null,
  };
  run('shape', () => checkShape(text), undefined);
  if (outcomes.get('shape')) return conclude(outcomes, start);
  const traced = { ...start, ...(await trace(text, parts, run)) };
  if (traced.verified === null) return conclude(outcomes, traced);
  const isNamed = !identifying.some((step) => outcomes.get(step));
  const caller = isNamed ? await parts.callerNow(traced.verified) : null;
  outcomes.set('caller', caller?.isKnown ? null : (caller?.refusal ?? null));
  outcomes.set('standing', caller?.isKnown ? caller.refusal : null);
  return conclude(outcomes, { ...traced, caller });
}

/** The form of a bearer token (RFC 6750 section 2.1); auth/authenticate checks it first. */
const bearerForm = /^[A-Za-z0-9._~+/-]+=*$/;
/** The steps that identify the caller. */
const identifying = ['issuer', 'subject', 'credentials'] as const;

function checkShape(text: string): void {
  if (Buffer.byteLength(text) > maxHeaderBytes) throw new Refusal('headers_too_large');
  if (!bearerForm.test(text)) throw new Refusal('authorization_malformed');
  parseCompact(text);
}

async function trace(text: string, { issuers, clock }: ExaminationParts, run: RunStep) {
  let keys: KeysNow | null = null;
  const keySource = ({ algorithms, keysNow }: ExaminedIssuer): KeySource => ({
    async find(kid, algorithm) {
      if (!algorithms.has(algorithm)) return undefined;
      keys = await keysNow();
      return keys.set.find(kid, algorithm);
    },
    generation: null,
  });
  const withKeys = issuers.map((issuer) => ({ ...issuer, keys: keySource(issuer) }));
  const { issuer, claims: verified, payload: claims } = await createTracer(withKeys, clock)(text, run);
  return { issuer, verified, claims, keys, header: headerOf(text) };
}

function headerOf(text: string): JsonObject {
  try {
    return jsonObject(parseCompact(text).header);
  } catch {
    return {};
  }
}

/** A real token has a dozen or two claims. */
const maxClaims = 100;

/** Explains why a token is accepted or refused. Shows only the names of claims, so the output can be shared. */
function conclude(outcomes: Outcomes, context: TraceContext) {
  const { claims, verified, caller } = context;
  const steps = describeSteps(outcomes, context);
  const reason = steps.find(({ result }) => result === 'fail');
  const code = reason?.code ?? null;
  const accepted =
    verified !== null && verified.boundTo !== null
      ? 'The token is accepted together with a proof: see the step "binding".'
      : 'The token is accepted.';
  return {
    accepted: code === null,
    /** The answer of the API. */
    code,
    status: code === null ? 200 : describe(code).status,
    summary: reason?.advice ?? accepted,
    steps,
    claims: Object.keys(claims).slice(0, maxClaims).map(unquoted),
    pseudonym: caller?.pseudonym ?? null,
  };
}
