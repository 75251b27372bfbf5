import { X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';
import type { ProviderKey } from './provider.ts';

/** A self-signed certificate for a key, as `x5c` carries it. */
export async function certificateOf({ privateKey, publicKey }: ProviderKey): Promise<X509Certificate> {
  const { cert } = await generate([{ name: 'commonName', value: 'signing.example' }], {
    algorithm: 'sha256',
    keyPair: {
      privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
      publicKey: publicKey.export({ format: 'pem', type: 'spki' }) as string,
    },
  });
  return new X509Certificate(cert);
}
