import { FetchError, type FetchedDocument, fetchDocument } from '../../../src/auth/provider-fetch.ts';
import { isJsonObject } from '../../../src/base/strict-json.ts';
import { isHttpsOrLoopback } from '../../../src/base/url.ts';

type AskForKeys = (
  stopping: AbortSignal,
  headers?: Readonly<Record<string, string>>,
) => Promise<FetchedDocument>;

/** One attempt to fetch the key set, from `jwksUrl` or from the address in the provider's metadata. */
export function keysOf(issuer: string, jwksUrl: string | null): AskForKeys {
  if (jwksUrl !== null) return (stopping, headers) => fetchDocument(jwksUrl, stopping, headers);
  let found: string | null = null;
  return async (stopping, headers) => {
    found ??= await discover(issuer, stopping);
    try {
      return await fetchDocument(found, stopping, headers);
    } catch (error) {
      // It may have moved: the next try looks again.
      found = null;
      throw error;
    }
  };
}

/** OpenID Connect Discovery 1.0, section 4. What the metadata says is believed only where it cannot lead elsewhere. */
async function discover(issuer: string, stopping: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { document } = await fetchDocument(url, stopping);
  const metadata = isJsonObject(document) ? document : {};
  const { issuer: stated, jwks_uri: keys } = metadata;
  if (stated !== issuer)
    throw misled(
      `${url} does not state the issuer ${issuer}. Give "issuer" exactly as tokens have it, or say where the keys are with "jwksUrl"`,
    );
  if (typeof keys !== 'string' || !URL.canParse(keys) || !isHttpsOrLoopback(keys))
    throw misled(`${url} has no "jwks_uri" that begins with https. Say where the keys are with "jwksUrl"`);
  if (new URL(keys).host !== new URL(issuer).host)
    throw misled(
      `${url} says that the keys are at ${new URL(keys).host}, which is another host. If that is right, say so with "jwksUrl"`,
    );
  return keys;
}

function misled(detail: string): FetchError {
  return new FetchError('no_usable_keys', detail);
}
