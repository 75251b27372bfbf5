import { type ExaminedCertificate, examineCertificate } from '../../auth/certificate.ts';
import { counted } from '../../base/counted.ts';
import { OperatorError } from '../../base/errors.ts';
import { doubtful, type Finding, failed, passed, skipped } from '../../base/finding.ts';
import { isHttps, isLoopback } from '../../base/loopback.ts';
import { readTls } from '../../config/files.ts';
import { isBehindProxy, ownIssuer } from '../../config/rules.ts';
import type { Config } from '../../config/settings.ts';

const dayMs = 86_400_000;
const soonDays = 14;

/** Checks how callers reach the service (own TLS, a proxy, or this machine only), and from which pages. */
export function transportFindings(config: Config): readonly Finding[] {
  return [
    ...certificateFindings(config),
    proxyFinding(config),
    addressFinding(config),
    frontendsFinding(config),
  ];
}

function certificateFindings(config: Config): readonly Finding[] {
  try {
    const tls = readTls(config);
    if (tls === null) return [skipped('certificate', 'TLS_CERT_FILE and TLS_KEY_FILE are not set')];
    const host = new URL(ownIssuer(config)).hostname.replace(/^\[|\]$/g, '');
    const certificate = examineCertificate(tls.cert, host);
    return [lifeFinding(certificate), namesFinding(certificate, host)];
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [failed('certificate', { found: error.message, advice: 'Check TLS_CERT_FILE and TLS_KEY_FILE.' })];
  }
}

function lifeFinding({ validFrom, validTo, isSelfSigned }: ExaminedCertificate): Finding {
  const name = 'certificate';
  const now = Date.now();
  const days = Math.floor((validTo - now) / dayMs);
  const advice =
    'Write a renewed certificate to TLS_CERT_FILE and TLS_KEY_FILE, and send the service a SIGHUP.';
  if (now > validTo || now < validFrom)
    return failed(name, {
      expected: `a certificate that is valid now (${date(now)})`,
      found: `valid from ${date(validFrom)} until ${date(validTo)}`,
      advice,
    });
  const found = `valid until ${date(validTo)}, ${counted(days, 'day')} more${isSelfSigned ? '; self-signed: callers must trust it explicitly' : ''}`;
  if (days < soonDays) return doubtful(name, { expected: `more than ${soonDays} days`, found, advice });
  return passed(name, found);
}

function namesFinding({ names, coversHost }: ExaminedCertificate, host: string): Finding {
  if (coversHost) return passed('certificate names', `cover ${host}`);
  return failed('certificate names', {
    expected: `${host} (the host of BASE_URL)`,
    found: names,
    advice: 'Get a certificate for that name, or set BASE_URL to a name that the certificate has.',
  });
}

function proxyFinding(config: Config): Finding {
  const name = 'proxy';
  if (!isBehindProxy(config)) {
    const by = config.tlsCertFile === null ? 'from this machine, over plain HTTP' : 'over its own TLS';
    return passed(name, `none; callers reach the service ${by}`);
  }
  const address = ownIssuer(config);
  if (!isHttps(address)) {
    const advice =
      'With TRUSTED_PROXIES the service accepts only requests that reached the proxy over https. Set BASE_URL to the address that callers use.';
    return failed(name, { expected: 'a BASE_URL with https', found: address, advice });
  }
  const proxies = config.trustedProxies;
  const isHere = proxies.check('127.0.0.1') || proxies.check('::1', 'ipv6');
  if (isLoopback(config.host) && !isHere)
    return failed(name, {
      expected: 'a HOST that the proxy can reach, or a proxy on this machine (127.0.0.1)',
      found: `HOST=${config.host} and proxies elsewhere`,
      advice: 'Set HOST=0.0.0.0, or add 127.0.0.1 to TRUSTED_PROXIES.',
    });
  return passed(
    name,
    config.tlsCertFile === null
      ? 'the service accepts requests only from the trusted proxies, with X-Forwarded-Proto: https'
      : 'callers use the TLS of the service or the trusted proxies',
  );
}

/** Without a proxy callers connect to the port that BASE_URL names. */
function addressFinding(config: Config): Finding {
  const name = 'address';
  const address = ownIssuer(config);
  if (isBehindProxy(config) || config.port === 0) return passed(name, address);
  const { port, protocol } = new URL(address);
  const named = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  if (named === config.port) return passed(name, address);
  return doubtful(name, {
    expected: `port ${config.port} (PORT) in BASE_URL`,
    found: address,
    advice: 'Set BASE_URL to the address that callers use, unless port forwarding connects the two ports.',
  });
}

/** Checks whether a page in a browser may call the service. A page of our own origin needs no permission. */
function frontendsFinding(config: Config): Finding {
  const name = 'frontends';
  const own = new URL(ownIssuer(config)).origin;
  const others = config.corsOrigins.filter((origin) => origin !== own);
  if (others.length > 0) return passed(name, `${others.join(', ')} may call the API from a browser`);
  if (config.web === 'on' || config.corsOrigins.includes(own))
    return passed(name, `pages of ${own} itself, which need no permission`);
  return doubtful(name, {
    expected: 'the origin of a frontend in CORS_ORIGINS',
    found: 'none',
    advice: `Browsers let only pages of ${own} call the API. Set CORS_ORIGINS=https://www.example.org to the origin of your frontend.`,
  });
}

function date(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
