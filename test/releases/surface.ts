import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue } from '../../src/base/errors.ts';
import { readCollections } from '../../src/collections/read-collections.ts';
import { environmentName, settings } from '../../src/config/settings.ts';
import { type ServiceParts, serviceRoutes } from '../../src/http/routes.ts';
import { schemaText } from '../../src/operate/declarations.ts';
import { declarationFiles } from './stage.ts';

/** The names that a release promises to keep (docs/compatibility.md), by kind. */
export type Surface = Readonly<Record<SurfaceKind, readonly string[]>>;
export const surfaceKinds = ['settings', 'errors', 'routes', 'declarations', 'exports'] as const;
type SurfaceKind = (typeof surfaceKinds)[number];

export function surface(): Surface {
  const errors = Object.entries(catalogue).map(([code, { status }]) => `${code} ${status}`);
  return {
    settings: Object.keys(settings).map(environmentName).sort(),
    errors: errors.sort(),
    routes: routes(),
    declarations: [...new Set(keysOf(JSON.parse(schemaText())))].sort(),
    exports: ['client', 'verify'].flatMap(exportsOf).sort(),
  };
}

/** No handler is called, so they get no parts to work with. */
function routes(): readonly string[] {
  const collections = readCollections(declarationFiles('test/releases/collections'));
  const protectedResource = { resource: '', issuers: [], scopes: [], dpop: null };
  const parts = { protectedResource, collections, records: {}, consumer: {}, signOut: {} };
  const names = new Set(collections.map(({ name }) => name));
  const actions = new Set(collections.flatMap(({ machine }) => machine?.actions ?? []));
  const general = (part: string) => (names.has(part) ? ':collection' : actions.has(part) ? ':action' : part);
  const all = serviceRoutes(parts as unknown as ServiceParts).map(
    ({ method, path }) => `${method} ${path.split('/').map(general).join('/')}`,
  );
  return [...new Set(all)].sort();
}

/** The keys in a JSON Schema and below them: `limits/per_user`. Keys that users choose are `*`. */
function keysOf(form: unknown, path = ''): readonly string[] {
  if (Array.isArray(form)) return form.flatMap((part) => keysOf(part, path));
  if (!(form instanceof Object)) return [];
  return Object.entries(form).flatMap(([keyword, value]) => {
    if (keyword === 'properties')
      return Object.entries(value).flatMap(([key, part]) => [
        `${path}${key}`,
        ...keysOf(part, `${path}${key}/`),
      ]);
    if (keyword === 'additionalProperties' || keyword === 'patternProperties')
      return keysOf(value, `${path}*/`);
    return keysOf(value, path);
  });
}

/** `@vestibule/client: createClient`; types, too. */
function exportsOf(name: string): readonly string[] {
  const folder = `packages/${name}`;
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const entries = Object.entries(manifest.exports as Readonly<Record<string, { readonly default: string }>>);
  return entries.flatMap(([entry, { default: built }]) => {
    const file = `${folder}/src/${built.replace(/^.*\//, '').replace(/js$/, 'ts')}`;
    return namesIn(file).map((one) => `${join(manifest.name, entry)}: ${one}`);
  });
}

function namesIn(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').map((one) =>
      String(
        one
          .trim()
          .replace(/^type /, '')
          .split(' as ')
          .at(-1),
      ),
    ),
  );
  const declared = [...text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)];
  const others = [...text.matchAll(/^export (?:type )?\* from '([^']+)'/gm)];
  return [
    ...listed.filter((one) => one !== ''),
    ...declared.map(([, one = '']) => one),
    ...others.flatMap(([, path = '']) => namesIn(join(dirname(file), path))),
  ];
}
