import { checksOf, type Mutant } from '../mutant.ts';

const options = ['test/packages/verify.options.test.ts'];
const adapters = ['test/packages/verify.adapters.test.ts'];
const everybodyIsIn = 'whoever is refused is let in all the same';

/** What @vestibule/verify decides by itself; the rest of it is `src/auth`. */
export const verifyPackageChecks: readonly Mutant[] = [
  ...checksOf('packages/verify/src/needs.ts', options, [
    [
      'what an address needs is spelt right',
      "name === 'scopes' && areScopes(needs.scopes)",
      'true',
      'an address with a misspelt need is open to every token',
    ],
    [
      'the scopes of an address are a list',
      ' && areScopes(needs.scopes)',
      '',
      'an address whose scopes are undefined is open to every token',
    ],
  ]),
  ...checksOf('packages/verify/src/verifier.ts', options, [
    [
      'the scopes that an address needs',
      'if (scopes !== undefined) requireScopes(…);',
      '',
      'an address that asks for more is open to every token',
    ],
  ]),
  ...checksOf('packages/verify/src/key-location.ts', options, [
    [
      'metadata of this issuer',
      'if (stated !== issuer)',
      'if (false)',
      "another provider's keys are trusted",
    ],
    [
      'keys on the host of the issuer',
      'if (new URL(keys).host !== new URL(issuer).host)',
      'if (false)',
      'metadata leads to keys of somebody else',
    ],
  ]),
  ...checksOf('packages/verify/src/node.ts', adapters, [
    ['a refusal on node:http', 'if (verdict.ok) handle', 'if (true) handle', everybodyIsIn],
  ]),
  ...checksOf('packages/verify/src/express.ts', adapters, [
    ['a refusal on Express', 'if (!verdict.ok) return sendTo(…);', '', everybodyIsIn],
  ]),
  ...checksOf('packages/verify/src/fastify.ts', adapters, [
    ['a refusal on Fastify', 'if (!verdict.ok)', 'if (false)', everybodyIsIn],
  ]),
  ...checksOf('packages/verify/src/hono.ts', adapters, [
    ['a refusal on Hono', 'if (!verdict.ok) return verdict.toResponse();', '', everybodyIsIn],
  ]),
  ...checksOf('packages/verify/src/koa.ts', adapters, [
    ['a refusal on Koa', 'if (!verdict.ok)', 'if (false)', everybodyIsIn],
  ]),
  ...checksOf('packages/verify/src/caller.ts', adapters, [
    [
      'a caller is there',
      'if (caller === undefined)',
      'if (false)',
      'a handler without protect goes on with nobody',
    ],
  ]),
];
