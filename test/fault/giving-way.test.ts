import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, getPriority } from 'node:os';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Worked } from '../support/working-thread.ts';

const program = new URL('../support/working-thread.ts', import.meta.url).pathname;

async function workOn(cores: string, ...flags: string[]): Promise<Worked> {
  const { stdout } = await promisify(execFile)('taskset', ['-c', cores, process.execPath, program, ...flags]);
  return JSON.parse(stdout);
}

function allowedCores(): string {
  return /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
}

function oneCore(): string {
  return /^\d+/.exec(allowedCores())?.[0] ?? '';
}

/** Far fewer than it takes to notice who waits, and more than happen by chance. */
const few = 20;

// Priorities of threads are Linux's.
if (process.platform === 'linux') {
  describe('a thread that gives way', () => {
    it('sleeps again and again while it works, when it shares one core, unless its event loop sleeps anyway', async () => {
      const worked = await workOn(oneCore(), '--give-way');
      assert.ok(worked.inPieces >= 40, JSON.stringify(worked));
      assert.ok(worked.inStatements >= 40, JSON.stringify(worked));
      assert.ok(worked.withRests < few, JSON.stringify(worked));
      assert.ok(worked.priority >= 10, JSON.stringify(worked));
      assert.ok(worked.enginePriorities.length > 0, 'control: the engine has threads');
      assert.ok(
        worked.enginePriorities.every((one) => one >= 10),
        JSON.stringify(worked),
      );
    });

    if (availableParallelism() > 1)
      it('does not sleep when there is another core', async () => {
        const worked = await workOn(allowedCores(), '--give-way');
        assert.ok(worked.inPieces < few && worked.inStatements < few, JSON.stringify(worked));
        assert.ok(worked.priority >= 10, JSON.stringify(worked));
      });

    it('is never one that has not said so', async () => {
      const worked = await workOn(oneCore());
      assert.ok(worked.inPieces < few && worked.inStatements < few, JSON.stringify(worked));
      for (const priority of [worked.priority, ...worked.enginePriorities])
        assert.equal(priority, getPriority(), JSON.stringify(worked));
    });
  });
}
