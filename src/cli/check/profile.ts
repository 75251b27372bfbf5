import type { Config } from '../../config/settings.ts';
import { findingLines, print } from '../output.ts';

/** What is missing for a profile, and nothing of what is not; as data both. */
export async function checkProfile(
  config: Config,
  profile: 'fapi2',
  json: boolean | undefined,
): Promise<void> {
  const { inspectClients } = await import('../../inspection/client-authentication.ts');
  const { fapi2Findings, fapi2Notes: notes } = await import('./fapi2.ts');
  const findings = fapi2Findings(config, await inspectClients(config));
  const missing = findings.filter(({ result }) => result === 'fail');
  const met = findings.filter(({ result }) => result === 'pass');
  const name = 'the FAPI 2.0 Security Profile';
  print(json, { ok: missing.length === 0, profile, missing, met, notes }, () =>
    [
      ...findingLines(missing),
      ...(missing.length === 0 ? [] : ['']),
      missing.length === 0
        ? `Nothing that can be set is missing for ${name}.`
        : `${missing.length} of ${findings.length} things are missing for ${name}.`,
      '',
      ...notes.map((note) => `- ${note}`),
    ].join('\n'),
  );
  if (missing.length > 0) process.exitCode = 1;
}
