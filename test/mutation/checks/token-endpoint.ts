import { checksOf, type Mutant } from '../mutant.ts';

const wrong = ['test/http/token.401.test.ts'];
const missing = ['test/http/token.400.test.ts'];
const granted = ['test/http/token.200.test.ts'];
const form = ['test/http/token.oauth.400.test.ts'];
const formWrong = ['test/http/token.oauth.401.test.ts'];
const credentials = ['test/attack/credentials.test.ts'];
const tooMany = ['test/http/token.429.test.ts'];
const secrets = ['test/attack/client-secrets.test.ts'];
const sameness = ['test/attack/token-sameness.test.ts'];
const planted = ['test/attack/planted-clients.test.ts'];

/** POST /token, from the request to the token. */
export const tokenEndpointChecks: readonly Mutant[] = [
  ...checksOf('src/tokens/json-request.ts', missing, [
    [
      'one set of credentials',
      "if (…) throw incomplete('credentials: one set in the body and one in a header');",
      '',
      'parties on the way disagree whose credentials count',
    ],
    [
      'the content type',
      "if (…) throw incomplete('content type');",
      '',
      'a page of another site sends credentials',
    ],
    ['the body is an object', "if (…) throw incomplete('object');", '', 'null ends in a fault of ours'],
    ['the id is a text', "typeof clientId !== 'string' || ", '', 'an object reaches the database'],
    ['the id is not empty', " || clientId === ''", '', 'no id is a wrong id'],
    [
      'the secret is a text',
      "typeof clientSecret !== 'string' || ",
      '',
      'an object reaches the cryptography',
    ],
    ['the secret is not empty', " || clientSecret === ''", '', 'no secret is a wrong secret'],
  ]),
  ...checksOf('src/base/strict-json.ts', missing, [
    [
      'the body is UTF-8',
      "new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })",
      "new TextDecoder('utf-8', { ignoreBOM: true })",
      'different secrets become one',
      credentials,
    ],
    [
      'each name once',
      "if (…) throw fault('a name twice in one object');",
      '',
      'parties on the way disagree whose credentials count',
    ],
  ]),
  ...checksOf('src/tokens/form-request.ts', form, [
    [
      'the only grant',
      "if (…) throw new Refusal('oauth_grant_not_supported');",
      '',
      'a grant that nobody thought of gives tokens',
    ],
    [
      'one way of sending credentials',
      'if (ways !== 1) throw',
      'if (ways === 0) throw',
      'parties on the way disagree whose credentials count',
    ],
    [
      'credentials are there',
      'if (ways !== 1) throw',
      'if (ways > 1) throw',
      'no credentials are wrong credentials',
    ],
    [
      'the type of an assertion',
      "if (…) throw invalid('client_assertion_type');",
      '',
      'an assertion of another kind is taken for ours',
    ],
    ['a secret has its client', "if (…) throw invalid('no client_id');", '', 'no id ends in a fault of ours'],
    [
      'one client',
      "if (…) throw invalid('two different client ids');",
      '',
      'parties on the way disagree who the client is',
    ],
    [
      'the form of HTTP Basic',
      "if (…) throw wrong('the Authorization header is not HTTP Basic');",
      '',
      'another scheme ends in a fault of ours',
      formWrong,
    ],
  ]),
  ...checksOf('src/base/form.ts', form, [
    [
      'no field twice',
      "if (…) throw new FormError('a field sent twice');",
      '',
      'parties on the way disagree about the request',
    ],
    [
      'a form is UTF-8',
      "new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })",
      "new TextDecoder('utf-8', { ignoreBOM: true })",
      'different secrets become one',
      credentials,
    ],
    [
      'what is percent-encoded is UTF-8',
      "throw new FormError('percent-encoding');",
      'return text;',
      'parties on the way disagree about the request',
      credentials,
    ],
  ]),
  ...checksOf('src/tokens/recognise-client.ts', wrong, [
    [
      'the secret is right',
      'const secret = findSecret(…);',
      'const secret = live[0] ?? null;',
      'any secret is as good as the right one',
    ],
    [
      'the client is active',
      "client?.state !== 'active' || secret === null",
      'client === null || secret === null',
      'a disabled client gets tokens',
    ],
    [
      'the secret has not expired',
      '.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)',
      '',
      'a secret that was to end works for ever',
      ['test/cli/client-secrets.test.ts'],
    ],
    [
      'past the limit no database',
      ' || throttle.isReached(…)',
      '',
      'a flood of guesses keeps the database busy',
      sameness,
    ],
  ]),
  ...checksOf('src/tokens/client-mac.ts', planted, [
    [
      'the checksum of a client',
      'timingSafeEqual(…) && client !== null',
      'client !== null',
      'whoever can write to the database becomes any client',
    ],
    ['the name of a client', '[id, state,', '[state,', 'a row under another name is another client'],
    [
      'the secrets of a client',
      'createdAt, ofSecrets]',
      'createdAt]',
      'a copied digest opens another client',
    ],
  ]),
  ...checksOf('src/tokens/client-directory.ts', planted, [
    [
      'only genuine clients are known',
      'const client = this.#genuine(found);',
      'const client = found;',
      'whoever can write to the database becomes any client',
    ],
    [
      'only genuine clients are looked up',
      'this.#genuine(await this.#options.store.find(…))',
      'await this.#options.store.find(id)',
      'whoever can write to the database becomes any client',
    ],
  ]),
  ...checksOf('src/storage/stores/clients.ts', planted, [
    [
      'only genuine clients are changed',
      'return clientMac.isGenuine(client) ? client : null;',
      'return client;',
      'what was planted becomes genuine with the next change',
    ],
  ]),
  ...checksOf('src/tokens/secrets.ts', wrong, [
    [
      'the comparison of secrets',
      'timingSafeEqual(…) && candidate',
      'candidate',
      'any secret is as good as the right one',
    ],
    [
      'the secret of nobody is random',
      'const nobodysDigest = randomBytes(32);',
      "const nobodysDigest = digestSecret(new Uint8Array(32), '');",
      'there is a secret for clients without one',
      secrets,
    ],
    [
      'secrets are kept as keyed digests',
      "createHmac('sha256', key).update(secret)",
      "createHmac('sha256', '').update(secret)",
      'a stolen database tells whether a guess is right',
      secrets,
    ],
    [
      'all slots are compared',
      'slot < secretSlots',
      'slot < stored.length',
      'the time tells how many secrets a client has',
      secrets,
    ],
  ]),
  ...checksOf('src/tokens/issue.ts', form, [
    [
      'the scopes of the client',
      "if (…) throw new Refusal('oauth_scope_invalid');",
      '',
      'a client gives itself any scope',
    ],
    [
      'failures are counted',
      'throttle.fail(…);',
      '0;',
      'secrets are guessed without end',
      [...tooMany, ...form],
    ],
  ]),
  ...checksOf('src/tokens/throttle.ts', tooMany, [
    [
      'failures by client',
      'this.#byClient.add(nameOf(clientId))',
      'Number(clientId === null)',
      'many addresses guess one secret without end',
    ],
    [
      'failures by address',
      'this.#byAddress.add(address)',
      'Number(address === null)',
      'one address guesses many secrets without end',
    ],
    [
      'the length of names',
      "clientId.length > longestName ? '' : clientId",
      'clientId',
      'long names fill the memory',
      ['test/fault/bounded-memory.test.ts'],
    ],
  ]),
  ...checksOf('src/tokens/mint.ts', granted, [
    ['whom a token is from', 'iss: issuer,', 'iss: audience,', 'nobody can tell our tokens from others'],
    ['whom a token is for', 'aud: audience,', 'aud: issuer,', 'a token for us opens another API'],
    [
      'the end of a token',
      'exp: issuedAt + ttlSeconds,',
      'exp: issuedAt + 1_000 * ttlSeconds,',
      'a stolen token works for a week',
    ],
    ['the type of a token', "typ: 'at+jwt'", "typ: 'JWT'", 'a token of ours passes for another kind'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a file
    ['every token is its own', '.${randomUUID()}`', '.`', 'two tokens cannot be told apart'],
    [
      'the scopes of a token',
      '...scopeMember(scopes)',
      "scope: 'admin'",
      'a token grants what nobody granted',
      ['test/http/token.oauth.200.test.ts'],
    ],
  ]),
];
