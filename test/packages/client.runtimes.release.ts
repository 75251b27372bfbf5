import { after, before, describe, it } from 'node:test';
import { cases } from './client-cases/all.ts';
import { startClientProcess } from './client-process.ts';

/**
 * Bun and Deno repeat a DELETE by themselves after a reused connection broke. The client does not see that there was an earlier
 * try, so it reports the 404 of the second one.
 */
const onlyOnNode = ['leave() succeeds although its answer is lost'];

for (const runtime of ['Node.js 20', 'Node.js 24', 'Node.js 26', 'Bun', 'Deno'] as const)
  describe(`@vestibule/client, installed as a package, on ${runtime}`, () => {
    let program: Awaited<ReturnType<typeof startClientProcess>>;
    before(async () => {
      program = await startClientProcess(runtime);
    });
    after(() => program.stop());

    for (const name of Object.keys(cases))
      if (runtime.startsWith('Node') || !onlyOnNode.includes(name)) it(name, () => program.run(name));
  });
