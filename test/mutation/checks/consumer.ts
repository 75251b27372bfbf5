import { checksOf, type Mutant } from '../mutant.ts';

const pseudonym = ['test/attack/pseudonym.test.ts'];
const standing = ['test/attack/shut-out.test.ts'];

/** Who a caller is to us, and whether it is still welcome. */
export const consumerChecks: readonly Mutant[] = [
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are texts of files
  ...checksOf('src/consumer/pseudonym.ts', pseudonym, [
    ['the end of the issuer', '`${issuer}\\0${name}`', '`${issuer}${name}`', 'two callers become one'],
    ['the issuer', '`${issuer}\\0${name}`', 'name', 'a subject of one issuer is the same of another'],
    [
      'which claim named the caller',
      "source === 'sub' ? value : `${source}\\0${value}`",
      'value',
      'a client passes for a user of that name',
    ],
    [
      'the end of the name of the claim',
      '`${source}\\0${value}`',
      '`${source}${value}`',
      'a user passes for a client',
    ],
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
        'timingSafeEqual(mark, keyring.check)',
        'mark !== undefined',
        'callers get new names and nobody notices',
      ],
    ],
  ),
  ...checksOf('src/consumer/standing.ts', standing, [
    [
      'suspended callers',
      "if (id !== null && this.#isSuspended(id)) throw new Refusal('consumer_suspended');",
      '',
      'whoever was suspended stays in',
    ],
    [
      'clients that are not known to be active',
      'if (addedAt === undefined) return this.#lookUp(subject, principal);',
      'if (addedAt === undefined) return;',
      'tokens of a disabled client work until they expire',
    ],
    [
      'clients that are not active',
      "client?.state !== 'active'",
      'client === null',
      'tokens of a disabled client work until they expire',
    ],
    [
      'a token is not older than its client',
      'if ((times.issuedAtSeconds ?? 0) < Math.floor(addedAt / 1000)) throw',
      'if (addedAt < 0) throw',
      'tokens of a removed client work for the next one of that name',
    ],
    [
      'changes are heard of',
      'store.watch(() => void this.#reload())',
      'store.watch(() => {})',
      'a suspension counts after the next restart',
    ],
    [
      'a change of clients counts',
      'this.#activeClients = new Map(activeClients.map(({ id, createdAt }) => [id, createdAt]));',
      'for (const { id, createdAt } of activeClients) this.#activeClients.set(id, createdAt);',
      'tokens of a disabled client work until they expire',
    ],
  ]),
];
