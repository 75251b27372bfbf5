import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { importsOf } from './import-rules.ts';

/** What several folders use although it stands in one of them. */
const exceptions: Readonly<Record<string, string>> = {
  'test/attack/forgeries/all.ts': 'the verifier of packages refuses the forgeries that the service refuses',
  'test/image/build.ts': 'the tests of the deploy files know the base of the image',
  'test/rules/import-rules.ts': 'reads the imports of the packages too',
  'test/load/chaos.ts': 'a drill of fault runs the program for a short time',
  'test/load/samples.ts': 'a drill of fault runs the program for a short time',
  'test/load/soak.ts': 'a drill of fault runs the program for a short time',
};

/** Each use of a helper that stands in the folder of other tests. */
function strayHelpers(sources: ReadonlyMap<string, string>): readonly string[] {
  return [...sources].flatMap(([from, text]) =>
    importsOf(from, text).flatMap(({ target }) => {
      if (target === null || !sources.has(target) || target in exceptions) return [];
      const folder = /^test\/[^/]+\//.exec(target)?.[0];
      const isStray = folder !== undefined && folder !== 'test/support/' && !from.startsWith(folder);
      return isStray ? [`${target}, which ${from} imports`] : [];
    }),
  );
}

it('a helper that several folders use is in test/support', () => {
  const sources = new Map(
    globSync('test/**/*.{ts,tsx}').map((file) => [file.replaceAll('\\', '/'), readFileSync(file, 'utf8')]),
  );
  assert.deepEqual(strayHelpers(sources), [], 'move these to the folder of test/support for their subject');
});

it('the rule finds a helper of another folder, and none of its own folder or of test/support', () => {
  const files = ['test/http/a.ts', 'test/fault/a.ts', 'test/support/http/a.ts'];
  const found = files.map((file) => {
    const user = `import '../${file.slice('test/'.length)}';`;
    return strayHelpers(new Map([file, 'test/fault/x.test.ts'].map((name) => [name, user]))).length;
  });
  assert.deepEqual(found, [1, 0, 0]);
});

/** The groups of test/README.md: their first and last case. */
const groups = new Map(
  [...readFileSync('test/README.md', 'utf8').matchAll(/^\| ([A-Z]) \| (\d+) to (\d+) \|/gm)].map(
    ([, letter = '', first, last]) => [letter, { first: Number(first), last: Number(last) }],
  ),
);

/** Every tag at the beginning of the name of a test, and the files it stands in. */
const tags = Map.groupBy(
  globSync('test/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/['"`]\[([A-Z])(\d+)\] /g)].map(([, letter = '', number]) => ({
      file,
      letter,
      number: Number(number),
    })),
  ),
  ({ letter }) => letter,
);

it('every tag belongs to a group of test/README.md, and every group has a tagged test', () => {
  assert.deepEqual([...groups.keys()].sort(), [...tags.keys()].sort());
  for (const { file, letter, number } of [...tags.values()].flat()) {
    const group = groups.get(letter);
    assert.ok(group && number >= group.first && number <= group.last, `[${letter}${number}] in ${file}`);
  }
});

/** A fixed wait, or a measurement of time or memory. All of them fail on a busy machine without a fault. */
const pattern =
  /\bsetTimeout\b|\bsetInterval\(|\bperformance\.now\(|\bhrtime\b|\bAtomics\.wait\b|\bmemoryUsage\(|resident_memory/;

/** Long scenarios and what measures; they are not part of `npm test`. */
const elsewhere = /\.(drill|release)\.ts$|^test\/(image|load|overload|scale)\//;

const waits: Readonly<Record<string, string>> = {
  'test/support/run/polling.ts': 'waits for a condition, and gives up',
  'test/support/services/movable-clock.ts': 'is the clock that tests move',
  'test/support/run/run-times.ts': 'measures the run for its own report',
  'test/support/run/file-runner.ts': 'keeps the process alive between files',
  'test/support/commands/command-process.ts': 'waits until a command has left nothing open, and gives up',
  'test/support/load/flood.ts': 'sends at a rate',
  'test/support/load/pinned-service.ts': 'is for programs: measures a process',
  'test/support/load/raw-connection.ts': 'is for programs: sends at a rate',
  'test/support/faults/hostile-answers.ts': 'a provider that sends a byte now and then',
  'test/support/services/supervised.ts': 'is for drills',
  'test/support/webhooks/webhook-receiver.ts': 'notes when something came, for drills',
  'test/attack/attacked-service.ts':
    'counts how often the keys may have been fetched in the time that has passed',
  'test/contract/impatient-writer.ts': 'writes again and again in a process of its own',
  'test/fault/held-connections.test.ts': 'a caller that sends an empty line now and then',
  'test/fault/open-loop.ts': 'is for drills: sends at a rate',
  'test/fault/webhook-receivers.test.ts': 'a receiver that sends a byte now and then',
  'test/http/ops.test.ts': 'looks for the name of the metric, not at its value',
  'test/http/limits.test.ts': 'a caller that reads slowly, beside other tests of the same service',
  'test/http/turns.test.ts': 'uses up a slice of main-thread time',
  'test/turns/bystander.ts': 'measures what a person waits beside a flood',
  'test/turns/run.ts': 'measures what a person waits beside a flood',
  'test/turns/send.ts': 'closes a connection inside an answer',
  'test/packages/client-cases/retries.ts': 'runs in a browser too: Retry-After by its own clock',
  'test/packages/client-cases/scene.ts': 'runs in a browser too',
  'test/prometheus/prometheus.ts': 'is for drills: waits for Prometheus',
};

it('no test waits for a fixed time or measures time or memory, except those listed', () => {
  const searched = globSync('test/**/*.ts').filter(
    (file) => !elsewhere.test(file) && file !== 'test/rules/test-folders.test.ts' && !(file in waits),
  );
  const found = searched.filter((file) => pattern.test(withoutComments(readFileSync(file, 'utf8'))));
  assert.deepEqual(
    found,
    [],
    'wait with `until` of test/support/run/polling.ts, or move the clock of the service',
  );
});

it('every listed exception still needs to be one', () => {
  for (const file of Object.keys(waits)) assert.match(readFileSync(file, 'utf8'), pattern, file);
});

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
}
