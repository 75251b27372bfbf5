import type { Command } from 'commander';
import { isoTime } from '../base/date-time.ts';
import { loadKeyConfig } from '../config/load.ts';
import type { SigningKeyRecord } from '../storage/port.ts';
import { administer, look } from './database.ts';
import { type Flags, print, printing, table } from './output.ts';
import type { CommandSettings } from './settings.ts';

export function addTo(program: Command, settings: CommandSettings): void {
  const keys = program.command('keys').description('the keys that sign the tokens of POST /token');

  printing(keys, 'list', 'list the signing keys, never their private part').action(async (options: Flags) => {
    const config = await settings.ofStorage();
    const records = await look(config, ({ signingKeys }) => signingKeys.list());
    const now = Date.now();
    const signing = records.findLast(
      ({ signsFrom, retiresAt }) => signsFrom <= now && (retiresAt === null || retiresAt > now),
    );
    const data = records.map((record) => asData(record, useOf(record, signing, now)));
    print(options.json, data, () => showKeys(data));
  });

  printing(keys, 'rotate', 'publish the next key now and sign with it once verifiers have it')
    .option(
      '--now',
      'sign with it at once, even if verifiers may not have it yet; the old key verifies until its last token has expired',
    )
    .action(async (options: Flags<'now'>) => {
      const config = loadKeyConfig(await settings.ofDatabase());
      const record = await administer(config, 'keys rotate', ({ rotateKey }) =>
        rotateKey(config, options.now === true),
      );
      const data = asData(record, record.signsFrom > Date.now() ? 'next' : 'signs');
      print(options.json, data, () => `Key "${data.kid}" is published and signs from ${data.signs_from} on.`);
    });
}

function useOf(
  { kid, signsFrom, retiresAt }: SigningKeyRecord,
  signing: SigningKeyRecord | undefined,
  now: number,
) {
  if (kid === signing?.kid) return 'signs';
  if (signsFrom > now) return 'next';
  return retiresAt !== null && retiresAt <= now ? 'retired' : 'published';
}

function asData({ kid, algorithm, createdAt, signsFrom, retiresAt }: SigningKeyRecord, use: string) {
  return {
    kid,
    algorithm,
    use,
    signing: use === 'signs',
    created_at: isoTime(createdAt),
    signs_from: isoTime(signsFrom),
    retires_at: isoTime(retiresAt),
  };
}

function showKeys(keys: readonly ReturnType<typeof asData>[]): string {
  if (keys.length === 0) return 'There is no signing key yet: the first "npx vestibule serve" makes one.';
  const columns = { KID: 'kid', ALGORITHM: 'algorithm', USE: 'use' } as const;
  return table({ ...columns, 'SIGNS FROM': 'signs_from', RETIRES: 'retires_at' }, keys);
}
