import { proofAlgorithms } from '../../auth/dpop/proof-keys.ts';
import { FetchError } from '../../auth/provider-fetch.ts';
import { clockToleranceSeconds, systemClock } from '../../base/clock.ts';
import { roughDuration } from '../../base/duration.ts';
import { assigned, type Finding, passed, quoted, skipped } from '../../base/finding.ts';
import { isJsonObject, type JsonObject } from '../../base/strict-json.ts';
import type { Provider } from '../../config/providers.ts';
import type { Config } from '../../config/settings.ts';
import { type ExaminedIssuer, fetchNow } from '../examine/context.ts';
import type { Step } from '../examine/steps.ts';
import { examineToken } from '../examine/token.ts';
import { examinedIssuer } from '../explain.ts';
import { connectionAdvice, finding } from '../findings.ts';

/**
 * Compares the metadata of each provider with the settings: the steps of a sample token, as `explain` shows them, and more.
 */
export async function providerFindings(config: Config): Promise<readonly Finding[]> {
  const { providers } = config;
  const found = await Promise.all(providers.map((provider) => findingsOf(config, provider)));
  if (providers.length === 1) return found.flat();
  return found.flatMap((findings, index) =>
    findings.map((finding) => ({ ...finding, name: `${providers[index]?.name}: ${finding.name}` })),
  );
}

async function findingsOf(config: Config, provider: Provider): Promise<readonly Finding[]> {
  const discoveryUrl = `${provider.issuers[0].replace(/\/$/, '')}/.well-known/openid-configuration`;
  const issuer = examinedIssuer(config, provider, null, systemClock);
  const fetched = issuer.keysNow();
  // Runs all at once: each has its own deadline.
  const [discovery, keys, aheadSeconds] = await Promise.all([
    fetchDiscovery(discoveryUrl),
    fetched.catch(() => null),
    clockAhead(provider.jwksUrl),
  ]);
  const document = discovery instanceof FetchError ? null : discovery;
  const sample = sampleToken(document ?? {}, issuer, keys?.set.keys ?? []);
  const stepOf = await examine(sample, { ...issuer, keysNow: () => fetched });
  const compared =
    document === null
      ? ['issuer', 'key address', 'algorithm'].map((name) => skipped(name, noDocument))
      : [
          stepOf('issuer'),
          keyAddressFinding(provider, document, keys !== null),
          { ...stepOf(stepOf('header').result === 'fail' ? 'header' : 'algorithm'), name: 'algorithm' },
        ];
  return [
    discovery instanceof FetchError
      ? discoveryFinding(provider, discoveryUrl, discovery)
      : passed('discovery', discoveryUrl),
    ...compared,
    ...bindingFindings(config, provider, document),
    keys?.set.alarms?.length ? finding('key', 'keys_withdrawn', stepOf('key')) : stepOf('key'),
    clockFinding(aheadSeconds),
  ];
}

const noDocument = 'there is no discovery document to compare with';

/** The steps that need a real token, by name. */
async function examine(token: string, issuer: ExaminedIssuer) {
  const callerNow = async () => ({ found: 'it is a sample', isKnown: false, pseudonym: null, refusal: null });
  const { steps } = await examineToken(token, { issuers: [issuer], callerNow, clock: systemClock });
  return (name: string) => steps.find((step) => step.name === name) as Step;
}

/** The service needs no discovery document, so only an unreachable provider is a failure. */
function discoveryFinding({ settings }: Provider, url: string, error: FetchError): Finding {
  const { fault, reason, message } = error;
  const name = 'discovery';
  const isAddress = URL.canParse(url);
  if (isAddress && (fault === 'unreachable' || fault === 'timeout')) {
    const advice = connectionAdvice(reason, settings.origin);
    return finding(name, 'discovery_unreachable', { url, message, advice });
  }
  const found = isAddress ? message : `an ${settings.issuer} that is not a URL`;
  return finding(name, 'discovery_missing', { url, found, setting: settings.issuer });
}

function keyAddressFinding(provider: Provider, document: JsonObject, works: boolean): Finding {
  const name = 'key address';
  const { jwksUrl: ours, origin, settings } = provider;
  const { jwks_uri: theirs, issuer } = document;
  if (theirs === ours) return passed(name, ours);
  const url = typeof theirs === 'string' ? URL.parse(theirs) : null;
  const path = [settings.jwksPath, url?.pathname ?? ''] as const;
  const all = [[settings.origin, url?.origin ?? ''], path, [settings.issuer, String(issuer)]] as const;
  const change = url?.origin === origin ? assigned(path) : assigned(...all);
  const expected = `${ours} (${settings.origin} and ${settings.jwksPath})`;
  const trouble =
    url === null
      ? finding(name, 'key_address_missing', { expected })
      : finding(name, 'key_address_differs', { expected, found: quoted(theirs), change });
  return works ? { ...trouble, result: 'warn' } : trouble;
}

/** Checks that the provider announces DPoP if the settings rely on it. Some providers support it without announcing it. */
function bindingFindings(
  { dpop, web }: Config,
  { webClientId }: Provider,
  document: JsonObject | null,
): readonly Finding[] {
  const name = 'bound tokens';
  const isRequired = dpop.policy === 'required';
  if (!isRequired && !(web === 'on' && dpop.page && webClientId !== null)) return [];
  if (document === null) return [skipped(name, noDocument)];
  const { dpop_signing_alg_values_supported: announced } = document;
  const common = Array.isArray(announced) ? proofAlgorithms.filter((alg) => announced.includes(alg)) : [];
  if (common.length > 0) return [passed(name, `by DPoP, with ${common.join(', ')}`)];
  const effect = isRequired
    ? 'DPOP=required refuses every token that is not bound'
    : 'DPOP=page refuses a sign-in with a token that is not bound';
  const found = Array.isArray(announced)
    ? quoted(announced)
    : 'a discovery document that does not mention DPoP';
  return [finding(name, 'binding_unannounced', { found, effect, algorithms: proofAlgorithms.join(', ') })];
}

const noticeableSeconds = 2;

function clockFinding(aheadSeconds: number | null): Finding {
  const name = 'clock';
  if (aheadSeconds === null) return skipped(name, 'the provider sends no Date header');
  const distance = Math.abs(aheadSeconds);
  if (distance <= noticeableSeconds)
    return passed(name, `agrees with the provider's to ${distance.toFixed(1)} s`);
  const ours = `${roughDuration(distance)} ${aheadSeconds > 0 ? 'behind' : 'ahead of'}`;
  const trouble = finding(name, 'clock_differs', { distance: ours, limit: noticeableSeconds });
  return distance > clockToleranceSeconds ? trouble : { ...trouble, result: 'warn' };
}

/** A token as the provider would issue it by its discovery document and keys, with a dummy signature. */
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
  const fetched = await fetchNow(url);
  if (fetched instanceof FetchError) return fetched;
  const { document } = fetched;
  return isJsonObject(document) ? document : new FetchError('not_json', 'the answer is not a JSON object');
}

const clockDeadlineMs = 5_000;

/**
 * How many seconds the provider's clock is ahead of ours, by the headers Date (whole seconds) and Age; null without Date.
 */
async function clockAhead(url: string): Promise<number | null> {
  try {
    const sentAt = systemClock.now();
    const signal = AbortSignal.timeout(clockDeadlineMs);
    const response = await fetch(url, { signal, redirect: 'manual', cache: 'no-store' });
    const receivedAt = systemClock.now();
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
