import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { brokenRules, importsOf, ownedBaseFiles } from './import-rules.ts';

function sourceFiles(): Map<string, string> {
  const patterns = [
    'src/**/*.ts',
    'web/*.ts',
    'web/{src,console}/**/*.{ts,tsx}',
    'packages/{*,*/*,*/src/**/*}.ts',
    'bench/**/*.ts',
  ];
  // The benchmark is a package of its own, with packages of its own once it has been run.
  const files = globSync(patterns, { exclude: ['bench/node_modules/**'] }).map((file) =>
    file.replaceAll('\\', '/'),
  );
  return new Map(files.sort().map((file) => [file, readFileSync(file, 'utf8')]));
}

const from = (path: string) => `import { a } from '${path}';`;

/** A file that must not be, and a part of the reason that has to be given. */
const forbidden: readonly (readonly [file: string, text: string, reason: RegExp])[] = [
  ['src/base/x.ts', from('../config/load.ts'), /base is what everything rests on/],
  ['src/config/x.ts', from('../storage/port.ts'), /settings are read before/],
  ['src/storage/x.ts', "import type { a } from '../config/settings.ts';", /a database knows nothing/],
  ['src/auth/x.ts', from('../storage/port.ts'), /whether a bearer is real/],
  ['src/ops/x.ts', from('../storage/storage.ts'), /through the storage port only/],
  ['src/tokens/x.ts', from('../http/problem.ts'), /handlers are plain functions/],
  ['src/tokens/x.ts', from('../storage/sqlite/engine.ts'), /no database but the port/],
  ['src/openapi/x.ts', "import { describeMe } from '../consumer/me.ts';", /knows none of them/],
  ['src/tokens/x.ts', from('../consumer/me.ts'), /handlers are plain functions/],
  ['src/consumer/x.ts', from('../tokens/clients.ts'), /handlers are plain functions/],
  ['src/http/x.ts', "import { me } from '../consumer/me.ts';", /only http\/routes\.ts imports handlers/],
  ['src/http/x.ts', from('../ops/metrics.ts'), /for more than its types.*handed its parts/],
  ['src/http/routes.ts', from('../storage/postgres/engine.ts'), /the route table joins/],
  ['src/cli/x.ts', "import { startApp } from '../compose/app.ts';", /before it is needed.*when it runs/],
  ['src/cli/x.ts', "const a = await import('../storage/storage.ts');", /builds no part itself/],
  [
    'src/cli/x.ts',
    "import { Clients } from '../tokens/clients.ts';",
    /for more than its types.*builds no part itself/,
  ],
  ['src/cli/x.ts', from('../http/server.ts'), /builds no part itself/],
  ['src/cli/x.ts', "import type { a } from '../main.ts';", /builds no part itself/],
  ['src/compose/x.ts', from('../cli/serve.ts'), /the composition root/],
  ['src/compose/x.ts', "import '../main.ts';", /the composition root/],
  ['src/main.ts', from('./storage/storage.ts'), /main runs the command line/],
  ['src/main.ts', "const a = await import('./compose/app.ts');", /knows no part/],
  ['src/novelty/x.ts', from('../base/clock.ts'), /no rule says/],
  ['src/auth/x.ts', from('../../test/support/tokens/provider.ts'), /the service stands by itself/],
  ['src/compose/x.ts', from('../../web/build.ts'), /the service stands by itself/],
  ['src/frontend/x.ts', from('../config/load.ts'), /it hands out what web\/ was built into/],
  ['packages/verify/src/x.ts', from('../../../src/http/problem.ts'), /brings nothing of the service/],
  ['web/src/x.tsx', "import type { a } from '../../src/base/errors.ts';", /by its addresses only/],
  ['web/x.ts', from('../test/support/services/service.ts'), /by its addresses only/],
  [
    'web/src/screens/x.tsx',
    "import { createClient } from '../../../packages/client/src/index.ts';",
    /by its addresses only/,
  ],
  [
    'web/src/api/client.ts',
    "import { connect } from '../../../packages/client/src/connection.ts';",
    /as a page of anybody else would/,
  ],
  [
    'packages/client/src/x.ts',
    "import { catalogue } from '../../../src/base/errors.ts';",
    /runs in pages of others/,
  ],
  ['bench/me/x.ts', from('../token/work.ts'), /a subject of the benchmark stands by itself/],
  ['bench/shared/x.ts', from('../me/work.ts'), /what the subjects of the benchmark share/],
  ['bench/run.ts', from('../src/compose/app.ts'), /imports nothing of it/],
  ['src/auth/x.ts', "const a = await import('../storage/port.ts');", /whether a bearer is real/],
  ['src/auth/x.ts', "export { a } from '../storage/port.ts';", /whether a bearer is real/],
  ['src/auth/x.ts', "export * from '../storage/port.ts';", /whether a bearer is real/],
  ['src/tokens/x.ts', "import { sql } from 'kysely';", /SQL and its drivers/],
  ['src/ops/x.ts', "import { Pool } from 'pg';", /SQL and its drivers/],
  ['src/compose/app.ts', "import { DatabaseSync } from 'node:sqlite';", /SQL and its drivers/],
  ['src/http/x.ts', "import { trace } from '@opentelemetry/api';", /everybody else sees base\/tracing/],
  ['src/consumer/x.ts', 'run(`select * from consumers`);', /SQL lives in storage only/],
  ['src/http/x.ts', "import { createHash } from 'node:crypto';", /cryptography lives in/],
  ['src/consumer/me.ts', "import { SignJWT } from 'jose';", /cryptography lives in/],
  ['src/cli/x.ts', 'const id = crypto.randomUUID();', /cryptography lives in/],
  ['src/compose/app.ts', "import { createServer } from 'node:http';", /only http speaks HTTP/],
  ['src/http/x.ts', "const a = text.normalize('NFC');", /base\/unicode bounds/],
  ['src/http/x.ts', 'const a = process.env.PORT;', /environment is read in config only/],
  ['src/main.ts', 'const { PORT } = process.env;', /environment is read in config only/],
  ['src/cli/x.ts', 'process.stdout.write(client.label);', /escaped in cli\/output/],
  ['src/http/server.ts', "reply.type('application/problem+json');", /http\/problem only/],
  ['src/cli/x.ts', "const me = '/api/consumer/v1/me';", /part of one constant/],
  ['src/base/utils.ts', '', /a drawer for everything/],
  ['src/auth/helpers/base64.ts', '', /a drawer for everything/],
];

describe('the import rules', () => {
  it('every source file follows them', () => {
    const broken = brokenRules(sourceFiles());
    assert.equal(broken.length, 0, `\n${broken.join('\n')}`);
  });

  it('read the real imports, also dynamic ones', () => {
    const sources = sourceFiles();
    assert.ok(sources.size > 50);
    const imports = [...sources].flatMap(([file, text]) => importsOf(file, text));
    for (const { target, from } of imports) {
      assert.ok(target === null || existsSync(target) || target.endsWith('.d.ts'), `${from} -> ${target}`);
    }
    const targets = (file: string) => imports.filter(({ from }) => from === file).map(({ target }) => target);
    assert.ok(targets('src/main.ts').includes('src/cli/program.ts'));
    assert.ok(targets('src/cli/dev.ts').includes('src/cli/dev/start.ts'), 'also those made while running');
  });

  for (const [file, text, reason] of forbidden) {
    it(`reject ${text === '' ? 'a file there' : text} in ${file}`, () => {
      const broken = brokenRules(new Map([[file, text]]));
      assert.equal(broken.length, 1, broken.join('\n'));
      assert.ok(broken[0]?.startsWith(file));
      assert.match(String(broken[0]), reason);
    });
  }

  it('reject an import cycle of any length', () => {
    const ring = new Map([
      ['src/auth/a.ts', "import { b } from './b.ts';"],
      ['src/auth/b.ts', "import type { c } from './c.ts';"],
      ['src/auth/c.ts', "import { a } from './a.ts';"],
    ]);
    const [broken, ...others] = brokenRules(ring);
    assert.deepEqual(others, []);
    assert.match(
      String(broken),
      /^src\/auth\/a\.ts -> src\/auth\/b\.ts -> src\/auth\/c\.ts -> src\/auth\/a\.ts:/,
    );
  });

  it('reject a file in base that only one folder uses', () => {
    assert.deepEqual(ownedBaseFiles(sourceFiles()), []);
    const text = "import { a } from '../base/a.ts';";
    const owned = new Map([
      ['src/base/a.ts', ''],
      ['src/auth/x.ts', text],
      ['src/auth/y.ts', text],
      ['src/compose/x.ts', "import { a } from '../base/a.ts';"],
    ]);
    assert.deepEqual(ownedBaseFiles(owned), ['src/base/a.ts']);
    assert.deepEqual(ownedBaseFiles(new Map([...owned, ['src/ops/x.ts', text]])), []);
  });

  it('accept type imports, late imports, comments, and what a folder may import', () => {
    const allowed = new Map([
      ['src/http/x.ts', "import type { Metrics } from '../ops/metrics.ts';"],
      ['src/http/y.ts', "import {\n  type Verify,\n  type Other,\n} from '../auth/verifier.ts';"],
      ['src/cli/x.ts', "import type { Clients } from '../tokens/clients.ts';"],
      ['src/cli/y.ts', "const { startApp } = await import('../compose/app.ts');"],
      ['src/config/x.ts', "// import '../compose/app.ts'\n/* process.env */ const a = process.env;"],
      ['web/src/api/client.ts', "export { Problem } from '../../../packages/client/src/index.ts';"],
      ['src/tokens/x.ts', "import { Refusal } from '../base/errors.ts';\nimport { SignJWT } from 'jose';"],
    ]);
    assert.deepEqual(brokenRules(allowed), []);
  });
});
