import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atOnce, deployment } from '../support/services/deployment.ts';
import { assertShutOutInTime } from '../support/tokens/shut-out.ts';

const declarations = {
  notes:
    'schema: { properties: { text: { type: string, maxLength: 280 } } }\nlimits: { per_user: 10000, writes: 10000/min, newcomer: 10000/day for 1d }',
};

describe('a suspended caller without notifications', () => {
  describe('[F156] on one SQLite file that two processes write to', () => {
    const two = deployment({ processes: 2, declarations });

    it('is refused by both within a second during full write load', async () => {
      let isOver = false;
      const people = await atOnce(16, () => two().person());
      let written = 0;
      const writing = atOnce(16, async (index) => {
        const person = (people[index] ?? assert.fail()).at(two().serviceAt(index));
        while (!isOver) {
          const { status } = await person.send('POST', '/notes', { text: 'again' });
          if (status === 201) written += 1;
        }
      });
      try {
        await assertShutOutInTime(two());
      } finally {
        isOver = true;
        await writing;
      }
      assert.ok(written > 100, `control: only ${written} were written`);
    });
  });
});
