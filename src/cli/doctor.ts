import type { Command } from 'commander';
import type { Finding } from '../base/finding.ts';
import { checkUp } from './doctor/checkup.ts';
import { findingLines, type JsonOption, print, printing } from './output.ts';
import type { CommandSettings } from './settings.ts';

/** `vestibule doctor`: from the settings to a first 200, and what is in between. */
export function addTo(program: Command, settings: CommandSettings): void {
  printing(
    program,
    'doctor',
    'find out why the service does not work: settings, provider, keys, clock, database, TLS, ports',
  ).action(async (options: JsonOption) => {
    const checks = await checkUp(settings);
    const ok = !checks.some(({ result }) => result === 'fail');
    print(options.json, { ok, checks }, () => [...findingLines(checks), '', verdict(checks)].join('\n'));
    if (!ok) process.exitCode = 1;
  });
}

function verdict(checks: readonly Finding[]): string {
  const count = (result: Finding['result']) => checks.filter((check) => check.result === result).length;
  const failures = count('fail');
  const warnings = count('warn');
  const doubts = warnings === 0 ? '' : `, ${warnings} to look at`;
  return failures === 0
    ? `Nothing stands in the way${doubts}. Send a token: "npx vestibule explain" tells what becomes of it.`
    : `${failures} of ${checks.length} checks failed${doubts}. The first is the one to begin with.`;
}
