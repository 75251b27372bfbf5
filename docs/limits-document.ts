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
import { environmentName, type Setting, settings } from '../src/config/settings.ts';

/** A limit that nobody can set. The number itself is taken from the source. */
interface FixedLimit {
  readonly file: string;
  readonly constant: string;
  readonly unit: 'bytes' | 'ms' | 'seconds' | '';
  readonly meaning: string;
}

export const fixedLimits: readonly FixedLimit[] = [
  fixed('src/auth/jws.ts', 'maxTokenBytes', 'bytes', 'The longest token (403 `token_too_large`).'),
  fixed('src/base/clock.ts', 'clockToleranceSeconds', 'seconds', 'How far clocks may be apart.'),
  fixed(
    'src/auth/dpop/proof.ts',
    'proofWindowSeconds',
    'seconds',
    'How old a DPoP proof may be, and how far ahead.',
  ),
  fixed('src/auth/dpop/proof.ts', 'longestJti', '', 'Characters in the id of a DPoP proof.'),
  fixed(
    'src/auth/dpop/possession.ts',
    'mostSeenProofs',
    '',
    'Used DPoP proofs that are remembered (503 `overloaded`).',
  ),
  fixed(
    'src/auth/dpop/proof-keys.ts',
    'mostProofKeyBits',
    '',
    'Bits of an RSA key of a DPoP proof (403 `proof_invalid`).',
  ),
  fixed('src/auth/dpop/proof-keys.ts', 'mostRemembered', '', 'Keys of DPoP proofs that are remembered.'),
  fixed(
    'src/auth/dpop/proof-keys.ts',
    'longestRemembered',
    '',
    'Characters in the header of a proof whose key is remembered; of a longer one it is read each time.',
  ),
  fixed(
    'src/auth/authenticate.ts',
    'tokenCachePlaces',
    '',
    'Verified tokens that are remembered, so that they are not verified again.',
  ),
  fixed(
    'src/auth/authenticate.ts',
    'placeBytes',
    'bytes',
    'Memory for the subject and scopes of a remembered token; one that takes more counts as several.',
  ),
  fixed('src/auth/dpop/nonce.ts', 'slotMs', 'ms', 'How long a nonce of DPoP is the current one.'),
  fixed('src/auth/jws.ts', 'longestKid', '', 'Characters in the name of a key.'),
  fixed('src/auth/provider-fetch.ts', 'maxDocumentBytes', 'bytes', 'The largest key set of a provider.'),
  fixed(
    'src/auth/introspection/request.ts',
    'maxAnswerBytes',
    'bytes',
    'The largest answer about an opaque token (503 `introspection_unavailable`).',
  ),
  fixed(
    'src/auth/provider-fetch.ts',
    'fetchDeadlineMs',
    'ms',
    'How long a provider may take to answer with either.',
  ),
  fixed('src/auth/key-set.ts', 'maxKeys', '', 'Keys of a key set that are looked at.'),
  fixed(
    'src/auth/signature-queue.ts',
    'mostWaiting',
    '',
    'Tokens that wait to be verified (503 `overloaded`).',
  ),
  fixed('src/auth/signature-queue.ts', 'mostWaitingOfAddress', '', 'Of those, from one address.'),
  fixed(
    'src/auth/introspection/introspection.ts',
    'cachedMs',
    'ms',
    'How long an answer about an opaque token is cached, or until the token expires.',
  ),
  fixed(
    'src/auth/introspection/introspection.ts',
    'refusedMs',
    'ms',
    'How long a refused opaque token is not asked about again.',
  ),
  fixed(
    'src/auth/introspection/introspection.ts',
    'maxInFlight',
    '',
    'Introspection requests in flight (503 `overloaded`).',
  ),
  fixed(
    'src/auth/introspection/introspection.ts',
    'maxInFlightNew',
    '',
    'Of those, about tokens that were not good when they were last asked about.',
  ),
  fixed(
    'src/auth/introspection/introspection.ts',
    'maxInFlightPerAddress',
    '',
    'Of those, from one address.',
  ),
  fixed(
    'src/auth/introspection/introspection.ts',
    'maxFailedPerMinute',
    '',
    'Introspection requests per address and minute about tokens that turn out not to be good (503 `overloaded`).',
  ),
  fixed(
    'src/auth/introspection/introspection.ts',
    'maxKnown',
    '',
    'Opaque tokens remembered as good; their limit is only the number of requests in flight.',
  ),
  fixed(
    'src/auth/introspection/introspection.ts',
    'maxFailures',
    '',
    'Failed introspection requests in a row until the circuit breaker asks about a made-up token. If that fails, too, the circuit is open for 5 to 60 seconds (503 `introspection_unavailable`).',
  ),
  fixed(
    'src/auth/introspection/request.ts',
    'minOpaqueLength',
    '',
    'Characters of an opaque token; shorter ones are not asked about.',
  ),
  fixed('src/http/limits.ts', 'maxHeaderBytes', 'bytes', 'The request line and headers (431).'),
  fixed(
    'src/http/limits.ts',
    'headersTimeoutSeconds',
    'seconds',
    'How long a client may take to send its headers (408); `REQUEST_TIMEOUT_SECONDS` where that is less.',
  ),
  fixed(
    'src/http/limits.ts',
    'shutdownSeconds',
    'seconds',
    'How long requests in flight may take to finish when the process stops.',
  ),
  fixed(
    'src/events/stream-limit.ts',
    'streamsPerCaller',
    '',
    'Live streams of events, and requests that wait for one, of a caller at each process (429 `too_many_streams`).',
  ),
  fixed('src/records/sweeper.ts', 'eventsKeptMs', 'ms', 'How far the log of events goes back.'),
  fixed(
    'src/base/log.ts',
    'mostWaiting',
    'bytes',
    'Log lines that wait for a reader; what comes then is dropped and counted.',
  ),
  fixed('src/records/write-queue.ts', 'mostWaiting', '', 'Writes that wait (503 `overloaded`).'),
  fixed('src/tokens/mint.ts', 'mostWaiting', '', 'Tokens that wait to be signed (503 `signing_overloaded`).'),
  fixed(
    'src/base/queue-capacity.ts',
    'standingWaitMs',
    'ms',
    'As many as are done in this time, once writes, or tokens to be signed, have waited for two seconds without a break.',
  ),
  fixed('src/records/write-queue.ts', 'mostWaitingOfCaller', '', 'Of those, of one caller.'),
  fixed('src/records/write-queue.ts', 'mostWaitingBytes', 'bytes', 'What they hold together.'),
  fixed(
    'src/records/write-queue.ts',
    'longestWaitMs',
    'ms',
    'How long a write may wait before it begins (503 `overloaded`).',
  ),
  fixed(
    'src/http/body.ts',
    'maxBodyBytesInAll',
    'bytes',
    'The request bodies of all authenticated callers. Past that the oldest unfinished one is refused (503 `overloaded`).',
  ),
  fixed('src/http/body.ts', 'maxBodyBytesPerCaller', 'bytes', 'The same for one caller.'),
  fixed(
    'src/http/body.ts',
    'maxAnonymousBodyBytesInAll',
    'bytes',
    'The same for requests without a caller, such as POST /token.',
  ),
  fixed('src/http/body.ts', 'maxAnonymousBodyBytesPerAddress', 'bytes', 'The same for one address.'),
  fixed(
    'src/http/byte-budget.ts',
    'maxUnsentBytesInAll',
    'bytes',
    'Answers that callers have not taken yet. Past that the oldest one is cut off, and its connection with it.',
  ),
  fixed('src/http/byte-budget.ts', 'maxUnsentBytesPerAddress', 'bytes', 'The same for one address.'),
  fixed(
    'src/http/byte-budget.ts',
    'bytesOfAnswerInPieces',
    'bytes',
    'What `GET /api/consumer/v1/me/export` counts for in it, however much it has sent.',
  ),
  fixed(
    'src/http/connections.ts',
    'maxHandshakes',
    '',
    'Unfinished TLS handshakes; past that the oldest is closed.',
  ),
  fixed(
    'src/http/connections.ts',
    'maxIgnored',
    '',
    'Requests behind an unfinished answer that are ignored before the connection is destroyed. Pipelined requests are not served: the connection closes after the answer.',
  ),
  fixed(
    'src/http/connections.ts',
    'maxRefusalsPerConnection',
    '',
    'Requests of one connection that are refused for their token; with the last of them it is closed.',
  ),
  fixed('src/http/body.ts', 'mostBodyPieces', '', 'Pieces that a body may come in (413 `body_too_large`).'),
  fixed(
    'src/events/catalogue.ts',
    'largestFields',
    'bytes',
    'The fields of a record in an event; larger ones are left out.',
  ),
  fixed(
    'src/events/streams.ts',
    'mostUnsent',
    'bytes',
    'What a live stream holds for a caller who does not read; the rest stays in the log.',
  ),
  fixed(
    'src/consumer/sign-out/logout-token.ts',
    'longestAgeSeconds',
    'seconds',
    'How old a logout token may be (400 `logout_token_invalid`).',
  ),
  fixed(
    'src/consumer/sign-out/revoke-session.ts',
    'longestTokenLifeSeconds',
    'seconds',
    'How long a revocation is kept where no setting limits the lifetime of tokens.',
  ),
  fixed(
    'src/consumer/sign-out/revoke-session.ts',
    'mostPerIssuer',
    '',
    'Revocations that are kept for one provider, and for the tokens of `POST /token` (503 `revocations_full`).',
  ),
  fixed('src/consumer/events/read-events.ts', 'largestPage', '', 'Events on a page.'),
  fixed(
    'src/consumer/events/read-events.ts',
    'longestWaitSeconds',
    'seconds',
    'How long a request may wait for the next event (400 `query_invalid`).',
  ),
  fixed('src/tokens/clients.ts', 'mostScopes', '', 'Scopes of a machine client.'),
  fixed(
    'src/tokens/assertion.ts',
    'longestLifeMs',
    'ms',
    'How long an assertion of a client may be good for.',
  ),
  fixed('src/tokens/assertion.ts', 'longestJti', '', 'Characters in the id of an assertion.'),
  fixed('src/base/strict-json.ts', 'maxJsonDepth', '', 'Levels of a body (400 `json_invalid`).'),
  fixed('src/records/requests/list-query.ts', 'defaultPage', '', 'Records on a page when nothing is asked.'),
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
    'Of the records on a page; one that is larger ends earlier.',
  ),
  fixed(
    'src/records/requests/page.ts',
    'mostLookedAt',
    '',
    "Records that a page of an owner's looks through for what fits its filters; then it ends earlier.",
  ),
  fixed(
    'src/records/requests/page.ts',
    'mostBytesLookedAt',
    'bytes',
    'The same in bytes, by the most that a record of the collection may have.',
  ),
  fixed(
    'src/storage/stores/record-history.ts',
    'longestHistory',
    '',
    'Entries in the history of a record; older ones are deleted.',
  ),
  fixed('src/records/rules/create.ts', 'idempotencyMs', 'ms', 'How long an `Idempotency-Key` is remembered.'),
  fixed(
    'src/records/rules/invitations.ts',
    'mostOpen',
    '',
    'Open invitations of a record (409 `quota_exceeded`).',
  ),
  fixed('src/records/requests/people.ts', 'mostUses', '', 'People that one invitation admits (422).'),
  fixed(
    'src/records/requests/people.ts',
    'longestInvitationMs',
    'ms',
    'How long an invitation is open (422).',
  ),
  fixed(
    'src/app/service.ts',
    'wrongCodesPerMinute',
    '',
    'Wrong codes of invitations that a caller may send to each process in a minute (429 `read_limit_reached`).',
  ),
  fixed(
    'src/base/clock.ts',
    'clockDifferenceMs',
    'ms',
    'How much longer the DPoP proof of a write is remembered than it can be used, because the clocks of machines differ.',
  ),
  fixed(
    'src/storage/changes.ts',
    'readCountsEveryMs',
    'ms',
    'How often a process looks for what others have changed.',
  ),
  fixed(
    'src/ops/background-lease.ts',
    'leaseMs',
    'ms',
    'How long the work of a process that is gone stays its own.',
  ),
  fixed(
    'src/storage/sqlite/residue.ts',
    'quicklyScrubbedBytes',
    'bytes',
    'The largest SQLite file that is written anew by itself after somebody was erased (see operations.md).',
  ),
  fixed('src/collections/validator.ts', 'mostErrors', '', 'Errors that a 422 lists.'),
  fixed(
    'src/config/files.ts',
    'largestYamlFile',
    'bytes',
    'The largest declaration of a collection, and the largest IDPS_FILE.',
  ),
  fixed('src/config/providers-schema.ts', 'mostEntries', '', 'How many providers IDPS_FILE may list.'),
  fixed(
    'src/config/providers-schema.ts',
    'mostTexts',
    '',
    'Items of a list in an entry of IDPS_FILE, such as audience and logout_audience.',
  ),
  fixed(
    'src/config/providers-schema.ts',
    'mostClaims',
    '',
    'Claims in scopes_from and required_claims of such an entry.',
  ),
  fixed('src/collections/schema-rules.ts', 'mostSchemaLevels', '', 'Levels of the schema of a collection.'),
  fixed('src/collections/resolve-schema.ts', 'mostParts', '', 'Parts of a schema, every `$ref` written out.'),
  fixed(
    'src/collections/resolve-schema.ts',
    'mostAlternatives',
    '',
    'Alternatives and conditions below one field of a schema.',
  ),
  fixed('src/collections/patterns.ts', 'longestPattern', '', 'Characters of a `pattern`.'),
  fixed('src/collections/indexed-fields.ts', 'mostIndexedFields', '', 'Fields under `index`.'),
  fixed('src/collections/indexed-fields.ts', 'longestText', '', 'Characters of an indexed text.'),
  fixed('src/collections/declaration-schema.ts', 'mostStates', '', 'States of a collection.'),
  fixed('src/collections/declaration-schema.ts', 'mostRoles', '', 'Roles of a collection.'),
];

/** docs/limits.md, made from the settings, the limits of collections and the constants of the source. */
export function limitsDocument(): string {
  return `# Limits

<!-- Generated by "npm run docs" from the source. Do not edit. -->

Everything that grows has an end. What an answer says at the end of it is in [errors.md](errors.md).

## Of the service

Set in the environment ([config.md](config.md)), for each process unless the text says otherwise. Of several processes on one machine
(\`serve --processes\`) each has its share of \`DATABASE_POOL_SIZE\`, \`MAX_CONNECTIONS\` and \`MAX_CONNECTIONS_PER_ADDRESS\`, and the whole of every other
one: [operations.md](operations.md#several-processes-on-one-machine).

${table(['setting', 'default', 'takes', 'meaning'], settingRows())}

## Of a collection

Declared under \`limits\` in its file, and counted for each caller in all processes together. Machine clients of POST /token are
bound by \`bytes\` and \`expire\` only.

${table(['limit', 'default', 'takes', 'meaning'], collectionRows())}

Declared in roles, parents and unique rules of the collection ([collections.md](collections.md#roles)):

${table(['limit', 'default', 'takes', 'meaning'], roleRows())}

## Fixed

${table(['limit', 'meaning', 'where'], fixedLimits.map(fixedRow))}
`;
}

/** Every setting that is a number, except for ports. */
function settingRows(): readonly (readonly string[])[] {
  const numbers = Object.entries<Setting>(settings).filter(
    ([key, setting]) => /^\d+$/.test(setting.example) && !/port$/i.test(key),
  );
  return numbers.map(([key, setting]) => [
    code(environmentName(key)),
    setting.default === null ? 'none' : code(setting.default),
    expectation(setting).replace(/^must be /, ''),
    setting.sentence,
  ]);
}

/** In the words with which a setting refuses what it does not take. */
function expectation({ parse }: Setting): string {
  try {
    parse('');
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('A number cannot be nothing.');
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
      'The same for whoever is new here (429 `newcomer_budget_spent`).',
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
      'Records in which one caller has the role (409 `quota_exceeded`).',
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
  const shown = unit === 'ms' ? durationText(value) : `${value} ${unit}`.trim();
  return [shown, meaning, `[${constant}](../${file})`];
}

/** The value of a numeric constant of the source, exported or not. */
export function constantOf(file: string, constant: string): number {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const product = new RegExp(`^(?:export )?const ${constant} = ([\\d_ *]+);`, 'm').exec(text)?.[1];
  if (product === undefined) throw new Error(`${file} has no number of the name ${constant}.`);
  return product.split('*').reduce((value, factor) => value * Number(factor.replaceAll('_', '')), 1);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}
