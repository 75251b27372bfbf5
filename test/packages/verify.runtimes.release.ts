import { describe, it } from 'node:test';
import { makeKey } from '../support/tokens/provider.ts';
import { verifierAttack } from './attacked-verifier.ts';

for (const runtime of ['Node.js 24', 'Node.js 26', 'Bun', 'Deno'] as const)
  for (const framework of ['node', 'hono'] as const)
    describe(`@vestibule/verify, installed as a package, on ${runtime}`, () => {
      const attack = verifierAttack(framework, runtime);

      describe(`with ${framework}`, () => {
        const attacked = attack();

        it('accepts a good token, also when it is known', async () => {
          const token = await attacked().provider.token();
          await attacked().accepts(token);
          await attacked().accepts(token);
        });

        it('refuses a bad token with its code', async () => {
          const { provider } = attacked();
          const good = await provider.token();
          await attacked().refuses(`${good.slice(0, good.lastIndexOf('.'))}.AAAA`, 'signature_invalid');
          await attacked().refuses(
            await provider.token({ aud: 'https://other.example' }),
            'audience_mismatch',
          );
          await attacked().refuses(await provider.token({ iat: 1, exp: 2 }), 'token_expired');
        });

        it('accepts tokens of a new key, and none of a removed one', async () => {
          const { provider } = attacked();
          const old = await provider.token();
          await attacked().accepts(old);
          provider.keys = [await makeKey()];
          await attacked().accepts(await provider.token());
          await attacked().refuses(old, 'key_unknown');
        });
      });
    });
