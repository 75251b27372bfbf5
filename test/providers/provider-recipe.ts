import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import { sectionOf, settingsIn } from '../support/commands/documented-settings.ts';
import { examined } from '../support/commands/examined.ts';
import { explained } from '../support/commands/explained.ts';
import { withToken } from '../support/http/request.ts';
import { me, newSettings, startService } from '../support/services/service.ts';
import {
  type LookalikeProvider,
  type PublishedKeys,
  startLookalike,
  withoutUnset,
} from './lookalike-provider.ts';

interface Mistake {
  /** Changed settings; undefined unsets one. */
  readonly settings?: (provider: LookalikeProvider) => Readonly<Record<string, string | undefined>>;
  /** The token to send; by default the first of the right ones. */
  readonly token?: (provider: LookalikeProvider) => string | Promise<string>;
}

interface ProviderLikeness {
  /** The heading on docs/providers.md. */
  readonly section: string;
  readonly keys?: PublishedKeys;
  /** Right tokens, by whose they are, and the kind of caller that each makes. */
  readonly tokens: Readonly<
    Record<string, { readonly kind: 'user' | 'client'; make(provider: LookalikeProvider): Promise<string> }>
  >;
  /** By the first column of the table of mistakes, every one of them. */
  readonly mistakes: Readonly<Record<string, Mistake>>;
}

const page = 'docs/providers.md';

/** The settings of a recipe with the right tokens and with every mistake that the page names. */
export async function recipeSuite(likeness: ProviderLikeness): Promise<void> {
  const section = sectionOf(page, likeness.section);
  const documented = settingsIn(section);
  const shown = documentedMistakes(section);

  const provider = await startLookalike(documented, likeness.keys ?? (({ jwk }) => [jwk]));
  after(() => provider.stop());
  const service = await startService(await newSettings('sqlite', provider.settings));
  after(() => service.stop());

  describe(`the recipe for ${likeness.section}`, () => {
    it('the page lists exactly the mistakes that are tested here', () => {
      assert.deepEqual([...shown.keys()].sort(), Object.keys(likeness.mistakes).sort());
    });

    for (const [whose, { kind, make }] of Object.entries(likeness.tokens)) {
      it(`accepts the token of ${whose}`, async () => {
        const reply = await withToken(service.url + me, await make(provider));
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.json().kind, kind);
      });
    }

    for (const [mistake, { settings, token }] of Object.entries(likeness.mistakes)) {
      it(`${mistake}: status and code are those of the page`, async () => {
        const [right] = Object.values(likeness.tokens);
        const sent = (await token?.(provider)) ?? (await right?.make(provider)) ?? '';
        // With the database of the first service.
        const changed = settings && withoutUnset({ ...service.settings, ...settings(provider) });
        const other = changed && (await startService(changed));
        const asked = other ?? service;
        try {
          const reply = await withToken(asked.url + me, sent);
          const expected = shown.get(mistake);
          assert.deepEqual({ status: reply.status, code: reply.json().code }, expected);
          const { status, code } = await explained(asked.settings, sent);
          assert.deepEqual({ status, code }, expected, 'vestibule explain says the same');
        } finally {
          await other?.stop();
        }
      });
    }

    if (documented.IDP_ISSUER?.startsWith(String(documented.IDP_ORIGIN))) {
      it('"vestibule doctor" confirms the settings with the discovery document', async () => {
        const findings = await examined(service.settings);
        const asked = ['discovery', 'issuer', 'key address', 'algorithm', 'key'];
        const results = asked.map((name) => findings.find((finding) => finding.name === name));
        for (const finding of results) assert.equal(finding?.result, 'pass', JSON.stringify(finding));
      });
    }

    if (documented.WEB === 'on') {
      it('the frontend gets the issuer, client id, audience and scopes', async () => {
        const reply = await fetch(`${service.url}/web/config.json`);
        const { providers } = (await reply.json()) as { providers: readonly Record<string, unknown>[] };
        const { name, title, ...told } = providers[0] ?? {};
        assert.equal(providers.length, 1);
        const { IDP_ISSUER, WEB_CLIENT_ID, API_AUDIENCE, WEB_SCOPES } = provider.settings;
        const scopes = ['openid', 'profile', ...(WEB_SCOPES === undefined ? [] : [WEB_SCOPES])];
        const expected = { issuer: IDP_ISSUER, client_id: WEB_CLIENT_ID, audience: API_AUDIENCE, scopes };
        assert.deepEqual(told, expected);
        // The frontend continues with discovery.
        const issuer = new URL(String(told.issuer));
        const answer = await oauth.discoveryRequest(issuer, { [oauth.allowInsecureRequests]: true });
        const found = await oauth.processDiscoveryResponse(issuer, answer);
        assert.equal(found.issuer, IDP_ISSUER);
      });
    }
  });
}

const tableHead = '| mistake | shows as | what to do |\n| --- | --- | --- |\n';

/** Each row of the table: what was done wrong, and the status and code that it shows as. */
function documentedMistakes(section: string): ReadonlyMap<string, { status: number; code: string }> {
  const [, table = ''] = section.split(tableHead);
  const rows = /^(\|.*\n)*/.exec(table)?.[0].trimEnd().split('\n') ?? [];
  return new Map(
    rows.map((row) => {
      const [, mistake, status, code] = /^\| (.+?) \| (\d{3}) `([a-z_]+)` \| .+ \|$/.exec(row) ?? [];
      if (mistake === undefined || code === undefined)
        throw new Error(`${page}: this row says no code: ${row}`);
      return [mistake, { status: Number(status), code }];
    }),
  );
}
