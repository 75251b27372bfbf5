import type { ExaminedProvider, Missing } from '../../auth/examine/provider.ts';
import { doubtful, type Finding, failed, passed, quoted, skipped, unquoted } from '../../base/finding.ts';
import { providerIssuers } from '../../config/rules.ts';
import type { Config } from '../../config/settings.ts';
import { fetchAdvice } from './fetch-advice.ts';
import { clockFinding, keysFinding } from './provider-keys.ts';

/** What the provider says of itself, its keys and its clock, held against the settings. */
export async function examineProvider(config: Config): Promise<readonly Finding[]> {
  const issuer = config.idpIssuer ?? config.idpOrigin;
  const discoveryUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { inspectProvider } = await import('../../inspection.ts');
  const now = await inspectProvider(config, discoveryUrl);
  return [...aboutItself(config, discoveryUrl, now), keysFinding(config, now.keys), clockFinding(now)];
}

const fromDiscovery = ['issuer', 'key address', 'algorithms'];

function aboutItself(config: Config, url: string, { discovery, keys }: ExaminedProvider): readonly Finding[] {
  if ('fault' in discovery) {
    const skip = fromDiscovery.map((name) => skipped(name, 'there is no discovery document to compare with'));
    return [discoveryFinding(url, discovery), ...skip];
  }
  const { document } = discovery;
  return [
    passed('discovery', url),
    issuerFinding(config, document.issuer),
    keyAddressFinding(config, document, 'usable' in keys),
    algorithmsFinding(config, document.id_token_signing_alg_values_supported),
  ];
}

/** The service does without one, so only a provider that cannot be reached at all is a failure. */
function discoveryFinding(url: string, { fault, detail }: Missing): Finding {
  const expected = `a discovery document at ${url}`;
  const isNoAddress = !URL.canParse(url);
  if (!isNoAddress && (fault === 'unreachable' || fault === 'timeout')) {
    return failed('discovery', { expected, found: detail, advice: fetchAdvice(detail, 'IDP_ORIGIN') });
  }
  return doubtful('discovery', {
    expected,
    found: isNoAddress ? 'an IDP_ISSUER that is no URL' : detail,
    advice:
      'Set IDP_ISSUER to the issuer as the provider shows it (Keycloak: https://host/realms/<realm>; Entra: https://login.microsoftonline.com/<tenant id>/v2.0).',
  });
}

function issuerFinding(config: Config, issuer: unknown): Finding {
  const accepted = providerIssuers(config);
  if (typeof issuer === 'string' && accepted.includes(issuer)) return passed('issuer', quoted(issuer));
  const expected = accepted.map(quoted).join(' or ');
  if (typeof issuer !== 'string') {
    const advice = 'This is no OpenID provider, or none that works. Check IDP_ORIGIN and IDP_ISSUER.';
    return failed('issuer', { expected, found: 'a discovery document without an "issuer"', advice });
  }
  const found = quoted(issuer);
  if (issuer.includes('{')) {
    const advice =
      'This is the address for all tenants, and its tokens name the tenant they are from. Set IDP_ISSUER to that of your own tenant, by its id.';
    return failed('issuer', { expected, found, advice });
  }
  const isSlash = accepted.some((one) => one.replace(/\/$/, '') === issuer.replace(/\/$/, ''));
  const why = isSlash ? 'Only the trailing slash differs, and issuers are compared exactly. ' : '';
  return failed('issuer', { expected, found, advice: `${why}Set IDP_ISSUER=${unquoted(issuer)}` });
}

function keyAddressFinding(
  config: Config,
  document: Readonly<Record<string, unknown>>,
  works: boolean,
): Finding {
  const name = 'key address';
  const ours = `${config.idpOrigin}${config.idpJwksPath}`;
  const { jwks_uri: theirs, issuer } = document;
  if (theirs === ours) return passed(name, ours);
  const url = typeof theirs === 'string' ? URL.parse(theirs) : null;
  if (url === null) {
    return doubtful(name, {
      expected: ours,
      found: 'no "jwks_uri"',
      advice: 'Ask the provider where its keys are.',
    });
  }
  const path = `IDP_JWKS_PATH=${url.pathname}`;
  const advice =
    url.origin === config.idpOrigin
      ? `Set ${path}`
      : `Set IDP_ORIGIN=${url.origin} ${path} IDP_ISSUER=${unquoted(String(issuer))}`;
  const trouble = { expected: `${ours} (IDP_ORIGIN and IDP_JWKS_PATH)`, found: quoted(theirs), advice };
  return works ? doubtful(name, trouble) : failed(name, trouble);
}

function algorithmsFinding({ allowedAlgorithms }: Config, announced: unknown): Finding {
  const name = 'algorithms';
  const allowed = allowedAlgorithms.join(', ');
  if (!Array.isArray(announced)) return skipped(name, 'the provider does not say what it signs with');
  const common = allowedAlgorithms.filter((algorithm) => announced.includes(algorithm));
  if (common.length > 0) return passed(name, common.join(', '));
  const usable = announced.filter((algorithm) => /^(RS|PS|ES)\d{3}$|^EdDSA$|^Ed25519$/.test(algorithm));
  return failed(name, {
    expected: `${allowed} (ALLOWED_ALGORITHMS)`,
    found: quoted(announced),
    advice:
      usable.length > 0
        ? `Set ALLOWED_ALGORITHMS=${usable.join(',')}`
        : 'The provider signs with a shared secret only. Set it to RS256.',
  });
}
