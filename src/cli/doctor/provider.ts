import type { ExaminedProvider, Missing } from '../../auth/examine/provider.ts';
import {
  assigned,
  doubtful,
  type Finding,
  failed,
  passed,
  quoted,
  skipped,
  unquoted,
} from '../../base/finding.ts';
import type { Provider } from '../../config/providers.ts';
import type { Config } from '../../config/settings.ts';
import { fetchAdvice } from './fetch-advice.ts';
import { examineIntrospection } from './introspection.ts';
import { clockFinding, keysFinding } from './provider-keys.ts';
import { examineBinding } from './token-binding.ts';

/** What each provider says of itself, its keys and its clock, held against the settings. */
export async function examineProviders(config: Config): Promise<readonly Finding[]> {
  const { providers } = config;
  const found = await Promise.all(providers.map((provider) => examineProvider(provider, config)));
  if (providers.length === 1) return found.flat();
  return found.flatMap((findings, index) =>
    findings.map((finding) => ({ ...finding, name: `${providers[index]?.name}: ${finding.name}` })),
  );
}

async function examineProvider(provider: Provider, config: Config): Promise<readonly Finding[]> {
  const discoveryUrl = `${provider.issuers[0].replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { inspectProvider } = await import('../../app/doctor.ts');
  const [now, introspection] = await Promise.all([
    inspectProvider(provider, discoveryUrl),
    examineIntrospection(provider),
  ]);
  return [
    ...aboutItself(provider, discoveryUrl, now),
    ...(await examineBinding(config, provider, now.discovery)),
    keysFinding(provider, now.keys),
    clockFinding(now),
    ...introspection,
  ];
}

const fromDiscovery = ['issuer', 'key address', 'algorithms'];

function aboutItself(
  provider: Provider,
  url: string,
  { discovery, keys }: ExaminedProvider,
): readonly Finding[] {
  if ('fault' in discovery) {
    const skip = fromDiscovery.map((name) => skipped(name, 'there is no discovery document to compare with'));
    return [discoveryFinding(provider, url, discovery), ...skip];
  }
  const { document } = discovery;
  return [
    passed('discovery', url),
    issuerFinding(provider, document.issuer),
    keyAddressFinding(provider, document, 'usable' in keys),
    algorithmsFinding(provider, document.id_token_signing_alg_values_supported),
  ];
}

/** The service does without one, so only a provider that cannot be reached at all is a failure. */
function discoveryFinding({ settings }: Provider, url: string, { fault, detail }: Missing): Finding {
  const expected = `a discovery document at ${url}`;
  const isNoAddress = !URL.canParse(url);
  if (!isNoAddress && (fault === 'unreachable' || fault === 'timeout')) {
    return failed('discovery', { expected, found: detail, advice: fetchAdvice(detail, settings.origin) });
  }
  return doubtful('discovery', {
    expected,
    found: isNoAddress ? `an ${settings.issuer} that is no URL` : detail,
    advice: `Set ${settings.issuer} to the issuer as the provider shows it (Keycloak: https://host/realms/<realm>; Entra: https://login.microsoftonline.com/<tenant id>/v2.0).`,
  });
}

function issuerFinding({ issuers: accepted, settings }: Provider, issuer: unknown): Finding {
  if (typeof issuer === 'string' && accepted.includes(issuer)) return passed('issuer', quoted(issuer));
  const expected = accepted.map(quoted).join(' or ');
  if (typeof issuer !== 'string') {
    const advice = `This is no OpenID provider, or none that works. Check ${settings.origin} and ${settings.issuer}.`;
    return failed('issuer', { expected, found: 'a discovery document without an "issuer"', advice });
  }
  const found = quoted(issuer);
  if (issuer.includes('{')) {
    const advice = `This is the address for all tenants, and its tokens name the tenant they are from. Set ${settings.issuer} to that of your own tenant, by its id.`;
    return failed('issuer', { expected, found, advice });
  }
  const isSlash = accepted.some((one) => one.replace(/\/$/, '') === issuer.replace(/\/$/, ''));
  const why = isSlash ? 'Only the trailing slash differs, and issuers are compared exactly. ' : '';
  return failed('issuer', {
    expected,
    found,
    advice: `${why}Set ${assigned([settings.issuer, unquoted(issuer)])}`,
  });
}

function keyAddressFinding(
  provider: Provider,
  document: Readonly<Record<string, unknown>>,
  works: boolean,
): Finding {
  const name = 'key address';
  const { jwksUrl: ours, origin, settings } = provider;
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
  const path = [settings.jwksPath, url.pathname] as const;
  const elsewhere = [
    [settings.origin, url.origin],
    path,
    [settings.issuer, unquoted(String(issuer))],
  ] as const;
  const advice = `Set ${url.origin === origin ? assigned(path) : assigned(...elsewhere)}`;
  const trouble = {
    expected: `${ours} (${settings.origin} and ${settings.jwksPath})`,
    found: quoted(theirs),
    advice,
  };
  return works ? doubtful(name, trouble) : failed(name, trouble);
}

function algorithmsFinding({ algorithms: ours, settings }: Provider, announced: unknown): Finding {
  const name = 'algorithms';
  const allowed = ours.join(', ');
  if (!Array.isArray(announced)) return skipped(name, 'the provider does not say what it signs with');
  const common = ours.filter((algorithm) => announced.includes(algorithm));
  if (common.length > 0) return passed(name, common.join(', '));
  const usable = announced.filter((algorithm) => /^(RS|PS|ES)\d{3}$|^EdDSA$|^Ed25519$/.test(algorithm));
  return failed(name, {
    expected: `${allowed} (${settings.algorithms})`,
    found: quoted(announced),
    advice:
      usable.length > 0
        ? `Set ${assigned([settings.algorithms, usable.join(',')])}`
        : 'The provider signs with a shared secret only. Set it to RS256.',
  });
}
