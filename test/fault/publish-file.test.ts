import assert from 'node:assert/strict';
import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { after, describe, it } from 'node:test';
import { publishFile } from '../../src/base/files.ts';
import { newDirectory } from '../support/commands/outcome.ts';

for (const refusal of [null, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP'])
  describe(`a draft where a hard link ${refusal === null ? 'is possible' : `fails with ${refusal}`}`, () => {
    const { linkSync } = fs;
    const setLink = (link: typeof linkSync) => {
      fs.linkSync = link;
      syncBuiltinESMExports();
    };
    after(() => setLink(linkSync));
    const publish = (draft: string, file: string) => {
      if (refusal !== null)
        setLink(() => {
          throw Object.assign(new Error(refusal), { code: refusal });
        });
      publishFile(draft, file);
    };
    const folder = newDirectory();
    const [draft, file] = [`${folder}/copy.part`, `${folder}/copy`];

    it('gets its final name', () => {
      writeFileSync(draft, 'complete', { mode: 0o600 });
      publish(draft, file);
      assert.equal(readFileSync(file, 'utf8'), 'complete');
      assert.equal(fs.statSync(file).mode & 0o777, 0o600);
    });

    it('does not replace a file', () => {
      writeFileSync(draft, 'another');
      assert.throws(() => publish(draft, file), { code: 'EEXIST' });
      assert.equal(readFileSync(file, 'utf8'), 'complete');
      assert.deepEqual(readdirSync(folder).sort(), ['copy', 'copy.part']);
    });
  });
