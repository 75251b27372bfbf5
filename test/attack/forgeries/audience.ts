import { it } from 'node:test';
import type { Attack } from '../../support/http/attacked.ts';
import { surroundings } from '../../support/run/surroundings.ts';

export function audienceForgeries(attack: Attack): void {
  const target = attack();
  const { audience } = surroundings();

  it('[A36] the exact audience is accepted, alone and in a list', async () => {
    await target().accepts(await target().provider.token({ aud: audience }));
    await target().accepts(await target().provider.token({ aud: [audience] }));
    await target().accepts(await target().provider.token({ aud: ['https://other.example', audience] }));
  });

  const others: Record<string, unknown> = {
    missing: undefined,
    empty: '',
    null: null,
    'a number': 1,
    true: true,
    'an empty object': {},
    'an object with it inside': { aud: audience },
    'an object that looks like a list': { 0: audience, length: 1 },
    'an empty list': [],
    'a list of null': [null],
    'a list with it and null': [audience, null],
    'a list with it and a number': [1, audience],
    'a list in a list': [[audience]],
    'a list of others': ['https://other.example', 'https://another.example'],
    'another API': 'https://other.example',
    'the beginning of it': audience.slice(0, -1),
    'the end of it': audience.slice(1),
    'the host of it': new URL(audience).host,
    'longer than it': `${audience}.evil.example`,
    'it with a slash': `${audience}/`,
    'it with a path': `${audience}/v1`,
    'something before it': `x${audience}`,
    'it in capitals': audience.toUpperCase(),
    'it with a space before': ` ${audience}`,
    'it with a space after': `${audience} `,
    'it and another in one string': `${audience} https://other.example`,
    'it and another with a comma': `${audience},https://other.example`,
    'a list in a string': JSON.stringify([audience]),
    'a pattern for anything': '.*',
    'a star': '*',
    'a pattern that matches it': audience.replaceAll('.', '[.]'),
    'it with a dot replaced': audience.replace('.', 'x'),
    'it with a NUL': `${audience}\0`,
    'a look-alike letter': audience.replace('e', '\u0435'),
  };
  for (const [name, aud] of Object.entries(others))
    it(`[A36] an audience that is ${name} is refused`, async () => {
      await target().refuses(await target().provider.token({ aud }), 'audience_mismatch');
    });
}
