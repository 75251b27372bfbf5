import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { assertLines, examined, healthySettings } from '../support/commands/examined.ts';
import { freePort } from '../support/run/ports.ts';
import type { Settings } from '../support/services/service.ts';
import { discoveredProvider, type Misbehaviour } from '../support/tokens/discovered-provider.ts';
import { makeKey } from '../support/tokens/provider.ts';

interface Setup extends Misbehaviour {
  readonly settings?: (origin: string) => Settings;
  readonly fails?: RegExp | readonly RegExp[];
  readonly warns?: RegExp;
}

const weakKey = await makeKey('weak', 1024);
const goodKey = await makeKey('good');
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });

const setups: Record<string, Setup> = {
  'no fault (control)': {},
  'no discovery document': {
    discovery: null,
    warns:
      /^WARN {2}discovery +the provider answered with status 404; expected .*Set IDP_ISSUER to the issuer/,
  },
  'an issuer with a trailing slash that IDP_ISSUER lacks': {
    discovery: (origin) => ({ issuer: `${origin}/` }),
    settings: (origin) => ({ IDP_ISSUER: origin }),
    fails:
      /^FAIL {2}issuer +"http.*\/"; expected one of "http.*\d"\. .*only by its trailing slash.*Set IDP_ISSUER=http.*\/$/,
  },
  'the issuer of another realm': {
    discovery: (origin) => ({ issuer: `${origin}/realms/main` }),
    fails: /^FAIL {2}issuer .*set IDP_ISSUER=http:\/\/127\.0\.0\.1:\d+\/realms\/main$/,
  },
  'the multi-tenant issuer of Entra ID': {
    discovery: () => ({ issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' }),
    fails: /^FAIL {2}issuer .*address for all tenants.*your tenant, with its id/,
  },
  'a discovery document without an issuer': {
    discovery: () => ({ issuer: undefined }),
    fails: /^FAIL {2}issuer .*The issuer is missing.*Check IDP_ORIGIN and IDP_ISSUER/,
  },
  'keys at another path': {
    settings: () => ({ IDP_JWKS_PATH: '/.well-known/jwks.json' }),
    fails: [
      /^FAIL {2}key address .*expected .*\/\.well-known\/jwks\.json.*Set IDP_JWKS_PATH=\/jwks$/,
      /^FAIL {2}key +.*answered with status 404; .*Check IDP_ORIGIN and IDP_JWKS_PATH\./,
    ],
  },
  'keys at another host': {
    discovery: () => ({ jwks_uri: 'https://www.keys.example/v3/certs' }),
    warns:
      /^WARN {2}key address .*Set IDP_ORIGIN=https:\/\/www\.keys\.example IDP_JWKS_PATH=\/v3\/certs IDP_ISSUER=http/,
  },
  'keys for another algorithm': {
    keys: [curve],
    discovery: () => ({ id_token_signing_alg_values_supported: ['ES256', 'HS256'] }),
    fails: /^FAIL {2}algorithm +alg "ES256".*; expected .*RS256.* set ALLOWED_ALGORITHMS=RS256,ES256$/,
  },
  'no keys': {
    keys: [],
    fails: /^FAIL {2}key .*no key is usable: the set is empty; .*Check .*IDP_JWKS_PATH/,
  },
  'a weak key': {
    keys: [goodKey.jwk, weakKey.jwk],
    warns:
      /^WARN {2}key +kid "good", .* 1 usable; left out: "weak" \(modulus_size\); expected .*provider should withdraw/,
  },
  'a clock a few seconds off': {
    aheadSeconds: 3.5,
    warns: /^WARN {2}clock +ours is [2-5] s behind the provider's; .*NTP/,
  },
  'a clock minutes off': {
    aheadSeconds: -600,
    fails:
      /^FAIL {2}clock +ours is (10 min( \d s)?|9 min 5\d s) ahead of the provider's; expected less than 2 s/,
  },
  'DPOP=required without DPoP in the discovery document': {
    settings: () => ({ DPOP: 'required' }),
    warns:
      /^WARN {2}bound tokens +a discovery document that does not mention DPoP; expected "dpop_signing_alg_values_supported" with one of ES256, EdDSA, Ed25519, PS256, RS256\. DPOP=required refuses every token that is not bound\. .* set DPOP=on$/,
  },
  'DPOP=page with proof algorithms that the provider does not accept': {
    discovery: () => ({ dpop_signing_alg_values_supported: ['ES512'] }),
    settings: () => ({ WEB: 'on', WEB_CLIENT_ID: 'page', DPOP: 'page' }),
    warns: /^WARN {2}bound tokens +\["ES512"\]; .* DPOP=page refuses .* set DPOP=on$/,
  },
  'an HTML page instead of JSON': {
    answer: (_request, response) => void response.end('<!doctype html><title>Sign in</title>'),
    warns: /^WARN {2}discovery +the answer is not JSON/,
    fails: /^FAIL {2}key .*the answer is not JSON; .*may be an HTML page/,
  },
  'a redirect': {
    answer: (_request, response) => void response.writeHead(302, { location: '/login' }).end(),
    warns: /^WARN {2}discovery .*status 302/,
    fails: /^FAIL {2}key .*status 302; .*redirects are not followed/,
  },
  'no answer': {
    answer: () => {},
    fails: [
      /^FAIL {2}discovery +no complete answer within 5000 ms; .*firewall/,
      /^FAIL {2}key .*no complete answer within 5000 ms; .*firewall/,
    ],
  },
  'an IDP_ISSUER that is not a URL': {
    settings: () => ({ IDP_ISSUER: 'main-issuer' }),
    warns: /^WARN {2}discovery +an IDP_ISSUER that is not a URL; /,
  },
};

describe('vestibule doctor, provider', { concurrency: 4 }, () => {
  for (const [name, { settings = () => ({}), fails = [], warns, ...wrong }] of Object.entries(setups)) {
    it(`reports the cause in one line: ${name}`, async (test) => {
      const provider = await discoveredProvider(wrong);
      test.after(() => provider.stop());
      const all = await healthySettings({ ...provider.settings, ...settings(provider.origin) });
      const findings = await examined(all);
      assertLines(findings, 'fail', [fails].flat());
      assertLines(findings, 'warn', warns === undefined ? [] : [warns]);
    });
  }

  const page = { WEB: 'on', WEB_CLIENT_ID: 'page', DPOP: 'page' };
  const isBoundBy = {
    key: { dpop_signing_alg_values_supported: ['RS256', 'ES256'] },
    certificate: { tls_client_certificate_bound_access_tokens: true },
  };
  const bindings: Record<string, [Settings, keyof typeof isBoundBy, string | undefined]> = {
    'not checked if no setting needs them': [{}, 'certificate', undefined],
    'not checked for DPOP=page if the page is not served': [{ DPOP: 'page' }, 'certificate', undefined],
    'DPoP support passes': [{ ...page, DPOP: 'required' }, 'key', 'pass by DPoP, with ES256, RS256'],
    'certificate-bound tokens alone cause a warning': [{ DPOP: 'required' }, 'certificate', 'warn'],
    'certificate-bound tokens alone cause a warning for the page': [page, 'certificate', 'warn'],
  };
  for (const [name, [settings, by, expected]] of Object.entries(bindings)) {
    it(`bound tokens: ${name}`, async (test) => {
      const provider = await discoveredProvider({ discovery: () => isBoundBy[by] });
      test.after(() => provider.stop());
      const findings = await examined(await healthySettings({ ...provider.settings, ...settings }));
      const line = findings.find((finding) => finding.name === 'bound tokens');
      const told = line?.result === 'pass' ? `pass ${line.found}` : line?.result;
      assert.equal(told, expected);
    });
  }

  it('checks DPoP for the page only at providers that the page offers', async (test) => {
    const provider = await discoveredProvider();
    test.after(() => provider.stop());
    const other = await discoveredProvider();
    test.after(() => other.stop());
    const settings = await healthySettings({ WEB: 'on', DPOP: 'page' });
    const file = `${settings.TEST_DIRECTORY}/providers.yaml`;
    const rest = '\n  jwks_path: /jwks\n';
    const offered = `- name: offered\n  origin: ${provider.origin}${rest}  web_client_id: page\n`;
    writeFileSync(file, `${offered}- name: other\n  origin: ${other.origin}${rest}`);
    const findings = await examined({ ...settings, IDPS_FILE: file });
    assertLines(findings, 'fail', []);
    assertLines(findings, 'warn', [/^WARN {2}offered: bound tokens .* DPOP=page refuses .* set DPOP=on$/]);
  });

  it('reports the cause in one line: nothing listens at the provider', async () => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    const findings = await examined(await healthySettings({ IDP_ORIGIN: origin }));
    assertLines(findings, 'fail', [
      /^FAIL {2}discovery +no connection \(ECONNREFUSED\); .*Nothing listens there.*IDP_ORIGIN/,
      /^FAIL {2}key .*no connection \(ECONNREFUSED\); /,
    ]);
    const skipped = [/issuer/, /key address/, /algorithm/, /clock/, /cert/];
    assertLines(findings, 'skip', skipped);
  });
});
