import { checksOf, type Mutant } from '../mutant.ts';

const shutOut = ['test/attack/shut-out.test.ts'];
const logout = ['test/attack/logout-token.test.ts'];
const putOff = ['test/fault/sign-out-keys.test.ts'];
const event = ['test/attack/security-event.test.ts'];
const revoke = ['test/http/revoke.200.test.ts'];

/** Tokens that are taken back, and who may say so. */
export const signOutChecks: readonly Mutant[] = [
  ...checksOf('src/consumer/standing.ts', shutOut, [
    ['tokens that were taken back', 'this.#revocations.check(…);', '', 'whoever has signed out stays in'],
    [
      'notes are forgotten by a clock that is right',
      'const now = time.now();',
      'const now = clock.now();',
      'a clock that is ahead for a moment revives what was taken back',
    ],
    [
      'what changes while a client is looked up',
      'if (refused !== this.#refused) return this.check(caller);',
      '',
      'a client that is shut out in that moment comes in',
    ],
  ]),
  ...checksOf(
    'src/storage/stores/revocations.ts',
    ['test/contract/standing.test.ts'],
    [
      [
        'whose notes are replaced',
        ".where('covered_by', '=', cover.name)",
        '',
        'a provider that signs out too many revives tokens of others',
      ],
    ],
  ),
  ...checksOf('src/consumer/revocations.ts', shutOut, [
    [
      'tokens without a time of issue',
      'issuedAtSeconds === null || ',
      'issuedAtSeconds !== null && ',
      'a token that does not say when it was issued outlives its session',
    ],
    [
      'a token of the same second',
      '<= Math.floor(revocation.issuedUntil / 1000)',
      '< Math.floor(revocation.issuedUntil / 1000)',
      'a token that was issued just before the logout stays good',
    ],
    [
      'tokens that name no session',
      'id !== null && session === null',
      'id === undefined',
      'a session whose tokens do not name it never ends',
    ],
    [
      'all tokens of an issuer',
      '[names.issuer(issuer)]',
      '[]',
      'of a provider that signs out too many the first come back',
    ],
    [
      'the later of two times',
      'Math.max(issuedUntil, known?.issuedUntil ?? 0)',
      'issuedUntil',
      'after a failover an older sign-out takes the place of a newer one',
    ],
  ]),
  ...checksOf(
    'src/consumer/revocations.ts',
    ['test/fault/revocations.test.ts'],
    [
      [
        'notes of a database that went back',
        'if (found.some(isKnown)) return',
        'return',
        'after a failover a token that is taken back stays good',
      ],
    ],
  ),
  ...checksOf('src/auth/provider-document.ts', logout, [
    [
      'the signature of a logout token',
      "if (!holds) throw new Refusal('signature_invalid');",
      '',
      'anybody signs others out',
    ],
    [
      'a document is put off until its key can be known',
      'retryAfterSeconds === null || !looksRight()',
      'true',
      'a sign-out that is signed with a new key is lost',
      putOff,
    ],
    [
      'the same document is not put off for ever',
      'putOff.get(digest) ?? ',
      '',
      'an event with a key of nobody comes again without end',
      putOff,
    ],
  ]),
  ...checksOf('src/consumer/sign-out/event-poll.ts', putOff, [
    [
      'an event that is put off is not acknowledged',
      "if (outcome?.code !== 'keys_unavailable') outcomes.set(id, outcome);",
      'outcomes.set(id, outcome);',
      'an event that is signed with a new key is lost',
    ],
    [
      'more are asked for than wait for their keys',
      'mostAtOnce + this.#left',
      'mostAtOnce',
      'events with keys that are not known hide all later ones',
    ],
  ]),
  ...checksOf('src/consumer/sign-out/logout-token.ts', logout, [
    ['its type', "if (…) throw wrong('typ');", '', 'another document is taken for a logout token'],
    ['its audience', "if (…) throw wrong('aud');", '', 'the logout of another application signs out here'],
    ['its age', "if (…) throw wrong('iat');", '', 'an old logout token is sent again'],
    ['its beginning', "if (…) throw wrong('nbf');", '', 'a logout token is used before its time'],
    ['its expiry', "if (…) throw wrong('exp');", '', 'an old logout token is sent again'],
    ['its id', "if (id === null) throw wrong('jti');", '', 'a logout token counts twice'],
    ['its event', "if (…) throw wrong('events');", '', 'an ID token signs out'],
    ['no nonce', "if (…) throw wrong('nonce');", '', 'an ID token signs out'],
    [
      'whom it is about',
      "if (…) throw wrong('sub and sid');",
      '',
      'a logout that signs out nobody is acknowledged',
    ],
  ]),
  ...checksOf('src/consumer/sign-out/logout.ts', logout, [
    [
      'a logout token counts once',
      "if (noted === null) throw new Refusal('logout_token_invalid', …);",
      '',
      'a logout token counts twice',
    ],
  ]),
  ...checksOf('src/consumer/sign-out/security-event.ts', event, [
    ['the type of an event', "if (…) throw wrong('typ');", '', 'another document is taken for an event'],
    ['the beginning of an event', "if (…) throw wrong('nbf');", '', 'an event counts before its time'],
    [
      'the audience of an event',
      "if (…) throw new Refusal('event_audience_invalid');",
      '',
      'the events of another receiver sign out here',
    ],
    [
      'whose user it is',
      ' || !tokenIssuers.includes(user.issuer)',
      '',
      'a provider signs out users of another',
    ],
  ]),
  ...checksOf('src/tokens/revoke.ts', revoke, [
    [
      'only the client itself takes its token back',
      ' || own.subject !== known.client.id',
      '',
      'a client takes back tokens of others',
    ],
  ]),
];
