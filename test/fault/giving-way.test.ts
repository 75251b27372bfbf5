import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Worked } from '../support/worked-on-one-core.ts';

const program = new URL('../support/worked-on-one-core.ts', import.meta.url).pathname;
const allowed = /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
const oneCore = /^\d+/.exec(allowed)?.[0] ?? '0';

async function workOn(cores: string, ...flags: string[]): Promise<Worked> {
  const { stdout } = await promisify(execFile)('taskset', ['-c', cores, process.execPath, program, ...flags]);
  return JSON.parse(stdout);
}

describe('a thread that gives way', () => {
  it('sleeps again and again while it works, when it shares its only core', async () => {
    const { busyBreaths, priority, enginePriorities } = await workOn(oneCore, '--give-way');
    assert.ok(busyBreaths >= 40, `${busyBreaths} breaths in 40 ms of work`);
    assert.equal(priority, 10);
    assert.ok(enginePriorities.length > 0, 'control: the engine has threads');
    assert.ok(enginePriorities.every((one) => one === 10));
  });

  it('does not when the event loop sleeps anyway', async () => {
    const { restedBreaths } = await workOn(oneCore, '--give-way');
    assert.ok(restedBreaths < 20, `${restedBreaths} breaths besides 40 sleeps`);
  });

  if (availableParallelism() > 1)
    it('does not when there is another core', async () => {
      const { busyBreaths, priority } = await workOn(allowed, '--give-way');
      assert.ok(busyBreaths < 20, `${busyBreaths} breaths`);
      assert.equal(priority, 10);
    });

  it('is never one that has not said so', async () => {
    const { busyBreaths, priority, enginePriorities } = await workOn(oneCore);
    assert.ok(busyBreaths < 20, `${busyBreaths} breaths`);
    assert.equal(priority, 0);
    assert.ok(enginePriorities.every((one) => one === 0));
  });
});
