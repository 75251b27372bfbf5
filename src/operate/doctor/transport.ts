import { type ExaminedCertificate, examineCertificate } from '../../auth/certificate.ts';
import { counted } from '../../base/counted.ts';
import { OperatorError } from '../../base/errors.ts';
import { type Finding, passed, skipped } from '../../base/finding.ts';
import { isHttps, isLoopback } from '../../base/url.ts';
import { readTls } from '../../config/files.ts';
import { isBehindProxy, ownIssuer } from '../../config/rules.ts';
import type { Config } from '../../config/settings.ts';
import { finding } from '../findings.ts';

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
    return [finding('certificate', 'certificate_unreadable', { mistake: error.message })];
  }
}

function lifeFinding({ validFrom, validTo, isSelfSigned }: ExaminedCertificate): Finding {
  const name = 'certificate';
  const now = Date.now();
  const [from, until, today] = [date(validFrom), date(validTo), date(now)];
  if (now > validTo || now < validFrom) return finding(name, 'certificate_not_valid', { from, until, today });
  const left = Math.floor((validTo - now) / dayMs);
  const found = `valid until ${until}, ${counted(left, 'day')} more${isSelfSigned ? '; self-signed: callers must trust it explicitly' : ''}`;
  return left < soonDays ? finding(name, 'certificate_ends', { found, days: soonDays }) : passed(name, found);
}

function namesFinding({ names, coversHost }: ExaminedCertificate, host: string): Finding {
  const name = 'certificate names';
  return coversHost ? passed(name, `cover ${host}`) : finding(name, 'certificate_names', { names, host });
}

function proxyFinding(config: Config): Finding {
  const name = 'proxy';
  if (!isBehindProxy(config)) {
    const by = config.tlsCertFile === null ? 'from this machine, over plain HTTP' : 'over its own TLS';
    return passed(name, `none; callers reach the service ${by}`);
  }
  const address = ownIssuer(config);
  if (!isHttps(address)) return finding(name, 'proxy_without_https', { address });
  const { host, trustedProxies: proxies } = config;
  const isHere = proxies.check('127.0.0.1') || proxies.check('::1', 'ipv6');
  if (isLoopback(host) && !isHere) return finding(name, 'proxy_out_of_reach', { host });
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
  return named === config.port
    ? passed(name, address)
    : finding(name, 'port_differs', { address, port: config.port });
}

/** Checks whether a page in a browser may call the service. A page of our own origin needs no permission. */
function frontendsFinding(config: Config): Finding {
  const name = 'frontends';
  const own = new URL(ownIssuer(config)).origin;
  const others = config.corsOrigins.filter((origin) => origin !== own);
  if (others.length > 0) return passed(name, `${others.join(', ')} may call the API from a browser`);
  if (config.web === 'on' || config.corsOrigins.includes(own))
    return passed(name, `pages of ${own} itself, which need no permission`);
  return finding(name, 'frontend_missing', { own });
}

function date(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
