import { certificateEnd } from '../auth/examine/certificate.ts';
import { OperatorError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { readTls } from '../config/files.ts';
import type { Config } from '../config/settings.ts';
import type { Listener } from '../http/listener.ts';

/** The TLS certificate and key, as last read from their files. */
export class Certificate {
  readonly #config: Config;
  #tls: ReturnType<typeof readTls>;
  #endsAt: number;

  constructor(config: Config) {
    this.#config = config;
    this.#tls = readTls(config);
    this.#endsAt = this.#tls === null ? 0 : certificateEnd(this.#tls.cert);
  }

  /** Null where the service does not speak TLS itself. */
  get tls() {
    return this.#tls;
  }

  /** In milliseconds since 1970. */
  get endsAt(): number {
    return this.#endsAt;
  }

  /** Reads the files again. Keeps the old certificate if that fails. */
  renew(listener: Listener, log: Log): void {
    try {
      const tls = readTls(this.#config);
      if (tls === null) return;
      this.#endsAt = certificateEnd(tls.cert);
      listener.renew(tls);
      this.#tls = tls;
      log.info('certificate read again');
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      log.error({ detail: error.message }, 'certificate not read again, the old one stays');
    }
  }
}
