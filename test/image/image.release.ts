import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { findProgram } from '../support/run/programs.ts';
import { publicBase } from './build.ts';
import { Engine } from './engine.ts';

const run = promisify(execFile);

/** An engine that works; on Debian, as root, Podman is installed. */
async function findEngine(): Promise<Engine> {
  return Engine.find().catch(async () => {
    await findProgram('podman');
    return Engine.find();
  });
}

describe('npm run image', () => {
  it('builds the image, runs it on each database, and sees what it promises', async (context) => {
    const engine = await findEngine();
    const base = await engine.ask('pull', `docker.io/library/${publicBase}`).then(
      () => 'public',
      () => 'local',
    );
    const { stdout } = await run('npm', ['run', 'image', '--', '--base', base]);
    context.diagnostic(stdout);
  });
});
