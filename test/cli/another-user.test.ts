import assert from 'node:assert/strict';
import { chmodSync, readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { healthySettings } from '../support/commands/examined.ts';
import { endOf, newDirectory, refused, succeeded } from '../support/commands/outcome.ts';
import { part } from '../support/run/surroundings.ts';
import type { Settings } from '../support/services/service.ts';

/** Root can read everything unless it drops that right; no other user can open a folder without permissions. */
const withoutOverride =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--'] : [];

/** What each command prints about files that only another user may read. */
const said =
  /vestibule\.db" \(DATABASE_URL\) cannot be used: this user .*may not read it.*\. Run .* as its owner, the user with the id \d+\./;

for (const what of ['folder', 'file'] as const) {
  describe(`an SQLite ${what} that belongs to another user`, () => {
    let settings: Settings;
    let place = '';
    const end = (...command: string[]) => endOf(settings, command, newDirectory(), withoutOverride);
    before(async () => {
      settings = await healthySettings({
        IDP_ORIGIN: (await part('providers')).mockOrigin,
        IDP_JWKS_PATH: '/jwks',
      });
      succeeded(await endOf(settings, ['client', 'add', 'billing']));
      const folder = String(settings.TEST_DIRECTORY);
      place = what === 'folder' ? folder : `${folder}/vestibule.db`;
      chmodSync(place, 0);
    });
    after(() => chmodSync(place, 0o700));

    for (const command of [['client', 'list'], ['client', 'add', 'another'], ['serve']]) {
      it(`${command.join(' ')} names the owner to run as`, async () => refused(await end(...command), said));
    }

    it('doctor reports the missing permission and offers no new database', async () => {
      const { code, stdout } = await end('doctor');
      assert.equal(code, 1);
      assert.match(
        stdout,
        /^FAIL {2}database +this user .*may not read it.*as its owner, the user with the id/m,
      );
      assert.doesNotMatch(stdout, /will be made|No check failed/);
    });

    it('the files are unchanged', () => {
      chmodSync(place, 0o700);
      const names = readdirSync(String(settings.TEST_DIRECTORY)).filter((name) =>
        name.startsWith('vestibule'),
      );
      assert.deepEqual(names.sort(), ['vestibule.db', 'vestibule.db.erasures', 'vestibule.db.secret']);
    });
  });
}
