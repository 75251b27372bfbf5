import { dirname, join } from 'node:path/posix';

/** The architecture as a table: which folder may import which, and where a thing may be used. Each rule says why. */

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The imported file of the project; null for a package or a Node built-in. */
  readonly target: string | null;
  /** Vanishes when the program runs. */
  readonly typeOnly: boolean;
  /** Not before the line that says so is reached. */
  readonly isLazy: boolean;
}

interface Access {
  readonly to: RegExp;
  /** Only the names of shapes may cross; the part itself is handed in. */
  readonly typeOnly?: true;
  /** Only when it is needed, by `await import(...)`. */
  readonly lazyOnly?: true;
}

interface FolderRule {
  readonly files: RegExp;
  readonly may: readonly Access[];
  readonly why: string;
}

const base = { to: /^src\/base\// };
const config = { to: /^src\/config\// };
const port = { to: /^src\/storage\/port\.ts$/ };
const openapi = { to: /^src\/openapi\// };
const collections = { to: /^src\/collections\// };
const records = { to: /^src\/records\// };
/** What can happen and how it is told, and who may see it; the rest of events is handed in. */
const events = { to: /^src\/events\/(catalogue|reader)\.ts$/ };
const eventTypes = { to: /^src\/events\//, typeOnly: true } as const;
/** Everything below the command line. */
const rooms = { to: /^src\/(?!main\.ts$|cli\/|operate\/)/ };

/** The first rule whose `files` fits a file holds for it. Files of one folder may always import each other. */
const folderRules: readonly FolderRule[] = [
  { files: /^src\/base\//, may: [], why: 'base is what everything rests on, so it imports nothing of ours' },
  { files: /^src\/config\//, may: [base], why: 'settings are read before any part exists' },
  { files: /^src\/storage\//, may: [base], why: 'a database knows nothing of what it is used for' },
  { files: /^src\/auth\//, may: [base], why: 'whether a bearer is real must not depend on anything else' },
  {
    files: /^src\/events\//,
    may: [base, port, openapi],
    why: 'events reach data through the storage port only, and know nobody who reads them',
  },
  {
    files: /^src\/ops\//,
    may: [base, port],
    why: 'events and ops reach data through the storage port only',
  },
  {
    files: /^src\/openapi\//,
    may: [base],
    why: 'the document is made from what routes say of themselves, and knows none of them',
  },
  {
    files: /^src\/collections\//,
    may: [base, port, events, openapi],
    why: 'a declaration knows nothing of the records that are made by it',
  },
  {
    files: /^src\/records\//,
    may: [base, port, events, eventTypes, openapi, collections],
    why: 'the rules of records need no HTTP, no settings and no database but the port',
  },
  {
    files: /^src\/(tokens|consumer)\//,
    may: [base, port, events, eventTypes, openapi, collections, records],
    why: 'handlers are plain functions: no HTTP, no settings, no database but the port',
  },
  {
    files: /^src\/frontend\//,
    may: [base],
    why: 'it hands out what web/ was built into, and knows nothing of what that is',
  },
  {
    files: /^packages\/verify\//,
    may: [base, { to: /^src\/auth\// }],
    why: 'the verifier is auth and base for others to use, and brings nothing of the service along',
  },
  {
    files: /^packages\/pack\.ts$/,
    may: [{ to: /^src\/config\/release\.ts$/ }],
    why: 'packing needs nothing of the service but which release it is',
  },
  {
    files: /^packages\/release(\.ts$|\/)/,
    may: [{ to: /^packages\/release\// }],
    why: 'a release is made of the packages as they are packed, and without installed packages it can be published',
  },
  {
    files: /^web\/src\/api\/client\.ts$/,
    may: [{ to: /^packages\/client\/src\/index\.ts$/ }],
    why: 'the frontend talks to the API as a page of anybody else would: by the client, in one place',
  },
  {
    files: /^web\/build\.ts$/,
    may: [{ to: /^packages\/bundle\.ts$/ }],
    why: 'the build of the pages knows nothing of the service but how its bundle takes licences along',
  },
  { files: /^web\//, may: [], why: 'the frontend knows the service by its addresses only' },
  {
    files: /^packages\/client\//,
    may: [],
    why: 'the client runs in pages of others, and knows the service by its addresses only',
  },
  {
    files: /^bench\/run\.ts$/,
    may: [{ to: /^bench\// }],
    why: 'the benchmark starts the service as a process and imports nothing of it',
  },
  {
    files: /^bench\/shared\//,
    // The PostgreSQL of the tests is the one that is measured.
    may: [{ to: /^test\/support\/databases\/postgres\.ts$/ }],
    why: 'what the subjects of the benchmark share knows none of them',
  },
  {
    files: /^bench\/me\/peers\//,
    // The verifier is used as anybody would use it.
    may: [{ to: /^bench\/shared\// }, { to: /^packages\/verify\/src\/(index|express|fastify)\.ts$/ }],
    why: 'a subject of the benchmark stands by itself, beside what all share',
  },
  {
    files: /^bench\//,
    may: [{ to: /^bench\/(shared|me-under-load)\// }],
    why: 'a subject of the benchmark stands by itself, beside what all share',
  },
  {
    files: /^src\/http\/routes\.ts$/,
    may: [
      base,
      port,
      { to: /^src\/(http|auth|ops|tokens|collections|consumer|records|events|frontend|openapi)\// },
    ],
    why: 'the route table joins handlers to addresses and nothing else',
  },
  {
    files: /^src\/http\//,
    may: [base, { to: /^src\/(auth|ops)\//, typeOnly: true }],
    why: 'only http/routes.ts imports handlers; the rest of http is handed its parts',
  },
  {
    files: /^src\/cli\//,
    may: [
      base,
      config,
      {
        to: /^src\/(compose|operate)\//,
        lazyOnly: true,
      },
      { to: /^src\/(?!main\.ts$)/, typeOnly: true },
    ],
    why: 'a command builds no part itself: it loads a composition root when it runs, so that help and mistakes in the settings wait for nothing',
  },
  {
    files: /^src\/supervisor\//,
    may: [base, { to: /^src\/ops\// }, { to: /^src\/config\//, typeOnly: true }],
    why: 'a supervisor knows processes and what they say of themselves, and nothing of what they do',
  },
  {
    files: /^src\/(compose|operate)\//,
    may: [rooms],
    why: 'the composition root builds parts for the commands and knows none of them',
  },
  {
    files: /^src\/main\.ts$/,
    may: [base, { to: /^src\/cli\// }],
    why: 'main runs the command line and knows no part by itself',
  },
];

interface PlaceRule {
  /** The forbidden thing: an imported package, or a pattern in the text. */
  readonly packages?: RegExp;
  readonly text?: RegExp;
  readonly only: RegExp;
  readonly why: string;
}

/** The development provider is a provider: it signs tokens of its own. */
const cryptography =
  /^src\/(auth\/|tokens\/|consumer\/pseudonym\.ts$|events\/webhooks\/signing\.ts$|base\/(random|keyed-digest)\.ts$|cli\/dev\/)/;

const placeRules: readonly PlaceRule[] = [
  {
    packages: /^@opentelemetry\//,
    only: /^src\/ops\/tracing\.ts$/,
    why: 'who hears of traces is known in one place, and everybody else sees base/tracing',
  },
  {
    packages: /^(kysely|pg|node:sqlite)$/,
    only: /^src\/storage\//,
    why: 'SQL and its drivers live in storage only',
  },
  {
    text: /['"`]\s*(select|insert into|delete from|create table|drop table|alter table|pragma)\s/i,
    only: /^src\/storage\//,
    why: 'SQL lives in storage only',
  },
  {
    packages: /^(node:crypto|crypto|jose)$/,
    only: cryptography,
    why: 'cryptography lives in auth and tokens, and in the pseudonym',
  },
  {
    text: /\bcrypto\.(subtle|randomUUID|getRandomValues)\b/,
    only: cryptography,
    why: 'cryptography lives in auth and tokens, and in the pseudonym',
  },
  {
    packages: /^node:https?$/,
    only: /^src\/(http\/|cli\/dev\/|openapi\/error-responses\.ts$|events\/webhooks\/send\.ts$)/,
    why: 'only http speaks HTTP, but for the development provider, the names of statuses in OpenAPI and what goes to webhooks',
  },
  { packages: /^commander$/, only: /^src\/(cli\/|main\.ts$)/, why: 'only the command line knows its parser' },
  {
    packages: /^(ajv|ajv\/.*|re2js)$/,
    only: /^src\/collections\//,
    why: 'JSON Schema is compiled where collections are',
  },
  {
    packages: /^yaml$/,
    only: /^src\/base\/yaml\//,
    why: 'all files of operators are read in one way, with lines',
  },
  {
    packages: /^node:vm$/,
    only: /^src\/collections\/validator\.ts$/,
    why: 'text becomes code in one place, and none of it comes from a caller',
  },
  { packages: /^pino$/, only: /^src\/base\/log(-output)?\.ts$/, why: 'there is one log' },
  { packages: /^oidc-provider(\/|$)/, only: /^src\/cli\/dev\//, why: 'the provider is for development only' },
  {
    text: /\.normalize\(/,
    only: /^src\/base\/unicode\.ts$|^web\//,
    why: 'normalisation takes quadratic time for a run of marks, which base/unicode bounds',
  },
  {
    text: /\bprocess\s*\.\s*env\b|\bprocess\[['"]env/,
    only: /^src\/config\//,
    why: 'the environment is read in config only',
  },
  {
    text: /\bprocess\s*\.\s*(stdout|stderr)\s*\.\s*write\b|\bconsole\s*\.\s*(log|error|warn|info|debug|trace|table|dir)\b/,
    only: /^src\/cli\/output\.ts$/,
    why: 'what a command prints is escaped in cli/output',
  },
  {
    text: /\/api\/consumer\//,
    only: /^src\/base\/addresses\.ts$/,
    why: 'the version of the API is part of one constant',
  },
  {
    text: /problem\+json/,
    // The OpenAPI document says what becomes of it there.
    only: /^src\/(http\/problem|openapi\/error-responses)\.ts$/,
    why: 'an error becomes bytes in http/problem only',
  },
];

/** Everything that is wrong with a set of source files, a sentence each: what, and why it is not allowed. */
export function brokenRules(sources: ReadonlyMap<string, string>): readonly string[] {
  const imports = [...sources].flatMap(([file, text]) => importsOf(file, text));
  return [
    ...[...sources.keys()].flatMap(judgeName),
    ...imports.flatMap(judgeImport),
    ...[...sources].flatMap(([file, text]) => judgeText(file, text)),
    ...cyclesOf(imports).map(
      (cycle) => `${cycle.join(' -> ')}: files that need each other cannot be read one by one`,
    ),
  ];
}

const importForm =
  /\b(?:import|export)\s+(type\s+)?((?:[\w*\s{},$]|\bas\b)*?)\s*\bfrom\s*['"]([^'"]+)['"]|\bimport\s*(\()?\s*['"]([^'"]+)['"]/g;

export function importsOf(file: string, text: string): Import[] {
  return [...withoutComments(text).matchAll(importForm)].map(
    ([, type, names = '', fromName, call, bareName]) => {
      const specifier = fromName ?? bareName ?? '';
      const target = specifier.startsWith('.') ? join(dirname(file), specifier) : null;
      const typeOnly = type !== undefined || namesTypesOnly(names);
      return { from: file, specifier, target, typeOnly, isLazy: call !== undefined };
    },
  );
}

function namesTypesOnly(names: string): boolean {
  const inBraces = /^\s*\{([^}]*)\}\s*$/.exec(names)?.[1];
  const each = inBraces?.split(',').filter((name) => name.trim() !== '') ?? [];
  return each.length > 0 && each.every((name) => /^\s*type\s/.test(name));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

function judgeName(file: string): string[] {
  const isDrawer = /(^|[/.-])(utils?|helpers?|misc|common)([/.-]|$)/i.test(file);
  return isDrawer ? [`${file}: a drawer for everything; name it after what it does`] : [];
}

function judgeImport(found: Import): string[] {
  const { from, specifier, target, typeOnly, isLazy } = found;
  if (target === null) {
    return placeRules
      .filter(({ packages, only }) => packages?.test(specifier) && isOutOfPlace(from, only))
      .map(({ why }) => `${from} imports "${specifier}": ${why}`);
  }
  if (isOfService(from) && !isOfService(target))
    return [`${from} imports "${target}": the service stands by itself`];
  const rule = folderRules.find(({ files }) => files.test(from));
  if (rule === undefined) return [`${from}: no rule says what this file may import; add one`];
  if (isSameFolder(from, target)) return [];
  const access = rule.may.filter(({ to }) => to.test(target));
  if (access.some((one) => (!one.typeOnly || typeOnly) && (!one.lazyOnly || isLazy))) return [];
  const isTooEarly = access.some(({ lazyOnly }) => lazyOnly);
  const how = isTooEarly ? ' before it is needed' : access.length > 0 ? ' for more than its types' : '';
  return [`${from} imports ${target}${how}: ${rule.why}`];
}

/** The frontend runs elsewhere: the places are those of the service. */
function isOutOfPlace(file: string, only: RegExp): boolean {
  return isOfService(file) && !only.test(file);
}

function isOfService(file: string): boolean {
  return file.startsWith('src/');
}

function isSameFolder(from: string, target: string): boolean {
  const folder = /^(src\/[^/]+|packages\/[^/]+|web|bench\/[^/]+)\//.exec(from)?.[0];
  return folder !== undefined && target.startsWith(folder);
}

function judgeText(file: string, text: string): string[] {
  const code = withoutComments(text);
  return placeRules
    .filter((rule) => rule.text?.test(code) && isOutOfPlace(file, rule.only))
    .map((rule) => `${file} contains "${rule.text?.exec(code)?.[0].trim()}": ${rule.why}`);
}

/** What stands in base although one folder alone uses it: it belongs there. The composition roots are no folder. */
export function ownedBaseFiles(sources: ReadonlyMap<string, string>): readonly string[] {
  const imports = [...sources].flatMap(([file, text]) => importsOf(file, text));
  const folderOf = (file: string) => /^(?:src\/(?!compose\/)|packages\/)[^/]+\//.exec(file)?.[0];
  return [...sources.keys()].filter((file) => {
    const users = imports.filter(({ target }) => target === file).map(({ from }) => folderOf(from));
    const folders = new Set(users.filter((folder) => folder !== undefined));
    return folderOf(file) === 'src/base/' && folders.size === 1 && !folders.has('src/base/');
  });
}

/** Every cycle once, as the files it goes through. */
function cyclesOf(imports: readonly Import[]): string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const finished = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file]);
      return;
    }
    if (finished.has(file)) return;
    for (const { target } of targets.get(file) ?? []) if (target !== null) visit(target, [...path, file]);
    finished.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}
