import { checksOf, type Mutant } from '../mutant.ts';

const remembered = ['test/attack/remembered-token.test.ts'];
const lanes = ['test/fault/crypto-lanes.test.ts'];

/** What is remembered of tokens, and how many are verified at once. */
export const cacheChecks: readonly Mutant[] = [
  ...checksOf('src/auth/token-cache.ts', remembered, [
    [
      'remembered only with the same keys',
      ' || known.issuer.keys.generation() !== known.generation',
      '',
      'tokens of a removed key work until they expire',
    ],
    [
      'the times of a remembered token',
      'checkTimes(known.principal.times, clock.now() / 1000);',
      '',
      'a remembered token never expires',
    ],
    [
      'remembered by all of its bytes',
      "hash('sha256', token, 'base64url')",
      "hash('sha256', token.slice(0, token.lastIndexOf('.')), 'base64url')",
      'a known token gets in without its signature',
    ],
    [
      'the number of remembered tokens',
      'if (young.size >= half) {',
      'if (young.size >= 1e9) {',
      'tokens fill the memory',
    ],
    [
      'nothing is remembered without keys',
      'if (generation !== null) remember',
      'remember',
      'what was verified with no set of keys counts for the next',
    ],
  ]),
  ...checksOf('src/auth/verifier.ts', remembered, [
    [
      'the generation is taken before the key',
      '      generation,\n    };',
      '      generation: issuer.keys.generation(),\n    };',
      'a token of a key that is just removed is remembered with the new set',
    ],
  ]),
  ...checksOf('src/auth/lanes.ts', lanes, [
    [
      'how many checks run at once',
      'if (this.#running < this.#size.running) this.#running += 1;',
      'if (this.#size.running > 0) this.#running += 1;',
      'a flood of tokens takes all the cryptography there is',
    ],
    [
      'how many wait',
      "if (this.#queue.length >= this.#size.waiting) throw new Refusal('overloaded', { retryAfterSeconds: 1 });",
      '',
      'a flood of tokens fills the memory',
    ],
    [
      'a lane of its own for the suspicious',
      '(suspicious ? this.#narrow : this.#open)',
      'this.#open',
      'bad tokens stand in the way of good ones',
    ],
  ]),
];
