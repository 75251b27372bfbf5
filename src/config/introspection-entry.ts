import type { JsonObject } from '../base/json-object.ts';
import type { IntrospectionEndpoint } from '../base/provider-rules.ts';
import { pointerTo } from '../base/yaml/json-pointer.ts';
import { foundAddress, readMapping, type Say } from '../base/yaml/mistakes.ts';
import { endpointUrl, secretIn } from './entry-kinds.ts';
import { EntryReader, untold } from './entry-reader.ts';
import type { Parse } from './kinds.ts';
import type { Provider } from './providers.ts';

const known = ['url', 'client_id', 'client_secret_file'];

/** The member `introspection` of an entry of IDPS_FILE, every mistake in it said; null where there is none. */
export function readIntrospection(entry: JsonObject, at: string, say: Say): IntrospectionEndpoint | null {
  if (entry.introspection === undefined) return null;
  const place = pointerTo(at, 'introspection');
  const members = readMapping(entry.introspection, place, known, say, foundAddress);
  if (members === null) return null;
  // Two spellings of an origin are taken where no issuer is stated, and an answer need not name any: one person at two
  // issuers would be two callers.
  if (entry.issuer === undefined)
    say(place, 'needs "issuer" beside it: an answer about a token need not say whose it is');
  const read = new EntryReader(members, place, say);
  const url = read.needed('url', endpointUrl, foundAddress);
  const clientId = read.needed('client_id', asciiText);
  const clientSecret = read.needed('client_secret_file', secretIn, untold);
  return url === null || clientId === null || clientSecret === null ? null : { url, clientId, clientSecret };
}

interface Entry {
  readonly provider: Pick<Provider, 'name' | 'introspection'>;
  /** Its place in the file. */
  readonly at: string;
}

/** Of a token that is no JWT nobody can tell whose it is, so there is one to ask. */
export function checkIntrospection(entries: readonly Entry[], say: Say): void {
  const [first, ...others] = entries.filter(({ provider }) => provider.introspection !== null);
  for (const { provider, at } of others)
    say(
      pointerTo(at, 'introspection'),
      `can be of one entry only, since an opaque token does not say whom to ask about it; found it in "${first?.provider.name}" and "${provider.name}"`,
    );
}

const asciiText: Parse<string> = (value) => {
  if (/^[\x20-\x7e]{1,500}$/.test(value) && value.trim() === value) return value;
  throw new Error('must be 1 to 500 characters of ASCII without blanks around them');
};
