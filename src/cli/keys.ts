import type { Command } from 'commander';
import { loadStorageConfig } from '../config/load.ts';
import { print, table } from './output.ts';
import { administer, type Tools } from './tools.ts';

/** `vestibule keys ...`: the keys that sign the tokens of POST /token. */
export function addKeysCommand(program: Command, tools: Tools): void {
  const keys = program.command('keys').description('the keys that sign the tokens of POST /token');
  keys
    .command('list')
    .description('list the signing keys, never their private part')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const config = loadStorageConfig(tools.environment());
      const records = await administer(tools, config, ({ storage }) => storage.signingKeys.list());
      const newest = records.at(-1);
      const data = records.map(({ kid, algorithm, createdAt }) => ({
        kid,
        algorithm,
        signing: kid === newest?.kid,
        created_at: new Date(createdAt).toISOString(),
      }));
      print(options.json, data, () =>
        data.length === 0
          ? 'There is no signing key yet: the first "vestibule serve" makes one.'
          : table(
              ['KID', 'ALGORITHM', 'USE', 'CREATED'],
              data.map((key) => [
                key.kid,
                key.algorithm,
                key.signing ? 'signs' : 'published',
                key.created_at,
              ]),
            ),
      );
    });
}
