import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allTokens, documentWith } from '../../docs/openapi-document.ts';
import type { Collection } from '../../src/collections/collection.ts';
import type { OpenApiDocument } from '../../src/openapi/document.ts';
import type { ApiOperation, Response } from '../../src/openapi/openapi-types.ts';
import { nameTypes, problemsOf, typesDocument } from '../../src/records/types/types-document.ts';
import { follow } from '../support/http/follow.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { declared } from '../support/services/declared.ts';
import { declarations } from './declarations.ts';
import { outputOfTsc } from './programs.ts';

const collections = Object.entries({ ...sampleDeclarations, ...declarations }).map(([name, text]) =>
  declared(text, name),
);

/** Texts in a declaration that try to inject code. */
const hostile = [
  '*/ export type Evil = 1; /*',
  '"; export type Evil = 1; //',
  "'; export type Evil = 1; //",
  `\`$\{evil}\` \\`,
  '\\" | any; //',
  'a\u2028*/\u2029export type Evil = 1;',
  '*\u0085/ \u202e evil \u2066',
  '@ts-expect-error',
  '*'.repeat(200),
  'word '.repeat(60),
  '/** */ // /*',
];

/** The error codes of an operation in the OpenAPI document. */
function codesIn(document: OpenApiDocument, operation: ApiOperation): readonly string[] {
  const codes = Object.values(operation.responses).flatMap((response) => {
    const { content } = ('$ref' in response ? follow(response.$ref, document) : response) as Response;
    const problem = content?.['application/problem+json'] as
      | { schema: { properties: { code: { enum: string[] } } } }
      | undefined;
    return problem?.schema.properties.code.enum ?? [];
  });
  return codes;
}

describe('generated types', () => {
  it('have the error codes of the OpenAPI document for every call', () => {
    const document = documentWith(collections, {
      version: '0',
      baseUrl: 'http://127.0.0.1',
      tokens: allTokens,
    });
    const operationsOf = ({ name, machine }: Collection) => {
      const at = (path: string) => document.paths[`/api/consumer/v1/${name}${path}`];
      const of = (operation: ApiOperation | undefined) => (operation === undefined ? [] : [operation]);
      const one = at('/{id}');
      const people = {
        history: of(at('/{id}/history')?.get),
        members: of(at('/{id}/members')?.get),
        invite: of(at('/{id}/invitations')?.post),
        invitations: of(at('/{id}/invitations')?.get),
        endInvitation: of(at('/{id}/invitations/{invitation}')?.delete),
        changeMember: of(at('/{id}/members/{alias}')?.patch),
        removeMember: of(at('/{id}/members/{alias}')?.delete),
        leave: of(at('/{id}/members/{alias}')?.delete),
      };
      return {
        list: of(at('')?.get),
        count: of(at('/count')?.get),
        get: of(one?.get),
        create: of(at('')?.post),
        update: of(one?.patch),
        replace: of(one?.put),
        remove: of(one?.delete),
        act: (machine?.actions ?? []).flatMap((action) => of(at(`/{id}/${action}`)?.post)),
        ...Object.fromEntries(Object.entries(people).filter(([, found]) => found.length > 0)),
      };
    };
    for (const collection of collections) {
      const problems = problemsOf(collection);
      const operations = operationsOf(collection);
      assert.deepEqual(Object.keys(problems), Object.keys(operations));
      for (const [call, found] of Object.entries(operations)) {
        const codes = problems[call] ?? new Set();
        const all = new Set(found.flatMap((operation) => codesIn(document, operation)));
        assert.deepEqual([...codes.difference(all)], [], `${collection.name} ${call}: not documented`);
        // `default` is shared, so it also has codes that this call cannot get.
        const named = found.map(({ responses: { default: _, ...own }, ...operation }) => ({
          ...operation,
          responses: own,
        }));
        const own = new Set(named.flatMap((operation) => codesIn(document, operation)));
        assert.deepEqual([...own.difference(codes)], [], `${collection.name} ${call}: not in the types`);
        assert.equal(all.size > 0, call !== 'act' || collection.machine !== null);
      }
    }
  });

  it('are deterministic, and change with the declarations', () => {
    const types = typesDocument(collections);
    assert.equal(typesDocument(collections), types);
    assert.notEqual(typesDocument(collections.slice(1)), types);
    assert.doesNotMatch(types, /[ \t]$|\t|\r/m);
  });

  it('compile for every declaration and for none, and hostile texts cannot inject code', () => {
    const texts = hostile.map((text) => JSON.stringify(text));
    const deep = texts.filter((text) => !/\\u0085|\u0085/.test(text));
    const evil = declared(
      `title: ${texts[0]}
description: ${JSON.stringify(hostile.join('\n'))}
schema:
  description: ${texts[2]}
  required: [choice]
  properties:
    choice: { enum: [${texts.join(', ')}], description: ${texts[1]}, title: ${texts[7]} }
    ${hostile.map((text, index) => `f${index}: { type: integer, description: ${JSON.stringify(text)}, deprecated: true }`).join('\n    ')}
    shaped: { type: string, maxLength: 9, pattern: ".*/ export type Evil = 1; /*" }
    inner: { properties: { ${deep
      .filter((text) => text.length < 120 && !text.includes('\u2028'))
      .map((text) => `${text}: { type: integer }`)
      .join(', ')} } }
access: { scopes: { read: "*/evil" } }
`,
    );
    const types = typesDocument([evil]);
    const values = hostile.map(
      (text) => `const value${hostile.indexOf(text)}: Thing['choice'] = ${JSON.stringify(text)};`,
    );
    const output = outputOfTsc({
      'all.d.ts': typesDocument(collections),
      'none.d.ts': typesDocument([]),
      'evil.d.ts': types,
      'values.ts': `import type { Thing } from './evil.d.ts';\n${values.join('\n')}\nexport {};`,
      'escaped.ts': `import type { Evil } from './evil.d.ts';\nexport {};`,
    });
    assert.match(output, /^escaped\.ts\(1,15\): error TS2305: .* has no exported member 'Evil'\.\n$/);
    const code = types.replaceAll(/\/\*\*[\s\S]*?\*\//g, '').replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');
    assert.match(code, /^\/\/ Made by .*\n[\w\s{}:;?|<>()[\]"=]*$/);
    assert.doesNotMatch(code, /Evil/);
    assert.doesNotMatch(types, /[\u0085\u2028\u2029\u202e\u2066]/);
  });

  it('have no roles or input where a collection has none', () => {
    const membersOf = (name: string) => {
      const types = typesDocument(collections.filter((one) => one.name === name));
      return types.match(/^ {4}(?:replace|input|role|invited)(?=:)/gm)?.map((member) => member.trim()) ?? [];
    };
    for (const name of ['notes', 'bookings', 'team-posts']) assert.deepEqual(membersOf(name), [], name);
    assert.deepEqual(membersOf('items'), ['replace', 'input', 'role', 'invited']);
  });

  it('describe in comments what TypeScript cannot express', () => {
    const types = typesDocument(
      collections.filter(({ name }) => ['notes', 'bookings', 'team-posts'].includes(name)),
    );
    for (const line of [
      '/** In the format date-time, such as 2026-01-01T08:00:00Z. */',
      '/** A whole number, 1 to 8. */',
      ' * @deprecated',
    ])
      assert.ok(types.includes(line), line);
  });

  it('have unique names in the singular', () => {
    const reserved = ['Collections', 'Bounds'];
    const names = nameTypes(
      'bookings team-posts boxes categories movies statuses ledger news series address note notes bounds a--b a-b a-1 a1 note-fields'.split(
        ' ',
      ),
      reserved,
    );
    assert.deepEqual(
      names.map(({ record }) => record),
      'Booking TeamPost Box Category Movie Status Ledger News Series Address Note Notes Bound A_B AB A_1 A1 NoteField'.split(
        ' ',
      ),
    );
    const all = [...reserved, ...names.flatMap((each) => Object.values(each))];
    assert.equal(new Set(all).size, all.length);
    assert.equal(nameTypes(['bound', 'collection', 'dates'], ['Bound', 'BoundFields'])[0]?.record, 'Bound_');
  });
});
