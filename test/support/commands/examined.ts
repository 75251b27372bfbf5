import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Finding } from '../../../src/base/finding.ts';
import { checkUp } from '../../../src/cli/doctor.ts';
import { findingLines } from '../../../src/cli/output.ts';
import { CommandSettings } from '../../../src/cli/settings.ts';
import { freePort, takePort } from '../run/ports.ts';
import { type DatabaseEngine, newSettings, type Settings } from '../services/service.ts';
import { type DiscoveredProvider, discoveredProvider } from '../tokens/discovered-provider.ts';

/** Valid settings with free ports and a frontend, except for `overrides`. */
export async function healthySettings(overrides: Settings, engine: DatabaseEngine = 'sqlite') {
  // Held until the other one is found: the system may give the same one twice.
  const { port, release } = await takePort();
  const opsPort = await freePort();
  await release();
  return newSettings(engine, {
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    OPS_PORT: String(opsPort),
    CORS_ORIGINS: 'https://www.example.org',
    ...overrides,
  });
}

/** A provider for all tests of a file, and healthy settings for it. */
export function healthyProvider() {
  let provider: DiscoveredProvider;
  before(async () => {
    provider = await discoveredProvider();
  });
  after(() => provider.stop());
  return {
    origin: () => provider.origin,
    healthy: (overrides: Settings = {}, engine?: DatabaseEngine) =>
      healthySettings({ ...provider.settings, ...overrides }, engine),
  };
}

/** What `vestibule doctor` finds with these settings, without a process of its own. */
export function examined(settings: Settings): Promise<readonly Finding[]> {
  return checkUp(new CommandSettings(() => settings));
}

export function linesOf(findings: readonly Finding[], result: Finding['result']): readonly string[] {
  return findingLines(findings.filter((finding) => finding.result === result));
}

/** These lines and no other are of that result; each is one line. */
export function assertLines(
  findings: readonly Finding[],
  result: Finding['result'],
  expected: readonly RegExp[],
): void {
  const lines = linesOf(findings, result);
  assert.equal(lines.length, expected.length, lines.join('\n'));
  expected.forEach((pattern, index) => {
    assert.match(lines[index] ?? '', pattern);
    assert.doesNotMatch(lines[index] ?? '', /\n/);
  });
}

/** Doctor reports these failures and no other. */
export async function failsWith(settings: Settings, ...expected: RegExp[]): Promise<void> {
  assertLines(await examined(settings), 'fail', expected);
}

/** Nothing fails, and doctor gives these warnings and no other. */
export async function warnsWith(settings: Settings, ...expected: RegExp[]): Promise<void> {
  const findings = await examined(settings);
  assertLines(findings, 'fail', []);
  assertLines(findings, 'warn', expected);
}

export async function passesWith(settings: Settings, expected: RegExp): Promise<void> {
  const findings = await examined(settings);
  assertLines(findings, 'fail', []);
  assert.match(linesOf(findings, 'pass').join('\n'), expected);
}
