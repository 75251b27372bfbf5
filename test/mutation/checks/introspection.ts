import { checksOf, type Mutant } from '../mutant.ts';

const answers = ['test/fault/introspection-answers.test.ts'];
const outage = ['test/fault/introspection-outage.test.ts'];
const certified = ['test/http/me.opaque.test.ts'];

/** Opaque tokens, and what a provider says of them. */
export const introspectionChecks: readonly Mutant[] = [
  ...checksOf('src/auth/introspection/question.ts', answers, [
    ['active is true', 'return document.active ? document : null;', 'return document;', 'any token will do'],
    [
      'active is no text',
      "typeof document.active !== 'boolean'",
      'document.active === undefined',
      'an answer that is none lets anybody in',
    ],
    [
      'no other types of token',
      "if (!isAccess || !isKnown) throw new Refusal('token_type_not_allowed');",
      '',
      'a refresh token opens the door',
    ],
    [
      'a stated issuer counts',
      'answer.iss === undefined ?',
      'answer.iss !== null ?',
      'the tokens of another issuer are taken for those of the entry',
    ],
  ]),
  ...checksOf('src/auth/introspection/introspection.ts', answers, [
    [
      'the rules of the entry',
      'const claims = checkClaims(payload, rules.claims, now / 1000);',
      'const claims = checkClaims({ ...payload, aud: rules.claims.audiences?.[0] }, rules.claims, now / 1000);',
      'a token for another API opens the door',
    ],
    [
      'a refusal is remembered',
      'this.#refused.add(digest, refusal);',
      '{}',
      'each request with a bad token is a question',
    ],
    [
      'an answer counts for a minute',
      'askedAt + longestRememberedMs',
      'askedAt + 1e9',
      'a token that was taken back works on',
      certified,
    ],
    [
      'and not past the expiry',
      'clock.monotonic() + untilExpiryMs',
      'askedAt + longestRememberedMs',
      'an expired token is not asked about',
      outage,
    ],
    [
      'how many questions at once',
      'this.#inFlight.size >= mostInFlight || ',
      '',
      'a flood of tokens becomes a flood of questions',
      outage,
    ],
    [
      'how many of one address',
      ' || ofAddress >= mostOfAddress',
      '',
      'one caller with slow tokens takes all places',
      outage,
    ],
    [
      'a token that was good is asked about',
      '!this.#wasGood(digest) && !this.#addresses',
      '!this.#addresses',
      'invented tokens hold up the good ones of their address',
      outage,
    ],
    [
      'and shares no places with others',
      '!wasGood && origin.isSuspect()',
      'origin.isSuspect()',
      'slow questions about invented tokens hold up the good ones of their address',
      outage,
    ],
    [
      'until it is refused',
      'this.#good.delete(digest);',
      '',
      'whoever has tokens that were taken back asks the provider without end',
      outage,
    ],
    [
      'one question for one token',
      'this.#inFlight.get(digest) ?? this.#begin(…)',
      'this.#begin(digest, token, origin)',
      'a crowd with one token becomes a crowd of questions',
      outage,
    ],
  ]),
  ...checksOf('src/auth/introspection/asking-addresses.ts', outage, [
    [
      'how many questions of one address',
      'if (left < 1) return false;',
      '',
      'invented tokens use up what the provider allows',
    ],
    [
      'a good token gives back',
      'this.#left(address) + earnedByGood',
      'this.#left(address)',
      'a server that calls for many is slowed down',
    ],
  ]),
  ...checksOf('src/auth/introspection/asked-too-often.ts', outage, [
    [
      'strangers wait',
      'this.#strangersUntil = now + waitMs;',
      '',
      'a crowd of strangers keeps the provider at its limit',
    ],
    [
      'others do not',
      'isKnown ? this.#knownUntil : this.#strangersUntil',
      'this.#strangersUntil',
      'a crowd of strangers shuts out everybody',
    ],
    [
      'a minute at most',
      'Math.min(Math.max(wantedMs, knownMs), strangersMs.longest)',
      'wantedMs',
      'one answer shuts out strangers for a day',
    ],
  ]),
  ...checksOf('src/auth/introspection/opaque.ts', answers, [
    [
      'JWTs are not asked about',
      "return secondDot === -1 || token.indexOf('.', secondDot + 1) !== -1;",
      'return true;',
      'JWTs are sent to somebody who may not be their issuer',
    ],
    [
      'nor what begins like one',
      'if (token.startsWith(jsonStart)) return false;',
      '',
      'a JWT with a dot too many is sent to somebody who may not be its issuer',
    ],
    [
      'garbage is not asked about',
      'if (token.length < shortestOpaque || token.length > maxTokenBytes) return false;',
      '',
      'garbage becomes questions',
    ],
  ]),
  ...checksOf('src/auth/introspection/breaker.ts', outage, [
    [
      'nobody waits in the pause',
      'if (seconds > 0)',
      'if (seconds > 1e9)',
      'every request waits for a provider that is down',
    ],
    ['one try at a time', 'this.#isTrying ? 1 : 0', '0', 'a crowd falls upon a provider that comes back'],
    [
      'a token that makes no sense is no failure',
      'if (isOutage(error)) this',
      'if (error) this',
      'each such token makes the service ask for itself',
    ],
    [
      'a question of our own before a pause',
      'fault === null || this.#failures === 0',
      'this.#failures === 0',
      'whoever sends tokens that make the endpoint fail shuts out everybody',
    ],
  ]),
];
