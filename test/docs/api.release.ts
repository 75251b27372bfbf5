import { after, before, describe } from 'node:test';
import { apiCommands } from './api-commands.ts';
import { newHand, runAll } from './commands.ts';
import { ProjectCopy } from './project-copy.ts';

describe('the commands of README.md, docs/api.md and docs/tokens.md, as printed', () => {
  const project = new ProjectCopy();
  before(() => project.start());
  after(() => project.stop());
  runAll(apiCommands, project, newHand());
});
