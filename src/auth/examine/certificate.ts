import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** What callers will see of a certificate. Times are milliseconds since 1970. */
export interface ExaminedCertificate {
  readonly names: string;
  readonly coversHost: boolean;
  readonly isSelfSigned: boolean;
  readonly validFrom: number;
  readonly validTo: number;
}

/** The first certificate of a chain in PEM, for callers of that host. */
export function examineCertificate(pem: string, host: string): ExaminedCertificate {
  const certificate = new X509Certificate(pem);
  const covered = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  return {
    names: certificate.subjectAltName ?? certificate.subject.replaceAll('\n', ', '),
    coversHost: covered !== undefined,
    isSelfSigned: certificate.subject === certificate.issuer,
    validFrom: certificate.validFromDate.getTime(),
    validTo: certificate.validToDate.getTime(),
  };
}
