import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { explained, leaksOf } from '../support/commands/explained.ts';
import { withToken } from '../support/http/request.ts';
import { me, newSettings, startService } from '../support/services/service.ts';
import { compact, hmac } from '../support/tokens/forged-token.ts';
import { type EntryProvider, startEntryProvider } from './entry-providers.ts';
import { auth0 } from './shapes/auth0.ts';
import { authentik } from './shapes/authentik.ts';
import { b2c } from './shapes/b2c.ts';
import { clerk } from './shapes/clerk.ts';
import { cognito } from './shapes/cognito.ts';
import { entra } from './shapes/entra.ts';
import { firebase } from './shapes/firebase.ts';
import { google } from './shapes/google.ts';
import { keycloak } from './shapes/keycloak.ts';
import { okta } from './shapes/okta.ts';
import type { Accepted, Refused, Shape } from './shapes/shape.ts';
import { supabase } from './shapes/supabase.ts';
import { zitadel } from './shapes/zitadel.ts';

const shapes: readonly Shape[] = [
  ...[auth0, entra, b2c, okta, keycloak, cognito, google],
  ...[clerk, firebase, supabase, zitadel, authentik],
];

/** A token that is signed with a secret, which the provider does not publish. */
const withSecret = (claims: Readonly<Record<string, unknown>>) =>
  compact({ alg: 'HS256', typ: 'JWT' }, claims, hmac('sha256', randomUUID()));

interface Me {
  readonly id: string;
  readonly kind: string;
  readonly issuer: string;
  readonly subject: string;
  readonly scopes: readonly string[];
}

const providers = new Map<string, EntryProvider>();
for (const { section } of shapes) providers.set(section, await startEntryProvider(section));
const settings = await newSettings('sqlite', {});
const file = `${settings.TEST_DIRECTORY}/providers.yaml`;
writeFileSync(file, [...providers.values()].map(({ text }) => text).join(''));
const service = await startService({ ...settings, IDPS_FILE: file });
after(async () => {
  for (const provider of providers.values()) provider.stop();
  await service.stop();
});

describe('tokens in the shape of each documented provider, at one service', () => {
  const providerOf = ({ section }: Shape) => providers.get(section) as EntryProvider;

  async function make(shape: Shape, { claims, header, isSymmetric }: Accepted | Refused) {
    const provider = providerOf(shape);
    const now = Math.floor(Date.now() / 1000);
    const all = { iat: now, exp: now + 600, ...claims({ ...provider, now }) };
    const said = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const token = isSymmetric ? withSecret(said) : await provider.sign(said, header);
    return { token, said: said as Record<string, unknown> };
  }

  for (const shape of shapes) {
    describe(shape.section, () => {
      for (const [whose, row] of Object.entries(shape.accepted)) {
        it(`accepts ${whose}: ${row.kind}, scopes ${row.scopes.join(' ') || 'none'}`, async () => {
          const { token, said } = await make(shape, row);
          const reply = await withToken(service.url + me, token);
          assert.equal(reply.status, 200, reply.text);
          const { kind, scopes, issuer, subject, id } = reply.json<Me>();
          assert.deepEqual([kind, scopes, issuer, subject], [row.kind, row.scopes, said.iss, said.sub]);
          assert.match(id, /^usr_/);
          const explanation = await explained(service.settings, token);
          assert.equal(explanation.code, null, explanation.summary);
          assert.equal(explanation.pseudonym, id);
          const found = (name: string) => explanation.steps.find((step) => step.name === name)?.found ?? '';
          assert.match(found('issuer'), new RegExp(`: the provider "${providerOf(shape).name}"$`));
          assert.match(found('subject'), row.kind === 'client' ? /machine client/ : /a person$/);
        });
      }

      for (const [what, row] of Object.entries(shape.refused)) {
        it(`refuses ${what}: ${row.code}`, async () => {
          const { token } = await make(shape, row);
          const reply = await withToken(service.url + me, token);
          assert.deepEqual([reply.status, reply.json().code], [403, row.code], reply.text);
          const explanation = await explained(service.settings, token);
          assert.deepEqual([explanation.status, explanation.code], [403, row.code]);
          assert.match(explanation.summary, row.says);
          assert.deepEqual(leaksOf(token, JSON.stringify({ ...explanation, pseudonym: null })), []);
        });
      }
    });
  }

  it('the refusal of an ID token tells the caller to send an access token', async () => {
    let seen = 0;
    for (const shape of shapes) {
      for (const [what, row] of Object.entries(shape.refused)) {
        if (!/ID token/.test(what)) continue;
        const { token } = await make(shape, row);
        const { title } = (await withToken(service.url + me, token)).json<{ title: string }>();
        assert.match(title, /Send an access token/, `${shape.section}: ${what}`);
        seen += 1;
      }
    }
    assert.equal(seen, 16, 'so many of the rows are ID tokens');
  });

  it('one subject at different providers gives different pseudonyms', async () => {
    const ids = new Set<string>();
    for (const shape of shapes) {
      const { token } = await make(shape, {
        kind: 'user',
        scopes: [],
        claims: (at) => ({ ...Object.values(shape.accepted)[0]?.claims(at), sub: 'the-same' }),
      });
      const reply = await withToken(service.url + me, token);
      assert.equal(reply.status, 200, reply.text);
      ids.add(reply.json<Me>().id);
    }
    assert.equal(ids.size, shapes.length);
  });

  it('a token signed with the key of another provider is refused', async () => {
    const [first] = shapes;
    for (const shape of shapes.slice(1)) {
      const [row] = Object.values(shape.accepted);
      const now = Math.floor(Date.now() / 1000);
      const claims = { iat: now, exp: now + 600, ...row?.claims({ ...providerOf(shape), now }) };
      const forged = await providerOf(first as Shape).sign(claims);
      const reply = await withToken(service.url + me, forged);
      assert.equal(reply.status, 403, shape.section);
      assert.match(reply.json().code as string, /^(key_unknown|algorithm_not_allowed)$/);
    }
  });

  it('claims in the JOSE header or in request headers are ignored', async () => {
    const { token } = await make(auth0, auth0.accepted['a machine'] as Accepted);
    const claims = { scope: 'admin', sub: 'somebody-else', kind: 'user' };
    const [row] = Object.values(auth0.accepted);
    const withHeader = await make(auth0, { ...(row as Accepted), header: claims });
    const shown = (await withToken(service.url + me, withHeader.token)).json<Me>();
    assert.deepEqual([shown.subject, shown.scopes.includes('admin')], [withHeader.said.sub, false]);
    const reply = await fetch(`${service.url}${me}`, {
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-user': 'somebody-else', 'x-scopes': 'admin' },
    });
    const seen = (await reply.json()) as Me;
    assert.deepEqual([seen.kind, seen.scopes], ['client', ['read:notes']]);
  });
});
