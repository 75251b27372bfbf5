import { examineCertificate } from '../auth/certificate.ts';
import { OperatorError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { readTls } from '../config/files.ts';
import type { Listener } from '../http/listener.ts';

/** The TLS certificate and key from their files; null if the service does not use TLS itself. */
export function readCertificate(config: Parameters<typeof readTls>[0] & { readonly host: string }) {
  const tls = readTls(config);
  if (tls === null) return null;
  let endsAt = examineCertificate(tls.cert, config.host).validTo;
  return {
    tls,
    /** In milliseconds since 1970. */
    endsAt: () => endsAt,
    /** Reads the files again. Keeps the old certificate if that fails. */
    renew(listener: Listener, log: Log): void {
      try {
        const renewed = readTls(config) ?? tls;
        const { validTo } = examineCertificate(renewed.cert, config.host);
        listener.renew(renewed);
        endsAt = validTo;
        log.info('certificate read again');
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        log.error({ detail: error.message }, 'certificate not reloaded, the old one stays in use');
      }
    },
  };
}
