import { checksOf, type Mutant } from '../mutant.ts';

const proof = ['test/attack/dpop-proof.test.ts'];
const replay = ['test/attack/dpop-replay.test.ts'];
const nonce = ['test/http/dpop.nonce.test.ts'];
const token = ['test/http/token.dpop.test.ts'];

/** Tokens bound to a key: RFC 9449 section 4.3, check by check. */
export const dpopChecks: readonly Mutant[] = [
  ...checksOf('src/auth/dpop/proof.ts', proof, [
    [
      'one proof',
      "if (…) throw invalidProof('repeated');",
      '',
      'parties on the way disagree which proof counts',
    ],
    [
      'the key of the token',
      'if (request.thumbprint !== null && thumbprint !== request.thumbprint) …;',
      ';',
      'a key that was seen before proves the tokens of others',
    ],
    ['the signature', "if (!holds) throw invalidProof('signature');", '', 'anybody proves anything'],
    ['the method', "if (…) throw invalidProof('htm');", '', 'a proof to read is a proof to delete'],
    ['the address', "if (…) throw invalidProof('htu');", '', 'a proof for one place opens another'],
    ['the age', "if (…) throw invalidProof('iat');", '', 'a proof counts for ever'],
    ['the token', "if (…) throw invalidProof('ath');", '', 'a proof for one token proves another'],
    [
      'the nonce',
      "if (…) throw new Refusal('proof_nonce_required');",
      '',
      'proofs are made ahead of time',
      nonce,
    ],
  ]),
  ...checksOf('src/auth/dpop/proof-keys.ts', proof, [
    ['the type', "if (…) throw invalidProof('typ');", '', 'any JWT of that key is a proof'],
    [
      'the algorithm',
      "if (…) throw invalidProof('alg');",
      '',
      'whoever sends a proof chooses how it is checked',
    ],
    ['extensions', "if (…) throw invalidProof('crit');", '', 'what is signed is not what is read'],
    [
      'no key of any size',
      ', mostProofKeyBits',
      '',
      'whoever chooses a large key keeps us busy with its signatures',
    ],
    [
      'no private keys',
      '|| privateMembers.some((name) => Object.hasOwn(jwk, name))',
      '',
      'nobody tells a client that it gives its key away',
    ],
  ]),
  ...checksOf('src/auth/dpop/possession.ts', proof, [
    [
      'no bound token as a bearer token',
      'checkBearer: ({ boundTo }, request) => checkCertificate(boundTo, request),',
      'checkBearer: () => {},',
      'a stolen token works',
    ],
    [
      'only bound tokens',
      "if (…) throw invalidProof('cnf');",
      '',
      'a token without a key is taken for proven',
    ],
    ['once', "if (…) throw new Refusal('proof_replayed');", '', 'a copied request works again', replay],
  ]),
  ...checksOf('src/auth/dpop/seen-proofs.ts', replay, [
    [
      'proofs outlive a clock that jumps',
      ' || endsAt > monotonicNow',
      '',
      'a clock that is ahead for a moment lets a proof be used twice',
    ],
    ['no end of memory', 'if (this.#size >= this.#most) …;', ';', 'a flood of proofs takes all memory'],
    [
      'nothing forgotten early',
      'if (number >= slotNow || endsAt > monotonicNow) continue;',
      '',
      'a copied request works again',
    ],
  ]),
  ...checksOf(
    'src/consumer/records/requests/write.ts',
    ['test/http/records.proof.403.test.ts'],
    [
      [
        'the proof of a refused write is used',
        'if (input.proof !== null) void useUp(…);',
        '',
        'whoever has copied it sends other fields to another process',
      ],
    ],
  ),
  ...checksOf('src/app/dpop.ts', token, [
    ['the proof of a client is used', 'useProof(proof);', '', 'a copied request gets tokens again'],
  ]),
  ...checksOf('src/tokens/issue.ts', token, [
    [
      'bad proofs are counted',
      'isBadProof(error) ? counted(…) : refusal',
      'refusal',
      'whoever has a secret keeps us busy with signatures',
    ],
  ]),
];
