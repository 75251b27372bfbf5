import { readFileSync } from 'node:fs';
import { durationText } from '../src/base/duration.ts';
import {
  bytesRange,
  defaultLimits,
  defaultRoleLimits,
  peopleRange,
  perUserRange,
  rateText,
} from '../src/collections/limits.ts';

/** A limit that cannot be set. Its number is read from the source. */
interface FixedLimit {
  readonly file: string;
  readonly constant: string;
  readonly unit: 'bytes' | 'ms' | 'seconds' | '';
  readonly meaning: string;
}

export const fixedLimits: readonly FixedLimit[] = [
  fixed('src/auth/jws.ts', 'maxTokenBytes', 'bytes', 'Longest token (403 `token_too_large`).'),
  fixed('src/base/clock.ts', 'clockToleranceSeconds', 'seconds', 'Clock difference allowed for tokens.'),
  fixed(
    'src/auth/dpop/proof.ts',
    'proofWindowSeconds',
    'seconds',
    'Age of a DPoP proof, and how far ahead it may be.',
  ),
  fixed(
    'src/auth/dpop/possession.ts',
    'maxSeenProofs',
    '',
    'Used DPoP proofs remembered (503 `overloaded`).',
  ),
  fixed(
    'src/auth/dpop/proof-keys.ts',
    'maxProofKeyBits',
    '',
    'Bits of an RSA key of a DPoP proof (403 `proof_invalid`).',
  ),
  fixed(
    'src/auth/authenticate.ts',
    'tokenCachePlaces',
    '',
    'Verified tokens remembered; one over a kilobyte counts as several.',
  ),
  fixed('src/auth/provider-fetch.ts', 'maxDocumentBytes', 'bytes', 'Largest key set of a provider.'),
  fixed('src/auth/key-set.ts', 'maxKeys', '', 'Keys of a key set that are read.'),
  fixed('src/auth/provider-fetch.ts', 'fetchDeadlineMs', 'ms', 'Time for a provider to send its keys.'),
  fixed(
    'src/auth/signature-queue.ts',
    'maxWaiting',
    '',
    'Tokens that wait to be verified (503 `overloaded`).',
  ),
  fixed('src/auth/signature-queue.ts', 'maxWaitingOfAddress', '', 'Of those, from one address.'),
  fixed(
    'src/consumer/sign-out/logout-token.ts',
    'longestAgeSeconds',
    'seconds',
    'Age of a logout token (400 `logout_token_invalid`).',
  ),
  fixed(
    'src/consumer/sign-out/revoke-session.ts',
    'longestTokenLifeSeconds',
    'seconds',
    'Time that a revocation is kept without `MAX_TOKEN_LIFETIME_SECONDS`.',
  ),
  fixed(
    'src/consumer/sign-out/revoke-session.ts',
    'maxPerIssuer',
    '',
    'Revocations kept for each issuer (503 `revocations_full`).',
  ),
  fixed('src/tokens/mint.ts', 'maxWaiting', '', 'Tokens that wait to be signed (503 `signing_overloaded`).'),
  fixed('src/tokens/clients.ts', 'maxScopes', '', 'Scopes of a machine client.'),
  fixed('src/tokens/assertion.ts', 'longestLifeMs', 'ms', 'Lifetime of a client assertion.'),
  fixed('src/http/limits.ts', 'maxHeaderBytes', 'bytes', 'Request line and headers (431).'),
  fixed(
    'src/http/limits.ts',
    'headersTimeoutSeconds',
    'seconds',
    'Time to send the headers (408), or `REQUEST_TIMEOUT_SECONDS` if less.',
  ),
  fixed(
    'src/http/limits.ts',
    'shutdownSeconds',
    'seconds',
    'Time for requests in flight when the process stops.',
  ),
  fixed('src/http/body.ts', 'maxBodyPieces', '', 'Chunks of a body (413 `body_too_large`).'),
  fixed(
    'src/http/body.ts',
    'maxBodyBytesInAll',
    'bytes',
    'Unfinished bodies of all callers; past that the oldest is refused (503 `overloaded`).',
  ),
  fixed('src/http/body.ts', 'maxBodyBytesPerCaller', 'bytes', 'The same for one caller.'),
  fixed(
    'src/http/body.ts',
    'maxAnonymousBodyBytesInAll',
    'bytes',
    'Unfinished bodies of all requests without a caller.',
  ),
  fixed('src/http/body.ts', 'maxAnonymousBodyBytesPerAddress', 'bytes', 'The same for one address.'),
  fixed(
    'src/records/requests/batch-body.ts',
    'largestBatchBody',
    'bytes',
    'The body of `POST /batch`, whatever `MAX_BODY_BYTES` is (413 `body_too_large`).',
  ),
  fixed(
    'src/records/rules/operation.ts',
    'maxParts',
    '',
    'Operations in one `POST /batch` (400 `batch_invalid`). Each counts as a write of its own, also where writes wait.',
  ),
  fixed(
    'src/http/body.ts',
    'maxUnsentBytesInAll',
    'bytes',
    'Whole answers that callers have not read; past that the oldest is cut off. The same for exports; past that the newest is refused (503 `overloaded`).',
  ),
  fixed('src/http/body.ts', 'maxUnsentBytesPerAddress', 'bytes', 'The same for one address.'),
  fixed(
    'src/http/connections.ts',
    'maxHandshakes',
    '',
    'Unfinished TLS handshakes; past that the oldest is closed.',
  ),
  fixed(
    'src/http/connections.ts',
    'maxRefusalsPerConnection',
    '',
    'Refused tokens on one connection; then it is closed.',
  ),
  fixed('src/base/strict-json.ts', 'maxJsonDepth', '', 'Levels of a JSON body (400 `json_invalid`).'),
  fixed('src/base/strict-json.ts', 'maxPlainJsonDepth', '', 'Levels of the JSON of `POST /token` (400).'),
  fixed(
    'src/base/strict-json.ts',
    'maxJsonMembers',
    '',
    'Members of all objects of a JSON body (400 `json_invalid`).',
  ),
  fixed('src/base/strict-json.ts', 'maxJsonValues', '', 'Values of a JSON body (the same).'),
  fixed(
    'src/base/unicode.ts',
    'maxMarksInRow',
    '',
    'Combining marks in a row in a name of a JSON body (the same). Search leaves further ones out.',
  ),
  fixed(
    'src/http/turns.ts',
    'sliceMs',
    'ms',
    'Time for requests in one iteration of the event loop; callers take turns.',
  ),
  fixed(
    'src/http/turns.ts',
    'maxBegunPerKey',
    '',
    'Begun reads of one caller, or of one address without a token. Further ones wait.',
  ),
  fixed('src/http/turns.ts', 'maxWaiting', '', 'Requests that wait for their turn (503 `overloaded`).'),
  fixed('src/http/turns.ts', 'maxWaitingPerKey', '', 'Of those, from one caller or address.'),
  fixed('src/http/turns.ts', 'longestWaitMs', 'ms', 'Wait of a request for its turn (503 `overloaded`).'),
  fixed(
    'src/records/requests/read-limit.ts',
    'recordsOfRead',
    '',
    'Records that a read examines; each further so many count as one more read.',
  ),
  fixed(
    'src/http/body.ts',
    'largeBodyBytes',
    'bytes',
    'As many longer bodies of one caller are received at once as it may have begun reads; further ones wait in their sockets.',
  ),
  fixed(
    'src/consumer/export.ts',
    'exportsPerCaller',
    '',
    'Exports of a caller at each process (429 `too_many_streams`).',
  ),
  fixed(
    'src/records/write-queue.ts',
    'maxBatchBytesOfCaller',
    'bytes',
    'Writes of one caller in one commit; the write that reaches the limit is the last.',
  ),
  fixed('src/records/write-queue.ts', 'maxWaiting', '', 'Writes that wait (503 `overloaded`).'),
  fixed('src/records/write-queue.ts', 'maxWaitingOfCaller', '', 'Of those, from one caller.'),
  fixed(
    'src/records/write-queue.ts',
    'maxWaitingBytes',
    'bytes',
    'Size of all waiting writes (503 `overloaded`).',
  ),
  fixed(
    'src/records/write-queue.ts',
    'longestWaitMs',
    'ms',
    'Time that a write waits before it begins (503 `overloaded`).',
  ),
  fixed(
    'src/base/concurrency-limit.ts',
    'standingWaitMs',
    'ms',
    'Longest queue, as time of work, once it has not been empty for two seconds (503).',
  ),
  fixed(
    'src/records/rules/create.ts',
    'idempotencyMs',
    'ms',
    'Time that an `Idempotency-Key` is remembered.',
  ),
  fixed('src/consumer/feed/read-events.ts', 'largestPage', '', 'Events on a page.'),
  fixed(
    'src/consumer/feed/read-events.ts',
    'longestWaitSeconds',
    'seconds',
    'Longest long poll (400 `query_invalid`).',
  ),
  fixed('src/records/requests/list-query.ts', 'defaultPage', '', 'Records on a page by default.'),
  fixed(
    'src/records/requests/list-query.ts',
    'largestPage',
    '',
    'Records on a page at most (400 `query_invalid`).',
  ),
  fixed(
    'src/records/requests/page.ts',
    'largestPageBytes',
    'bytes',
    'Size of a page, and of what a search examines for one; then it ends earlier.',
  ),
  fixed(
    'src/records/requests/page.ts',
    'maxExamined',
    '',
    'Records examined for one page or count; then it ends earlier.',
  ),
  fixed('src/records/requests/search-words.ts', 'maxWords', '', 'Words of a search (400 `query_invalid`).'),
  fixed(
    'src/records/requests/search-words.ts',
    'longestWord',
    '',
    'Letters and digits of such a word (400 `query_invalid`).',
  ),
  fixed(
    'src/records/requests/search-words.ts',
    'maxParts',
    '',
    'Parts of all words of a search, such as the two of `e-mail` (400 `query_invalid`).',
  ),
  fixed(
    'src/records/requests/search-words.ts',
    'longestQuery',
    '',
    'Characters of a search (400 `query_invalid`).',
  ),
  fixed(
    'src/records/requests/search-words.ts',
    'maxSearched',
    '',
    'Characters of a record that are searched, in the fields under `search`.',
  ),
  fixed(
    'src/storage/batch/tables.ts',
    'maxHistory',
    '',
    'Entries in the history of a record; older ones are deleted.',
  ),
  fixed(
    'src/records/rules/invitations.ts',
    'maxOpen',
    '',
    'Open invitations of a record (409 `quota_exceeded`).',
  ),
  fixed('src/records/requests/people.ts', 'maxUses', '', 'People that one invitation admits (422).'),
  fixed('src/records/requests/people.ts', 'longestInvitationMs', 'ms', 'Lifetime of an invitation (422).'),
  fixed(
    'src/compose/service.ts',
    'wrongCodesPerMinute',
    '',
    'Wrong invitation codes of a caller a minute (429 `read_limit_reached`).',
  ),
  fixed(
    'src/events/stream-limit.ts',
    'streamsPerCaller',
    '',
    'Streams and long polls of a caller at each process (429 `too_many_streams`).',
  ),
  fixed(
    'src/events/streams.ts',
    'maxUnsent',
    'bytes',
    'Events buffered for a slow stream; the rest waits in the log.',
  ),
  fixed(
    'src/events/catalogue.ts',
    'largestFields',
    'bytes',
    'Fields of a record in an event; larger ones are left out.',
  ),
  fixed('src/records/sweeper.ts', 'eventsKeptMs', 'ms', 'Age of the oldest event in the log.'),
  fixed('src/ops/background-lease.ts', 'leaseMs', 'ms', 'Lease of the process that does background work.'),
  fixed(
    'src/storage/changes.ts',
    'readCountsEveryMs',
    'ms',
    'Interval at which a process looks for changes by others.',
  ),
  fixed(
    'src/storage/sqlite/residue.ts',
    'quicklyScrubbedBytes',
    'bytes',
    'Largest SQLite file that is scrubbed automatically.',
  ),
  fixed(
    'src/base/log.ts',
    'maxWaiting',
    'bytes',
    'Log lines that wait for a reader; further ones are dropped.',
  ),
  fixed('src/collections/validator.ts', 'maxErrors', '', 'Errors that a 422 lists.'),
  fixed('src/config/files.ts', 'largestYamlFile', 'bytes', 'Largest declaration, and largest `IDPS_FILE`.'),
  fixed('src/config/providers-schema.ts', 'maxEntries', '', 'Providers in `IDPS_FILE`.'),
  fixed('src/config/providers-schema.ts', 'maxTexts', '', 'Items of a list in an entry, such as `audience`.'),
  fixed('src/config/providers-schema.ts', 'maxClaims', '', 'Claims in `scopes_from` and `required_claims`.'),
  fixed('src/collections/declaration-schema.ts', 'maxStates', '', 'States of a collection.'),
  fixed('src/collections/declaration-forms.ts', 'maxRoles', '', 'Roles of a collection.'),
  fixed('src/collections/indexed-fields.ts', 'maxIndexedFields', '', 'Fields under `index`.'),
  fixed('src/collections/indexed-fields.ts', 'maxSearchedFields', '', 'Fields under `search`.'),
  fixed('src/collections/indexed-fields.ts', 'longestText', '', 'Characters of an indexed text.'),
  fixed('src/collections/schema-rules.ts', 'maxSchemaLevels', '', 'Levels of a schema.'),
  fixed(
    'src/collections/resolve-schema.ts',
    'maxParts',
    '',
    'Parts of a schema, with every `$ref` written out.',
  ),
  fixed(
    'src/collections/resolve-schema.ts',
    'maxAlternatives',
    '',
    'Alternatives and conditions below one field.',
  ),
  fixed('src/collections/patterns.ts', 'longestPattern', '', 'Characters of a `pattern`.'),
];

/** The limits in docs/config.md, made from the limits of collections and the constants of the source. */
export function limitsText(): string {
  return `## Limits of a collection

Declared under \`limits\` in its [file](collections.md#limits). They count for each caller, in all processes together. Machine clients are
bound by \`bytes\` and \`expire\` only.

${table(['limit', 'default', 'values', 'meaning'], collectionRows())}

Declared in [roles](collections.md#roles), parents and unique rules:

${table(['limit', 'default', 'values', 'meaning'], roleRows())}

## Fixed limits

For each process.

${table(['limit', 'meaning'], fixedLimits.map(fixedRow))}`;
}

function collectionRows(): readonly (readonly string[])[] {
  const { perUser, bytes, writes, memberships } = defaultLimits;
  const rate = '1 to 1000000 a second, minute, hour or day';
  return [
    ['`per_user`', String(perUser), range(perUserRange), 'Records of one caller (409 `quota_exceeded`).'],
    ['`bytes`', String(bytes), range(bytesRange), 'The JSON of a record (413 `record_too_large`).'],
    ['`writes`', code(rateText(writes)), rate, 'Changes of any kind (429 `write_budget_spent`).'],
    [
      '`newcomer`',
      'none',
      `${rate}, for 1s to 3650d`,
      'The same for callers who are new here (429 `newcomer_budget_spent`).',
    ],
    [
      '`memberships`',
      String(memberships),
      range(peopleRange),
      'Records in which one caller has a role by invitation (409 `quota_exceeded`).',
    ],
    ['`expire`', 'none', '1s to 3650d', 'When a record is deleted after its last change.'],
  ];
}

function roleRows(): readonly (readonly string[])[] {
  const { max, maxPerUser } = defaultRoleLimits;
  return [
    [
      '`max` of a role by invitation',
      String(max),
      range(peopleRange),
      'Members with the role in one record, the owner not counted (409 `role_full`).',
    ],
    [
      '`max_per_user` of a role by action',
      String(maxPerUser),
      range(peopleRange),
      'Records in which one caller has the role, in all states (409 `quota_exceeded`).',
    ],
    ['`parent.max`', 'none', '1 to 1000000', 'Records under one parent (409 `quota_exceeded`).'],
    ['levels of `parent`', '3', '', 'A collection, its parent, and the parent of that one.'],
    ['rules in `unique`', 'none', '0 to 4', 'Each makes every write slower.'],
  ];
}

function range({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }): string {
  return `${minimum} to ${maximum}`;
}

function fixed(file: string, constant: string, unit: FixedLimit['unit'], meaning: string): FixedLimit {
  return { file, constant, unit, meaning };
}

function fixedRow({ file, constant, unit, meaning }: FixedLimit): readonly string[] {
  const value = constantOf(file, constant);
  return [valueText(value, unit), meaning];
}

const mebibyte = 1_048_576;

function valueText(value: number, unit: FixedLimit['unit']): string {
  if (unit === 'ms') return durationText(value);
  if (unit === 'seconds') return durationText(value * 1000);
  if (unit === 'bytes' && value % mebibyte === 0) return `${value / mebibyte} MiB`;
  return `${value} ${unit}`.trim();
}

/** The value of a numeric constant of the source, exported or not. */
export function constantOf(file: string, constant: string): number {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const product = new RegExp(`^(?:export )?const ${constant} = ([\\d_ *]+);`, 'm').exec(text)?.[1];
  if (product === undefined) throw new Error(`${file} has no number of the name ${constant}.`);
  return product.split('*').reduce((value, factor) => value * Number(factor.replaceAll('_', '')), 1);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}
