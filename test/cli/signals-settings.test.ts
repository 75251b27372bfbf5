import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadConfig, SettingsError } from '../../src/config/load.ts';
import { newDirectory } from '../support/outcome.ts';

const audience = 'https://api.example.org';

/** The one provider of a file whose entry ends with these lines. */
async function entryWith(...lines: string[]) {
  const file = `${newDirectory()}/providers.yaml`;
  writeFileSync(file, ['- name: main', '  origin: https://login.example.org', ...lines, ''].join('\n'));
  const { providers } = await loadConfig({ IDPS_FILE: file, API_AUDIENCE: audience });
  return providers[0] ?? assert.fail();
}

async function onlyWith(more: Record<string, string>) {
  const settings = { IDP_ORIGIN: 'https://login.example.org', API_AUDIENCE: audience, ...more };
  return (await loadConfig(settings)).providers[0] ?? assert.fail();
}

describe('for whom logout tokens are', () => {
  it('is nobody unless it is said', async () => {
    assert.deepEqual((await entryWith()).logoutAudiences, []);
    assert.deepEqual((await onlyWith({})).logoutAudiences, []);
  });

  it('is the reference frontend by default', async () => {
    assert.deepEqual((await entryWith('  web_client_id: web')).logoutAudiences, ['web']);
    assert.deepEqual((await onlyWith({ WEB_CLIENT_ID: 'web' })).logoutAudiences, ['web']);
  });

  it('is whoever is named instead', async () => {
    const entry = await entryWith('  web_client_id: web', '  logout_audience: [a, b]');
    assert.deepEqual(entry.logoutAudiences, ['a', 'b']);
    const only = await onlyWith({ WEB_CLIENT_ID: 'web', IDP_LOGOUT_AUDIENCE: 'a, b' });
    assert.deepEqual(only.logoutAudiences, ['a', 'b']);
  });

  it('is not said in two places', async () => {
    const file = `${newDirectory()}/providers.yaml`;
    writeFileSync(file, '- name: main\n  origin: https://login.example.org\n');
    await assert.rejects(
      loadConfig({
        IDPS_FILE: file,
        API_AUDIENCE: audience,
        IDP_LOGOUT_AUDIENCE: 'a',
        IDP_EVENTS_AUDIENCE: 'a',
      }),
      (error: unknown) =>
        error instanceof SettingsError && /IDP_LOGOUT_AUDIENCE, IDP_EVENTS_AUDIENCE/.test(error.message),
    );
  });
});

describe('who tells of security events', () => {
  it('is nobody unless it is said for whom they are', async () => {
    assert.equal((await entryWith()).signals, null);
    assert.equal((await onlyWith({})).signals, null);
  });

  it('is the issuer of the tokens, or another', async () => {
    const audiences = ['https://receiver.example'];
    const tokenFile = `${newDirectory()}/stream`;
    writeFileSync(tokenFile, 'the-token-of-the-stream\n');
    const own = await entryWith('  events_audience: https://receiver.example');
    assert.deepEqual(own.signals, { issuers: own.issuers, audiences, poll: null });
    const only = await onlyWith({ IDP_EVENTS_AUDIENCE: 'https://receiver.example' });
    assert.deepEqual(only.signals, { issuers: only.issuers, audiences, poll: null });
    const other = await entryWith(
      '  events_audience: https://receiver.example',
      '  events_issuer: https://signals.example.org',
      '  events_poll_url: https://signals.example.org/poll',
      `  events_token_file: ${tokenFile}`,
    );
    assert.deepEqual(other.signals, {
      issuers: ['https://signals.example.org'],
      audiences,
      poll: { url: 'https://signals.example.org/poll', tokenFile },
    });
  });

  const mistakes: Record<string, readonly [lines: readonly string[], says: RegExp]> = {
    'an issuer without an audience': [
      ['  events_issuer: https://signals.example.org'],
      /:1: .*has "events_issuer" and no "events_audience"/,
    ],
    'an address without an audience': [
      ['  events_poll_url: https://signals.example.org'],
      /has "events_poll_url" and no "events_audience"/,
    ],
    'an address without TLS': [
      ['  events_audience: a', '  events_poll_url: http://signals.example.org'],
      /:4: .*must be https, because a secret is sent there/,
    ],
    'an address with a password': [
      ['  events_audience: a', '  events_poll_url: https://me:secret@signals.example.org/poll'],
      /:4: .*must be a URL without user and fragment/,
    ],
    'an address that is none': [
      ['  events_audience: a', '  events_poll_url: ftp://signals.example.org/poll'],
      /:4: .*must be a URL without user and fragment/,
    ],
    'a token that is not there': [
      [
        '  events_audience: a',
        '  events_poll_url: https://signals.example.org/poll',
        '  events_token_file: /nowhere/stream',
      ],
      /:5: events_token_file must name a file .* cannot be read \(ENOENT\); what was found is not shown/,
    ],
    'a token that is empty': [
      [
        '  events_audience: a',
        '  events_poll_url: https://signals.example.org/poll',
        '  events_token_file: /dev/null',
      ],
      /:5: .*must name a file with a secret in it, and it is empty/,
    ],
    'a token that goes nowhere': [
      ['  events_audience: a', '  events_token_file: /run/secrets/stream'],
      /:4: .*is of use with "events_poll_url" only/,
    ],
    'an empty audience': [['  logout_audience: []'], /:3: .*must have at least one item/],
  };
  for (const [mistake, [lines, says]] of Object.entries(mistakes)) {
    it(`is refused with file and line: ${mistake}`, async () => {
      await assert.rejects(
        entryWith(...lines),
        (error: unknown) => error instanceof SettingsError && says.test(error.message),
      );
    });
  }

  for (const token of ['hunter2\nhunter3', 'Bearer hunter2', 'hunter2\u0001', 'hunter2ж', 'hunter2é'])
    it(`is refused, and not shown: a token that no header can have, ${JSON.stringify(token)}`, async () => {
      const tokenFile = `${newDirectory()}/stream`;
      writeFileSync(tokenFile, `${token}\n`);
      await assert.rejects(
        entryWith(
          '  events_audience: a',
          '  events_poll_url: https://signals.example.org/poll',
          `  events_token_file: ${tokenFile}`,
        ),
        (error: unknown) =>
          error instanceof SettingsError &&
          /:5: events_token_file must name a file with one bearer token in it: /.test(error.message) &&
          !error.message.includes('hunter'),
      );
    });
});
