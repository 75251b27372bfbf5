import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/**
 * What publint and attw ("Are the types wrong?") find in a tarball. Suggestions count. The packages have no CommonJS, which attw
 * leaves out with `esm-only`.
 */
export async function findingsOf(tarball: string): Promise<readonly string[]> {
  const { buffer } = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: buffer } });
  const findings = messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
  const attw = ['--profile', 'esm-only', '--no-emoji', '--no-color', tarball];
  const { status, stdout, stderr, error } = spawnSync('attw', attw, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  return status === 0 ? findings : [...findings, `attw: ${stdout}${stderr}`];
}
