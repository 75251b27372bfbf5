import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/polling.ts';
import { freePort } from '../support/ports.ts';
import { TestProvider } from '../support/provider.ts';
import { withToken } from '../support/request.ts';
import { me, newSettings } from '../support/service.ts';

/** Whoever read the log has gone; a full disk shows the same face. */
describe('a log that cannot be written', () => {
  let provider: TestProvider;
  before(async () => {
    provider = await TestProvider.start();
  });
  after(() => provider.stop());

  it('is lost, while callers are served and the process ends well', async () => {
    const [port, opsPort] = [await freePort(), await freePort()];
    const settings = await newSettings('sqlite', {
      ...provider.settings,
      PORT: String(port),
      OPS_PORT: String(opsPort),
    });
    const service = spawn(process.execPath, ['bin/vestibule.js', 'serve'], {
      env: { PATH: process.env.PATH, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    service.stdout?.destroy();
    const ended = once(service, 'exit');
    try {
      await until(
        () => fetch(`http://127.0.0.1:${opsPort}/readyz`).catch(() => null),
        (answer) => answer?.status === 200,
        'it becomes ready',
      );
      const answer = await withToken(`http://127.0.0.1:${port}${me}`, await provider.token());
      assert.equal(answer.status, 200);
    } finally {
      service.kill('SIGTERM');
    }
    assert.deepEqual(await ended, [0, null]);
  });
});
