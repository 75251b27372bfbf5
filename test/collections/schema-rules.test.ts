import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { looksPersonal } from '../../src/collections/schema-rules.ts';
import { declared, mistakesIn, withProperty } from '../support/services/declared.ts';

/** Invalid properties, each with the parts of its only mistake. */
const wrong = `
a: { type: integer, maximun: 5 } # a.maximun … did you mean "maximum"?
a: { type: integer, default: 5 } # a.default is not supported: the service stores
a: { type: object, patternProperties: { x: { type: integer } } } # a.patternProperties is not supported: list
a: { type: integer, $dynamicRef: "#a" } # a.$dynamicRef is not supported: … Use "$defs" and "$ref"
a: { type: integer, maximum: { $data: "1/plain" } } # a.maximum must be a number; found a mapping
a: { type: integer, $defs: {} } # a.$defs is not supported: definitions stand
a: { type: text } # a.type must be … "string" … ; found "text"
a: { type: [integer, boolean] } # a.type must be one type, or
a: { description: anything } # a must define the value
a: true # properties.a must be a schema, … ; found true
a: { type: array } # a must define the items of the list: add "items"
a: { type: integer, maxLength: 5 } # a.maxLength applies to … "string" only
a: { type: string, maxLength: -1 } # a.maxLength must be at least 0; found -1
a: { type: integer, minimum: 8, maximum: 4 } # a.minimum must not be above "maximum", which is 4; found 8
a: { type: integer, enum: [1, two] } # a.enum has a value that is not of the type "integer"
a: { enum: [] } # a.enum must have at least 1 item
a: { enum: [{ b: 1 }] } # a.enum.0 must be a text, a number, … ; found a mapping
a: { const: [1] } # a.const must be a text, a number, true, false or null; found a list
a: { type: string, const: 5 } # a.const has a value that is not of the type "string"
a: { type: string, format: iri } # a.format must be "date-time", "date", … or "hostname"; found "iri"
a: { type: string } # a is a text without a limit. Give it a "maxLength", or set "x-unbounded: true"
a: { type: array, items: { type: string } } # a.items is a text without a limit
a: { type: [string, "null"] } # a is a text without a limit
email: { type: string, maxLength: 99 } # email looks like personal data. Leave it out, or set "x-personal: true"
a: { properties: { firstName: { type: string, maxLength: 9 } } } # firstName looks like personal data
created_at: { type: integer } # created_at is a member that every record has
"a-b": { type: integer } # a-b must have a name of 1 to 63 letters
a: { properties: { "\\u0007": { type: integer } } } # must have a name of 1 to 128 characters
a: { required: [citty], properties: { city: { type: integer } } } # a.required.0 names "citty" … did you mean "city"?
a: { properties: { b: { type: integer } }, anyOf: [{ required: [c] }] } # a.anyOf.0.required.0 names "c"
a: { properties: { b: { type: integer } }, allOf: [{ properties: { c: { type: integer } } }] } # a.allOf.0.properties.c names "c"
a: { type: string, maxLength: 9, pattern: "(a)\\\\1" } # a.pattern must not have lookaround
a: { type: string, maxLength: 9, pattern: "^(?=a)" } # a.pattern must not have lookaround
a: { type: string, maxLength: 9, pattern: "[" } # a.pattern must be a regular expression
a: { type: string, maxLength: 9, pattern: "^https?://x/(?<a" } # a.pattern must be a regular expression … ; found "^https?://x/(?<a"
a: { type: string, maxLength: 9, pattern: "(?i)a" } # a.pattern must be a regular expression
a: { type: string, maxLength: 9, pattern: "^(?:[a-z]{1,400}){2}$" } # a.pattern is too expensive to check
a: { type: array, uniqueItems: true, items: { type: object } } # a.uniqueItems needs "items" of the type
a: { $ref: "https://example.org/schema" } # a.$ref must lead to "#/$defs/<name>" in this file; found "https:
a: { $ref: "#" } # a.$ref must lead to "#/$defs/<name>"
a: { $ref: "#/$defs/b" } # a.$ref refers to nothing: there is no "b" in $defs
a: { type: integer, then: { maximum: 5 } } # schema cannot be compiled in strict mode: "then" without "if"
`;

describe('an invalid schema is refused with its line:', () => {
  for (const row of wrong.trim().split('\n'))
    it(row, () => {
      const [first = '', ...others] = mistakesIn(withProperty(row));
      assert.deepEqual(others, []);
      assert.match(first, /^[124]: schema/);
      for (const part of row.split(' # ')[1]?.split(' … ') ?? assert.fail())
        assert.ok(first.includes(part), first);
    });

  it('a top-level type other than object', () => {
    const text = 'schema:\n  type: array\n  properties: { a: { type: integer } }';
    assert.match(String(mistakesIn(text)), /^2: schema\.type must be "object"/);
  });

  it('another dialect', () => {
    const text =
      'schema:\n  $schema: http://json-schema.org/draft-07/schema#\n  properties: { a: { type: integer } }';
    assert.match(String(mistakesIn(text)), /^2: schema\.\$schema must be JSON Schema 2020-12/);
  });

  it('a keyword beside $ref', () => {
    const text = `schema:\n  $defs: { b: { type: integer } }\n  properties:\n    a: { $ref: "#/$defs/b", maximum: 5 }`;
    assert.match(String(mistakesIn(text)), /^4: schema\.properties\.a\.maximum cannot stand beside "\$ref"/);
  });

  it('circular definitions', () => {
    for (const definitions of [
      'a: { properties: { next: { $ref: "#/$defs/a" } } }',
      'a: { $ref: "#/$defs/a" }',
      'a: { type: array, items: { $ref: "#/$defs/b" } }\n    b: { anyOf: [{ $ref: "#/$defs/a" }] }',
    ]) {
      const text = `schema:\n  $defs:\n    ${definitions}\n  properties: { a: { $ref: "#/$defs/a" } }`;
      assert.match(String(mistakesIn(text)), /^1: schema has more than .* no "\$ref" lead back to itself/);
    }
  });

  it('more than 16 levels', () => {
    const nested = (levels: number) =>
      `${'{ properties: { a: '.repeat(levels)}{ type: integer }${' } }'.repeat(levels)}`;
    declared(`schema: ${nested(16)}`);
    assert.match(String(mistakesIn(`schema: ${nested(17)}`)), /^1: .* is deeper than 16 levels of schemas/);
  });

  it('definitions that expand exponentially', () => {
    const names = [...'abcdefghijkl'];
    const definitions = names.map((name, index) => {
      const next = `$ref: "#/$defs/${names[index + 1]}"`;
      return names[index + 1] === undefined
        ? `    ${name}: { type: integer }`
        : `    ${name}: { properties: { x: { ${next} }, y: { ${next} }, z: { ${next} } } }`;
    });
    const text = `schema:\n  $defs:\n${definitions.join('\n')}\n  properties: { a: { $ref: "#/$defs/a" } }`;
    assert.match(String(mistakesIn(text)), /^1: schema has more than 2000 parts or 16 levels/);
  });

  it('more than 32 alternatives for one value', () => {
    const anyOf = (count: number, item: (index: number) => string) =>
      `{ anyOf: [${Array.from({ length: count }, (_, index) => item(index)).join(', ')}] }`;
    const constant = (index: number) => `{ const: ${index} }`;
    const list = (count: number) => withProperty(`a: { type: array, items: ${anyOf(count, constant)} }`);
    declared(list(32));
    const refused = /^4: schema\.properties\.a has more than 32 alternatives/;
    assert.match(String(mistakesIn(list(33))), refused);
    const nested = withProperty(`a: ${anyOf(8, () => `{ properties: { b: ${anyOf(4, constant)} } }`)}`);
    assert.match(String(mistakesIn(nested)), refused, 'also those further down');
    const nullable = Array.from(
      { length: 40 },
      (_, index) => `a${index}: { anyOf: [{ type: integer }, { type: "null" }] }`,
    );
    declared(`schema: { properties: { ${nullable.join(', ')} } }`);
  });
});

describe('a schema', () => {
  it('is closed at every depth by default', () => {
    const { schema } = declared(`
schema:
  properties:
    closed: { properties: { below: { type: object, properties: { a: { type: integer } } } } }
    open: { type: object, additionalProperties: true }
    counts: { type: object, additionalProperties: { type: integer } }
    list: { type: array, items: { properties: { a: { type: integer } } } }
    shape:
      oneOf:
        - { properties: { radius: { type: number } }, required: [radius] }
        - { properties: { side: { type: number } }, required: [side] }
    choice:
      properties: { a: { type: integer }, b: { type: integer } }
      oneOf: [{ required: [a] }, { required: [b] }]
      not: { properties: { a: { const: 5 } }, required: [a] }`);
    const a = { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: false };
    const closed = (name: string) => ({
      type: 'object',
      properties: { [name]: { type: 'number' } },
      required: [name],
      additionalProperties: false,
    });
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        closed: { type: 'object', properties: { below: a }, additionalProperties: false },
        open: { type: 'object', additionalProperties: true },
        counts: { type: 'object', additionalProperties: { type: 'integer' } },
        list: { type: 'array', items: a },
        shape: { oneOf: [closed('radius'), closed('side')] },
        choice: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' } },
          oneOf: [{ required: ['a'] }, { required: ['b'] }],
          not: { properties: { a: { const: 5 } }, required: ['a'] },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    });
  });

  it('has its definitions inlined, merged with keywords beside $ref', () => {
    const { schema } = declared(`
schema:
  $schema: https://json-schema.org/draft/2020-12/schema
  $defs:
    short: { type: string, maxLength: 20, description: Anything short. }
    pair: { properties: { one: { $ref: "#/$defs/short" } } }
  properties:
    name: { $ref: "#/$defs/short", x-personal: true, description: A name. }
    pair: { $ref: "#/$defs/pair" }`);
    const short = { type: 'string', maxLength: 20, description: 'Anything short.' };
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        name: { ...short, description: 'A name.', 'x-personal': true },
        pair: { type: 'object', properties: { one: short }, additionalProperties: false },
      },
      additionalProperties: false,
    });
  });

  it('allows personal data, unbounded text and null if declared', () => {
    declared(withProperty('email: { type: string, format: email, x-personal: true }'));
    declared(withProperty('room_name: { type: string, maxLength: 40, x-personal: false }'));
    declared(withProperty('essay: { type: string, x-unbounded: true }'));
    declared(withProperty('maybe: { type: [integer, "null"] }'));
    declared(withProperty('$comment: { type: integer }').replace('$comment', 'comment'));
  });
});

describe('looksPersonal', () => {
  it('recognises personal names by their words', () => {
    const personal =
      'name first_name firstName fullname full_name email e_mail eMail emails user_email phone phoneNumber mobile birthday birth_date dateOfBirth dob address home_address addresses street picture profilePicture avatar photo photos URLName name2';
    for (const name of personal.split(' ')) assert.equal(looksPersonal(name), true, name);
    const harmless =
      'filename rename renamed text nameless slot seats phonetic streetwise pictured mobility adobe rebirth addressed';
    for (const name of harmless.split(' ')) assert.equal(looksPersonal(name), false, name);
  });
});
