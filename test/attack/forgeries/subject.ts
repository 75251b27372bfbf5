import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Attack } from '../../support/http/attacked.ts';
import type { Claims } from '../../support/tokens/provider.ts';

export function subjectForgeries(attack: Attack): void {
  const target = attack();
  const meOf = async (changes: Claims) => target().accepts(await target().provider.token(changes));

  it('[A46] a token with a subject is accepted; the same subject is always the same caller', async () => {
    const first = await meOf({ sub: 'somebody' });
    const second = await meOf({ sub: 'somebody' });
    assert.equal(first.id, second.id);
    assert.equal(first.subject, 'somebody');
  });

  it('[A46] a token without a subject is accepted as a caller without an id', async () => {
    const nobody = await meOf({ sub: undefined });
    assert.equal(nobody.id, null);
    assert.equal(nobody.subject, null);
  });

  it('[A46] tokens of one program without subjects have no id and are not the program', async () => {
    const program = { client_id: 'frontend', azp: 'frontend', iat: undefined };
    for (const scope of ['of one', 'of the other']) {
      const { id } = await meOf({ sub: undefined, ...program, scope });
      assert.equal(id, null);
    }
    const { id, kind } = await meOf({ sub: 'frontend' });
    assert.notEqual(id, null);
    assert.equal(kind, 'user');
  });

  const unusable: Record<string, unknown> = {
    empty: '',
    null: null,
    'a number': 1,
    zero: 0,
    true: true,
    'a list': [],
    'a list of a string': ['somebody'],
    'an object': {},
    'an object with toString': { toString: 'somebody' },
    'a NUL character': '\0',
    'a name with a NUL inside': 'some\0body',
    'a lone surrogate': 'somebody\ud800',
  };
  for (const [name, value] of Object.entries(unusable)) {
    it(`[A46] a subject that is ${name} is refused`, async () => {
      await target().refuses(await target().provider.token({ sub: value }), 'subject_invalid');
    });

    it(`[A46] a caller without a subject has no id when client_id or azp is ${name}`, async () => {
      for (const claim of ['client_id', 'azp'])
        assert.equal((await meOf({ sub: undefined, [claim]: value })).id, null);
    });
  }

  it('[A46] a subject of 10 kB is refused', async () => {
    await target().refuses(await target().provider.token({ sub: 'x'.repeat(10_000) }), 'token_too_large');
  });

  it('[A46] subjects that look alike are different callers', async () => {
    const forms = [
      ...['jos\u00e9', 'jose\u0301', 'JOS\u00c9', 'jose', 'jose ', ' jose', 'Jose', 'jos\u0435'],
      ...['jose\u200b', '\uff4aose'],
    ];
    const ids = new Set<unknown>();
    for (const sub of forms) ids.add((await meOf({ sub })).id);
    assert.equal(ids.size, forms.length);
  });

  it('[A46] names of built-in properties are accepted as subjects', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'null', 'undefined', 'usr_'];
    const ids = new Set<unknown>();
    for (const sub of names) ids.add((await meOf({ sub })).id);
    assert.equal(ids.size, names.length);
  });
}
