import { checksOf, type Mutant } from '../mutant.ts';

const policy = ['test/attack/key-policy.test.ts'];

/** Which of the published keys are used. */
export const keyChecks: readonly Mutant[] = [
  ...checksOf('src/auth/key-policy.ts', policy, [
    ['a key is an object', "if (…) return 'not_an_object';", '', 'one odd entry spoils the whole key set'],
    ['no secrets among the keys', "if (…) return 'symmetric';", '', 'nobody hears of a published secret'],
    ['no private keys', "if (…) return 'private';", '', 'everybody has that key'],
    [
      'the name of a key is a text',
      "if (…) return 'kid_invalid';",
      '',
      'a key with an odd name is used for tokens without one',
    ],
    [
      'the use of a key',
      "if (…) return 'not_for_signatures';",
      '',
      'a key for encryption verifies signatures',
    ],
    ['"use"', "use === undefined || use === 'sig'", 'true', 'a key for encryption verifies signatures'],
    [
      '"key_ops"',
      "operations === undefined ||\n    (Array.isArray(…) && operations.length === 1 && operations[0] === 'verify')",
      'true',
      'a key for other operations verifies signatures',
    ],
    [
      'the algorithm of a key',
      '(key.alg === undefined || isSameAlgorithm(…))',
      'true',
      'a key is used with an algorithm it is not for',
    ],
    [
      'the allowed algorithms',
      'allowed.includes(…) && ',
      '',
      'a key is used with an algorithm that is not allowed',
    ],
    [
      'the strength of RSA keys',
      'if (…) return rsaFault;',
      '',
      'a key that anybody can break verifies signatures',
    ],
    ['the shortest modulus', 'bits < minModulusBits || ', '', 'a key of 512 bits is broken in hours'],
    ['the longest modulus', ' || bits > maxBits', '', 'one token costs seconds'],
    ['no even modulus', "if (…) return 'modulus_even';", '', 'the key is factored at sight'],
    [
      'no modulus that can be factored',
      "if (…) return 'modulus_weak';",
      '',
      'the key is factored (CVE-2017-15361)',
    ],
    ['no even exponent', '!isOdd(…) || ', '', 'a key that is none is used'],
    ['no exponent of 1', 'exponentIsOne || ', '', 'every message is its own signature'],
    ['the length of the exponent', ' || exponent.length > maxExponentBytes', '', 'one token costs seconds'],
    [
      'leading zeros do not make a key longer',
      'const start = bytes.findIndex(…);',
      'const start = bytes.length === 0 ? -1 : 0;',
      'a short key passes for a long one',
    ],
    [
      'a point of a curve has one spelling',
      "if (key.kty !== 'RSA' && (canonical.x !== key.x || canonical.y !== key.y)) return 'unreadable';",
      '',
      'what is no base64url is taken for a key',
    ],
    [
      'a new key under an old name is another key',
      'fingerprint: JSON.stringify(…),',
      'fingerprint: JSON.stringify([key.kid]),',
      'tokens of the old key are still remembered',
    ],
  ]),
  ...checksOf('src/auth/roca.ts', policy, [
    [
      'every small prime',
      'smallPrimes.every((prime) =>',
      'smallPrimes.every((prime) => prime > 11 &&',
      'the key is factored (CVE-2017-15361)',
    ],
  ]),
  ...checksOf('src/auth/key-set.ts', policy, [
    [
      'a key set is an object',
      "if (typeof document !== 'object' || document === null) return 'the answer is not a key set';",
      '',
      'null ends in a fault of ours',
    ],
    [
      'the keys are a list',
      '!Array.isArray(keys)',
      'keys === undefined',
      'what is no list ends in a fault of ours',
    ],
    ['the number of keys', 'keys.length > maxKeys', 'keys.length > 1e9', 'a key set costs minutes'],
    [
      'no two keys of one name',
      'kid === undefined || byKid.get(…)?.length === 1',
      'true',
      'an attacker who can add a key takes over the name of another',
    ],
    [
      'no two keys of one name, usable or not',
      'Map.groupBy(keys, …);',
      'Map.groupBy(admitted, …);',
      'nobody can say which one is meant',
    ],
    [
      'a set has a usable key',
      'if (usable.length === 0)',
      'if (usable.length < 0)',
      'an empty answer puts all keys out of use',
    ],
    [
      'keys are not tried in turn',
      'keys.length === 1 ? keys[0]',
      'keys.length > 0 ? keys[0]',
      'a token need not say which key it means',
    ],
  ]),
];
