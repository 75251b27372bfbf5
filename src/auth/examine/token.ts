import type { VerifiedClaims } from '../../base/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { describe, type ErrorCode, Refusal } from '../../base/errors.ts';
import { unquoted } from '../../base/finding.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import { checkClaims } from '../claims.ts';
import { claimsOf, isOpaque } from '../introspection/request.ts';
import { jsonObject, type KeySource, parseCompact } from '../jws.ts';
import { FetchError, fetchDocument } from '../provider-fetch.ts';
import { createTrace, type Outcomes, type RunStep } from '../trace.ts';
import { createTracer } from '../verifier.ts';
import type { CallerNow, KeysNow, NamedRules, TraceContext } from './context.ts';
import { describeSteps, type Step } from './steps.ts';

export interface ExaminedIssuer extends NamedRules {
  /** Rejects with a refusal that says why there are none. */
  readonly keysNow: () => Promise<KeysNow>;
}

interface OpaqueIssuer {
  readonly issuer: NamedRules;
  /** The provider's answer about a token; null if it is not active. */
  readonly ask: (token: string) => Promise<JsonObject | null>;
}

export interface ExaminationParts {
  readonly issuers: readonly [provider: ExaminedIssuer, ...others: ExaminedIssuer[]];
  /** Null where opaque tokens are refused. */
  readonly introspection?: OpaqueIssuer | null;
  readonly maxHeaderBytes: number;
  /** The caller, and the code that the service refuses it with. */
  readonly callerNow: (claims: VerifiedClaims) => Promise<CallerNow & { readonly refusal: ErrorCode | null }>;
  readonly clock: Clock;
}

/** Explains a trace of the verifier: it goes on after a failure, and the first step that fails is the reason. */
export async function examineToken(text: string, parts: ExaminationParts) {
  const { issuers, introspection, maxHeaderBytes, clock } = parts;
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
  run('shape', () => checkShape(text, maxHeaderBytes), undefined);
  const isAsked = introspection && outcomes.get('shape')?.code === 'token_malformed' && isOpaque(text);
  if (isAsked) outcomes.set('shape', null);
  if (outcomes.get('shape')) return conclude(outcomes, start);
  const traced = isAsked
    ? await traceOpaque(introspection, start, run)
    : { ...start, ...(await traceJwt(text, parts, run)) };
  if (traced.verified === null) return conclude(outcomes, traced);
  const isKnown = !identifying.some((step) => outcomes.get(step));
  const caller = isKnown ? await parts.callerNow(traced.verified) : null;
  const refusal = caller?.refusal ? new Refusal(caller.refusal) : null;
  const isUnknown = caller === null || 'unknown' in caller;
  outcomes.set('caller', isUnknown ? refusal : null);
  outcomes.set('standing', isUnknown ? null : refusal);
  return conclude(outcomes, { ...traced, caller });
}

/** The form of a bearer token (RFC 6750 section 2.1); auth/authenticate checks it first. */
const bearerForm = /^[A-Za-z0-9._~+/-]+=*$/;
/** The steps that decide whom a token speaks for. */
const identifying = ['issuer', 'subject', 'credentials'] as const;

function checkShape(text: string, maxHeaderBytes: number): void {
  if (Buffer.byteLength(text) > maxHeaderBytes) throw new Refusal('headers_too_large');
  if (!bearerForm.test(text)) throw new Refusal('authorization_malformed');
  parseCompact(text);
}

async function traceJwt(text: string, { issuers, clock }: ExaminationParts, run: RunStep) {
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

async function traceOpaque(
  { issuer, ask }: OpaqueIssuer,
  start: TraceContext,
  run: RunStep,
): Promise<TraceContext> {
  const asked: TraceContext = { ...start, issuers: [issuer], issuer, header: null };
  const answer = await run('introspection', () => introspected(ask(start.text)), null);
  if (answer === null) return asked;
  const claims = run('type', () => claimsOf(answer, issuer.claims), answer);
  return { ...asked, claims, verified: checkClaims(claims, issuer.claims, start.nowSeconds, run) };
}

async function introspected(answer: Promise<JsonObject | null>): Promise<JsonObject | null> {
  const active = await answer.catch((error: unknown) => {
    if (!(error instanceof FetchError)) throw error;
    throw new Refusal('introspection_unavailable', { detail: error.message });
  });
  if (active === null) throw new Refusal('token_inactive');
  return active;
}

/** A real token has a dozen or two. */
const mostClaims = 100;

/** Why a token is accepted or refused. Holds nothing of it that must not be shared: of claims only the names. */
function conclude(outcomes: Outcomes, context: TraceContext) {
  const { claims, verified, caller } = context;
  const steps = describeSteps(outcomes, context);
  const reason = steps.find(({ result }) => result === 'fail');
  const code = reason?.code ?? null;
  const accepted =
    verified !== null && verified.boundTo !== null
      ? 'The token is accepted, beside the proof that the step "binding" speaks of.'
      : 'The token is accepted.';
  return {
    accepted: code === null,
    /** What the API answers with. */
    code,
    status: code === null ? 200 : describe(code).status,
    summary: reason?.advice ?? accepted,
    steps,
    claims: Object.keys(claims).slice(0, mostClaims).map(unquoted),
    pseudonym: caller !== null && 'pseudonym' in caller ? caller.pseudonym : null,
  };
}

/** A provider as it answers now. All requests at once: each has a deadline of its own. */
export async function examineProvider(
  issuer: ExaminedIssuer,
  { discoveryUrl, jwksUrl }: { readonly discoveryUrl: string; readonly jwksUrl: string },
  clock: Clock,
) {
  const fetched = issuer.keysNow();
  const [discovery, aheadSeconds, keys] = await Promise.all([
    fetchDiscovery(discoveryUrl),
    clockAhead(jwksUrl, clock),
    fetched.catch(() => null),
  ]);
  const document = discovery instanceof FetchError ? {} : discovery;
  const sample = sampleToken(document, issuer, keys?.set.keys ?? []);
  const callerNow = async () => ({ unknown: 'the token is a sample', refusal: null });
  const issuers = [{ ...issuer, keysNow: () => fetched }] as const;
  const { steps } = await examineToken(sample, { issuers, maxHeaderBytes: sample.length, callerNow, clock });
  const stepOf = (name: string) => steps.find((step) => step.name === name) as Step;
  const header = stepOf('header');
  return {
    discovery,
    aheadSeconds,
    keys,
    issuer: stepOf('issuer'),
    algorithm: header.result === 'fail' ? header : stepOf('algorithm'),
    key: stepOf('key'),
  };
}

/** The token that the provider would issue by its discovery document and its keys, with a dummy for the signature. */
function sampleToken(
  { issuer: iss, id_token_signing_alg_values_supported: announced }: JsonObject,
  { algorithms }: ExaminedIssuer,
  keys: readonly { readonly kid: string | undefined; readonly algorithms: readonly string[] }[],
): string {
  const signing: readonly unknown[] = Array.isArray(announced) ? announced : [...algorithms];
  const usable = keys.flatMap((key) => key.algorithms.map((alg) => ({ alg, kid: key.kid })));
  const allowed = signing.find((alg) => typeof alg === 'string' && algorithms.has(alg));
  const header = usable.find(({ alg }) => signing.includes(alg)) ?? {
    alg: allowed ?? signing[0],
    kid: keys[0]?.kid,
  };
  const parts = [JSON.stringify(header), JSON.stringify({ iss }), 'dummy'];
  return parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
}

async function fetchDiscovery(url: string): Promise<JsonObject | FetchError> {
  try {
    const { document } = await fetchDocument(url, new AbortController().signal);
    return isJsonObject(document) ? document : new FetchError('not_json', 'the answer is no JSON object');
  } catch (error) {
    if (error instanceof FetchError) return error;
    throw error;
  }
}

const clockDeadlineMs = 5_000;

/** How many seconds the provider's clock is ahead of ours, by the Date header (whole seconds) and Age; null without one. */
async function clockAhead(url: string, clock: Clock): Promise<number | null> {
  try {
    const sentAt = clock.now();
    const signal = AbortSignal.timeout(clockDeadlineMs);
    const response = await fetch(url, { signal, redirect: 'manual', cache: 'no-store' });
    const receivedAt = clock.now();
    await response.body?.cancel();
    const ageMs = Number(response.headers.get('age') ?? 0) * 1000;
    const theirs =
      Date.parse(response.headers.get('date') ?? '') + (Number.isFinite(ageMs) ? ageMs : 0) + 500;
    const ours = (sentAt + receivedAt) / 2;
    return Number.isNaN(theirs) ? null : (theirs - ours) / 1000;
  } catch {
    return null;
  }
}
