import type { Command } from 'commander';
import { counted } from '../base/counted.ts';
import { OperatorError } from '../base/errors.ts';
import { type Finding, passed, skipped } from '../base/finding.ts';
import { SettingsError } from '../config/load.ts';
import { type Flags, findingLines, print, printing } from './output.ts';
import type { CommandSettings } from './settings.ts';

export function addTo(program: Command, settings: CommandSettings): void {
  printing(
    program,
    'doctor',
    'check why the service does not work: settings, provider, keys, clock, database, TLS, ports',
  ).action(async (options: Flags) => {
    const checks = await checkUp(settings);
    const ok = !checks.some(({ result }) => result === 'fail');
    print(options.json, { ok, checks }, () => [...findingLines(checks), '', verdict(checks)].join('\n'));
    if (!ok) process.exitCode = 1;
  });
}

const afterSettings = ['collections', 'provider', 'database', 'transport', 'frontends', 'ports'];

export async function checkUp(settings: CommandSettings): Promise<readonly Finding[]> {
  try {
    const { config, from = 'all settings are valid' } = await settings.ofService();
    const { examineService } = await import('../operate/doctor.ts');
    return [passed('settings', from), ...(await examineService(config))];
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const mistakes = error instanceof SettingsError ? error.mistakes : [error.message];
    const { finding } = await import('../operate/findings.ts');
    return [
      ...mistakes.map((mistake) => finding('settings', 'settings_invalid', { mistake })),
      ...afterSettings.map((name) => skipped(name, 'fix the settings first')),
    ];
  }
}

function verdict(checks: readonly Finding[]): string {
  const count = (result: Finding['result']) => checks.filter((check) => check.result === result).length;
  const failures = count('fail');
  const warnings = count('warn');
  const doubts = warnings === 0 ? '' : `, with ${counted(warnings, 'warning')}`;
  return failures === 0
    ? `No check failed${doubts}. To check a token, run "npx vestibule explain".`
    : `${failures} of ${checks.length} checks failed${doubts}. Fix the first one first: later checks may depend on it.`;
}
