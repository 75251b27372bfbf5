import { after, before, describe } from 'node:test';
import { newHand, runAll } from './commands.ts';
import { ProjectCopy } from './project-copy.ts';
import { readmeCommands } from './readme-commands.ts';

describe('the commands of README.md', () => {
  const project = new ProjectCopy();
  before(() => project.start());
  after(() => project.stop());
  runAll(readmeCommands, project, newHand());
});
