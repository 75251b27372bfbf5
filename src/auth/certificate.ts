import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

export type ExaminedCertificate = ReturnType<typeof examineCertificate>;

/** The first certificate of a PEM chain, as callers of that host see it. Times are milliseconds since 1970. */
export function examineCertificate(pem: string, host: string) {
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
