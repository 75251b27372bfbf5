import type { JsonObject } from '../base/json-object.ts';
import { pointerTo } from '../base/yaml/json-pointer.ts';
import { foundAddress, type Say } from '../base/yaml/mistakes.ts';
import { endpointUrl, secretIn } from './entry-kinds.ts';
import { type EntryReader, untold } from './entry-reader.ts';
import { type Parse, visibleText } from './kinds.ts';
import type { Provider, Signals } from './providers.ts';

/**
 * The members of an entry of IDPS_FILE that say who tells of security events; null where nobody does. Whom the events are
 * for has to be said: without it anybody's events of that provider would do.
 */
export function readSignals(
  read: EntryReader,
  members: JsonObject,
  issuers: Provider['issuers'],
  at: string,
  say: Say,
): Signals | null {
  const audiences = read.texts('events_audience', visibleText, []);
  const stated = read.text('events_issuer', visibleText, null);
  const url = read.text('events_poll_url', endpointUrl, null, foundAddress);
  const tokenFile = read.text('events_token_file', tokenFileAt, null, untold);
  const needless = ['events_issuer', 'events_poll_url', 'events_token_file'].filter(
    (name) => members[name] !== undefined,
  );
  if (members.events_audience === undefined) {
    if (needless.length > 0)
      say(at, `has "${needless[0]}" and no "events_audience", which says whom the events are for`);
    return null;
  }
  if (members.events_token_file !== undefined && members.events_poll_url === undefined)
    say(pointerTo(at, 'events_token_file'), 'is of use with "events_poll_url" only, which is not there');
  return {
    issuers: stated === null ? issuers : [stated],
    audiences,
    poll: url === null ? null : { url, tokenFile },
  };
}

/** Read now to tell a mistake early, and anew whenever it is sent: it may be another one by then. */
const tokenFileAt: Parse<string> = (path) => {
  bearerTokenIn(path);
  return path;
};

/** What is sent after "Bearer": one word, of what a header can have. */
export function bearerTokenIn(path: string): string {
  const token = secretIn(path);
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new Error(
    'must name a file with one bearer token in it: printable ASCII without blanks and line breaks, and without "Bearer" before it',
  );
}
