import { checksOf, type Mutant } from '../mutant.ts';

const pseudonym = ['test/attack/pseudonym.test.ts'];
const standing = ['test/attack/shut-out.test.ts'];
const proofs = ['test/records/proofs.test.ts'];

/** Who a caller is to us, and whether it is still welcome. */
export const consumerChecks: readonly Mutant[] = [
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are texts of files
  ...checksOf('src/consumer/pseudonym.ts', pseudonym, [
    ['the end of the issuer', '`${issuer}\\0${subject}`', '`${issuer}${subject}`', 'two callers become one'],
    ['the issuer', '`${issuer}\\0${subject}`', 'subject', 'a subject of one issuer is the same of another'],
    [
      'the key',
      "createHmac('sha256', secretKey)",
      "createHmac('sha256', '')",
      'everybody can tell who is behind a name',
    ],
  ]),
  ...checksOf('src/auth/keyring.ts', pseudonym, [
    [
      'a key for each purpose',
      '`vestibule/${purpose}/v1`',
      "'vestibule/v1'",
      'one key stands in for another',
    ],
    [
      'the master secret',
      "hkdfSync('sha256', masterSecret,",
      "hkdfSync('sha256', 'x',",
      'everybody has the keys',
    ],
  ]),
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are texts of files
  ...checksOf(
    'src/auth/master-secret.ts',
    ['test/cli/master-secret.test.ts'],
    [
      [
        'the master secret of this database',
        'timingSafeEqual(…)',
        'mark !== undefined',
        'callers get new names and nobody notices',
      ],
    ],
  ),
  ...checksOf('src/consumer/suspensions.ts', standing, [
    [
      'suspended callers',
      "if (…) throw new Refusal('consumer_suspended');",
      '',
      'whoever was suspended stays in',
    ],
    [
      'the former pseudonyms of suspended callers',
      'if (this.#former.has(…)) return true;',
      '',
      'whoever was suspended comes in with a token of the provider before',
    ],
    [
      'who was found good before somebody was suspended',
      'this.#passed = new WeakSet();',
      '',
      'whoever comes with a token of the provider before stays in',
    ],
  ]),
  ...checksOf('src/consumer/standing.ts', standing, [
    [
      'clients that are not active',
      "if (client?.state !== 'active') return 'client_disabled';",
      "if (client === null) return 'client_disabled';",
      'tokens of a disabled client work until they expire',
    ],
    [
      'a token of keys is for the very client that it was issued to',
      'credentialId === keyCredential(…)',
      "credentialId?.startsWith('key-') === true",
      'tokens of a removed client work for the next one of that name',
    ],
    [
      'a token ends with its secret',
      'if (refusalFor(…) !== null) return this.#lookUp(…);',
      '',
      'tokens of a secret that leaked work until they expire',
    ],
    [
      'a token ends with its secret, also when its client was looked up',
      'const code = refusalFor(…);',
      "const code = (await this.#options.clients.lookUp(id)) === null ? 'client_disabled' : null;",
      'tokens of a secret that leaked work until they expire',
    ],
    [
      'the very secret that a token was issued for',
      'client.secrets.some(({ id }) => id === credentialId)',
      'client.secrets.length > 0',
      'tokens of a secret that leaked work until they expire',
    ],
    [
      'tokens of keys are for clients with keys',
      'client.publicKeys !== null && credentialId === keyCredential(…)',
      'credentialId === keyCredential(…)',
      'tokens of keys outlive them',
    ],
    [
      'tokens of clients with keys are those of keys',
      'client.publicKeys !== null && credentialId === keyCredential(…)',
      'client.publicKeys !== null',
      'tokens of secrets outlive them',
    ],
    [
      'changes are heard of',
      'store.watch((changed) => void this.#reload(changed))',
      'store.watch(() => {})',
      'a suspension counts after the next restart',
    ],
    [
      'a change of clients counts',
      'await clients.load();',
      '',
      'tokens of a disabled client work until they expire',
    ],
  ]),
  ...checksOf('src/consumer/records/decide/decide.ts', proofs, [
    [
      'no write by a proof that was used',
      "if (…) throw new Refusal('proof_replayed');",
      'state.useProof(proof);',
      'a copied write is done again',
    ],
  ]),
  ...checksOf('src/consumer/records/decide/batch-state.ts', proofs, [
    [
      'a proof is used from then on',
      'this.#newProofs.set(name, proof);',
      '',
      'a copied write is done again in the next batch',
    ],
    [
      'no proof twice in one batch',
      'this.#usedProofs.has(name) || this.#newProofs.has(name)',
      'this.#usedProofs.has(name)',
      'a write that comes twice at the same moment is done twice',
    ],
  ]),
  ...checksOf(
    'src/storage/stores/proofs.ts',
    ['test/contract/proofs.test.ts'],
    [
      [
        'nobody is erased by a proof that was used',
        "if (…) throw new Refusal('proof_replayed');",
        '',
        'a copied request erases whoever has come back',
      ],
    ],
  ),
];
