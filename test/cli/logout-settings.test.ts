import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadConfig, SettingsError } from '../../src/config/load.ts';
import { newDirectory } from '../support/commands/outcome.ts';

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

describe('audience of logout tokens', () => {
  it('is empty by default', async () => {
    assert.deepEqual((await entryWith()).logoutAudiences, []);
    assert.deepEqual((await onlyWith({})).logoutAudiences, []);
  });

  it('is the client of the reference frontend if that is set', async () => {
    assert.deepEqual((await entryWith('  web_client_id: web')).logoutAudiences, ['web']);
    assert.deepEqual((await onlyWith({ WEB_CLIENT_ID: 'web' })).logoutAudiences, ['web']);
  });

  it('is replaced by logout_audience', async () => {
    const entry = await entryWith('  web_client_id: web', '  logout_audience: [a, b]');
    assert.deepEqual(entry.logoutAudiences, ['a', 'b']);
  });

  it('is refused with file and line if empty', async () => {
    await assert.rejects(
      entryWith('  logout_audience: []'),
      (error: unknown) =>
        error instanceof SettingsError && /:3: logout_audience .*at least 1 item/.test(error.message),
    );
  });
});
