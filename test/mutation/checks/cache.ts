import { checksOf, type Mutant } from '../mutant.ts';

const remembered = ['test/attack/remembered-token.test.ts'];
const forgotten = ['test/fault/forgotten-callers.test.ts'];
const lanes = ['test/fault/signature-checks.test.ts'];

/** What is remembered of tokens, and how many are verified at once. */
export const cacheChecks: readonly Mutant[] = [
  ...checksOf('src/auth/token-cache.ts', remembered, [
    ['the times of a remembered token', 'checkTimes(…);', '', 'a remembered token never expires'],
    [
      'remembered by all of its bytes',
      "hash('sha256', token, 'latin1')",
      "hash('sha256', token.slice(0, token.lastIndexOf('.')), 'latin1')",
      'a known token gets in without its signature',
    ],
    [
      'all of the digest tells',
      'known?.digest !== digest',
      'known === undefined',
      'a token is taken for another whose digest begins alike',
    ],
    [
      'nothing is remembered without keys',
      'if (verification.generation !== null) {',
      '{',
      'what was verified with no set of keys counts for the next',
    ],
    [
      'large tokens take several places',
      'Math.ceil(memoryTaken(dataOf(caller)) / placeBytes)',
      '1',
      'one caller with large tokens fills the memory',
      ['test/fault/large-tokens.test.ts'],
    ],
    [
      'expired tokens are forgotten',
      'this.#remembered.deleteWhere((known) => hasExpired(…) || !isCurrent(known.verification),);',
      '',
      'the subjects of people stay in memory',
      forgotten,
    ],
    [
      'erased callers are forgotten',
      'this.#remembered.deleteWhere(({ caller }) => isErased(caller));',
      '',
      'the subject of whoever was erased stays in memory',
      forgotten,
    ],
  ]),
  ...checksOf('src/base/caller.ts', remembered, [
    [
      'remembered only with the same keys',
      'keys.generation() === generation',
      'true',
      'tokens of a removed key work until they expire',
    ],
  ]),
  ...checksOf(
    'src/events/streams.ts',
    ['test/fault/event-stream-keys.test.ts'],
    [
      [
        'a stream lasts no longer than the keys of its token',
        'else if (!isCurrent(stream.caller.verification)) this.#letGo(stream);',
        '',
        'whoever has a key that was withdrawn goes on listening for as long as it likes',
      ],
    ],
  ),
  ...checksOf('src/auth/verifier.ts', remembered, [
    [
      'the generation is taken before the key',
      'keys: issuer.keys, generation };',
      'keys: issuer.keys, generation: issuer.keys.generation() };',
      'a token of a key that is just removed is remembered with the new set',
    ],
  ]),
  ...checksOf('src/base/recent-map.ts', remembered, [
    [
      'the number of remembered tokens',
      'else if (this.#youngPlaces >= this.#half)',
      'else if (this.#youngPlaces >= 1e9)',
      'tokens fill the memory',
    ],
  ]),
  ...checksOf('src/base/concurrency-limit.ts', lanes, [
    [
      'how many checks run at once',
      'if (this.#taken < this.#running) this.#taken += 1;',
      'if (this.#running > 0) this.#taken += 1;',
      'a flood of tokens takes all the cryptography there is',
    ],
    [
      'how many wait',
      'if (…) throw new Refusal(this.#refusal, { retryAfterSeconds: 1 });',
      '',
      'a flood of tokens fills the memory',
    ],
  ]),
  ...checksOf('src/auth/signature-queue.ts', lanes, [
    [
      'how many signatures are checked in a turn',
      'takeInTurn(this.#lines, mostInATurn - suspects.length)',
      'takeInTurn(this.#lines, 1e6)',
      'a flood of tokens keeps everybody else waiting',
    ],
    [
      'how many signatures wait',
      'this.#length >= mostWaiting || line.length',
      'line.length',
      'a flood of tokens fills the memory',
    ],
    [
      'how many wait of one address',
      ' || line.length >= mostWaitingOfAddress',
      '',
      'one address takes the places of all others',
    ],
    [
      'suspects share a few places',
      'takeInTurn(this.#suspects, mostSuspectsInATurn)',
      'takeInTurn(this.#suspects, mostInATurn)',
      'a flood of bad tokens takes all the cryptography there is',
    ],
    [
      'addresses take turns',
      'batch.push(…); lines.delete(…);',
      'batch.push(…);',
      'one address keeps all others waiting',
    ],
  ]),
];
