import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Command } from 'commander';
import { catalogue } from '../../src/base/errors.ts';
import { createProgram } from '../../src/cli/program.ts';
import { environmentName, settings } from '../../src/config/settings.ts';
import { metricCatalogue } from '../../src/ops/metric-catalogue.ts';
import { documentedCommands, pages } from './documented-commands.ts';

const texts = pages.map((page) => ({ page, text: readFileSync(page, 'utf8') }));

/** Decisions and the changelog may name a setting, metric or code that is gone. */
const current = texts.filter(({ page }) => !/CHANGELOG|decisions\//.test(page));

/** Everything that a pattern finds on these pages, with the page. */
function found(pattern: RegExp, on = texts): readonly { readonly page: string; readonly parts: string[] }[] {
  return on.flatMap(({ page, text }) =>
    [...text.matchAll(pattern)].map((match) => ({ page, parts: match.slice(1).map(String) })),
  );
}

/** Names of the environment that are not settings of the service. */
const otherVariables = /^(NODE_|PG|VESTIBULE_|PROCESSES_)/;

describe('names in the documents', () => {
  it('every setting exists', () => {
    const known = new Set(Object.keys(settings).map(environmentName));
    const unknown = found(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g, current).filter(
      ({ parts: [name = ''] }) => !known.has(name) && !otherVariables.test(name),
    );
    assert.deepEqual(unknown, []);
  });

  it('every metric exists', () => {
    const unknown = found(/\b(vestibule_[a-z_]+)/g, current).filter(
      ({ parts: [name = ''] }) => !(name.replace(/_(bucket|sum|count)$/, '') in metricCatalogue),
    );
    assert.deepEqual(unknown, []);
  });

  it('every label of a metric is listed in docs/operations.md', () => {
    const labelsIn = (text = '') => text.split(',').map((label) => String(label.split('=')[0]).trim());
    const series = found(/`(vestibule_[a-z_]+)\{([^}]+)\}/g, current).map(
      ({ page, parts: [metric = '', labels] }) => ({ page, metric, labels: labelsIn(labels) }),
    );
    const listed = series.filter(({ page }) => page === 'docs/operations.md');
    const known = new Map(listed.map(({ metric, labels }) => [metric, labels]));
    assert.ok(known.size > 10);
    const unknown = series.filter(
      ({ metric, labels }) => !labels.every((label) => known.get(metric)?.includes(label)),
    );
    assert.deepEqual(unknown, []);
  });

  it('every error code exists with its status', () => {
    const codes: Readonly<Record<string, { readonly status: number }>> = catalogue;
    const wrong = found(/\b([45]\d\d) `([a-z]+(?:_[a-z]+)+)`/g, current).filter(
      ({ parts: [status, code = ''] }) =>
        codes[code]?.status !== Number(status) && !(`oauth_${code}` in codes) && !oauthErrors.has(code),
    );
    assert.deepEqual(wrong, []);
  });

  it('every command and its options exist', () => {
    const program = createProgram('0.0.0');
    const wrong = documentedCommands()
      .filter(({ text }) => /\bnpx vestibule\b/.test(text))
      .map(({ page, text }) => ({ page, text, fault: faultOf(text, program) }))
      .filter(({ fault }) => fault !== undefined);
    assert.deepEqual(wrong, []);
  });

  it('the required Node.js version equals that of package.json', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
    const needed = engines.node.replace('>=', '');
    for (const { page, parts } of found(/Node\.js (\d+) or newer/g)) assert.equal(parts[0], needed, page);
  });
});

/** Errors of RFC 6749 and RFC 9449 that a form is answered with. */
const oauthErrors = new Set(
  Object.values<{ readonly oauthError?: string }>(catalogue).map(({ oauthError }) => oauthError),
);

/** The names in a printed command that the program does not have. */
function faultOf(text: string, program: Command): string | undefined {
  const [, ours = ''] = /\bnpx vestibule\b(.*)/s.exec(text) ?? [];
  let command = program;
  const [own = ''] = ours.split(/[|<>&;]/);
  for (const word of own.trim().split(/\s+/)) {
    if (word.startsWith('--')) {
      const option = String(word.split('=')[0]);
      const has = [command, program].some(({ options }) => options.some(({ long }) => long === option));
      if (!has && option !== '--help' && option !== '--version') return option;
    } else {
      const next = command.commands.find((one) => one.name() === word);
      if (next !== undefined) command = next;
      else if (command.commands.length > 0 && /^[a-z-]+$/.test(word)) return word;
    }
  }
  return undefined;
}
