import { rmSync, writeFileSync } from 'node:fs';
import { generate } from 'selfsigned';

/** A certificate for 127.0.0.1 and its key, as files for TLS_CERT_FILE and TLS_KEY_FILE. It ends after a year, or as is said. */
export async function writeTlsFiles(directory: string, notAfterDate?: Date) {
  const extensions = [{ name: 'subjectAltName' as const, altNames: [{ type: 7 as const, ip: '127.0.0.1' }] }];
  const subject = [{ name: 'commonName', value: '127.0.0.1' }];
  const { cert, private: key } = await generate(subject, {
    algorithm: 'sha256',
    extensions,
    ...(notAfterDate === undefined ? {} : { notAfterDate }),
  });
  const certificateFile = `${directory}/tls.crt`;
  const keyFile = `${directory}/tls.key`;
  writeFileSync(certificateFile, cert);
  writeFileSync(keyFile, key);
  return {
    certificate: cert,
    certificateFile,
    keyFile,
    remove() {
      for (const file of [certificateFile, keyFile]) rmSync(file);
    },
  };
}
