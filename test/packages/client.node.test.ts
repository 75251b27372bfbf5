import { after, before, describe, it } from 'node:test';
import { cases } from './client-cases/all.ts';
import { ClientProcess } from './client-process.ts';

describe('@vestibule/client in Node', () => {
  let node: ClientProcess;
  before(async () => {
    node = await ClientProcess.start();
  });
  after(() => node.stop());

  for (const name of Object.keys(cases)) it(name, () => node.run(name));
});
