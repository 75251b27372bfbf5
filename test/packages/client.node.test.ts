import { after, describe, it } from 'node:test';
import { cases } from './client-cases/all.ts';
import { startClientProcess } from './client-process.ts';

const node = await startClientProcess();
after(() => node.stop());

describe('@vestibule/client in Node', () => {
  for (const name of Object.keys(cases)) it(name, () => node.run(name));
});
