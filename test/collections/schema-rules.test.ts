import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { looksPersonal } from '../../src/collections/schema-rules.ts';
import { declared, mistakesIn, withProperty } from './declared.ts';

/** A property that is wrong by itself, and what is to be said of it: on line 4, and nothing else anywhere. */
const wrong: readonly (readonly [what: string, property: string, mistake: RegExp])[] = [
  [
    'a keyword that nobody knows',
    'a: { type: integer, maximun: 5 }',
    /a\.maximun .*did you mean "maximum"\?/,
  ],
  ['a default, which nobody applies', 'a: { type: integer, default: 5 }', /a\.default is not known here/],
  [
    'patternProperties',
    'a: { type: object, patternProperties: { x: { type: integer } } }',
    /a\.patternProperties is not known here/,
  ],
  ['$dynamicRef', 'a: { type: integer, $dynamicRef: "#a" }', /a\.\$dynamicRef is not known here/],
  [
    '$data',
    'a: { type: integer, maximum: { $data: "1/plain" } }',
    /a\.maximum must be a number; found a mapping/,
  ],
  ['$defs below the top', 'a: { type: integer, $defs: {} }', /a\.\$defs is not known here/],
  ['a type that is none', 'a: { type: text }', /a\.type must be .*"string".*; found "text"/],
  ['several types', 'a: { type: [integer, boolean] }', /a\.type must be one type, or/],
  ['nothing said about it', 'a: { description: anything }', /a must say what it is/],
  ['true for a schema', 'a: true', /properties\.a must be a schema, .*; found true/],
  ['a list of who knows what', 'a: { type: array }', /a must say what is in the list: add "items"/],
  [
    'a keyword of another type',
    'a: { type: integer, maxLength: 5 }',
    /a\.maxLength is about .*"string" only/,
  ],
  ['a bound that is none', 'a: { type: string, maxLength: -1 }', /a\.maxLength must be at least 0; found -1/],
  [
    'bounds that nothing fits',
    'a: { type: integer, minimum: 8, maximum: 4 }',
    /a\.minimum must not be above "maximum", which is 4; found 8/,
  ],
  [
    'an enum of another type',
    'a: { type: integer, enum: [1, two] }',
    /a\.enum has a value that is not of the type "integer"/,
  ],
  ['an empty enum', 'a: { enum: [] }', /a\.enum must have at least 1 item/],
  [
    'an object in an enum',
    'a: { enum: [{ b: 1 }] }',
    /a\.enum\.0 must be a text, a number, .*; found a mapping/,
  ],
  [
    'a list for a const',
    'a: { const: [1] }',
    /a\.const must be a text, a number, true, false or null; found a list/,
  ],
  [
    'a const of another type',
    'a: { type: string, const: 5 }',
    /a\.const has a value that is not of the type "string"/,
  ],
  [
    'an unknown format',
    'a: { type: string, format: iri }',
    /a\.format must be "date-time", "date",.* or "hostname"; found "iri"/,
  ],
  [
    'a text of any length',
    'a: { type: string }',
    /a is a text of any length\. Give it a "maxLength", or say "x-unbounded: true"/,
  ],
  [
    'a text of any length in a list',
    'a: { type: array, items: { type: string } }',
    /a\.items is a text of any length/,
  ],
  ['a text of any length or nothing', 'a: { type: [string, "null"] }', /a is a text of any length/],
  [
    'personal data',
    'email: { type: string, maxLength: 99 }',
    /email looks like personal data\. Leave it out, or say "x-personal: true"/,
  ],
  [
    'personal data below',
    'a: { properties: { firstName: { type: string, maxLength: 9 } } }',
    /firstName looks like personal data/,
  ],
  [
    'a name that records have',
    'created_at: { type: integer }',
    /created_at is a member that every record has/,
  ],
  ['a name that is none', '"a-b": { type: integer }', /a-b must have a name of 1 to 63 letters/],
  [
    'a name below that is none',
    'a: { properties: { "\\u0007": { type: integer } } }',
    /must have a name of 1 to 128 characters/,
  ],
  [
    'required members that are not declared',
    'a: { required: [citty], properties: { city: { type: integer } } }',
    /a\.required\.0 names "citty".*did you mean "city"\?/,
  ],
  [
    'a condition on members that are not declared',
    'a: { properties: { b: { type: integer } }, anyOf: [{ required: [c] }] }',
    /a\.anyOf\.0\.required\.0 names "c"/,
  ],
  [
    'members that only a condition declares',
    'a: { properties: { b: { type: integer } }, allOf: [{ properties: { c: { type: integer } } }] }',
    /a\.allOf\.0\.properties\.c names "c"/,
  ],
  [
    'a pattern with backtracking',
    'a: { type: string, maxLength: 9, pattern: "(a)\\\\1" }',
    /a\.pattern must do without lookaround/,
  ],
  [
    'a pattern with lookahead',
    'a: { type: string, maxLength: 9, pattern: "^(?=a)" }',
    /a\.pattern must do without lookaround/,
  ],
  [
    'a pattern that is none',
    'a: { type: string, maxLength: 9, pattern: "[" }',
    /a\.pattern must be a regular expression/,
  ],
  [
    'a pattern that is none and looks like an address, all of which is shown',
    'a: { type: string, maxLength: 9, pattern: "^https?://x/(?<a" }',
    /a\.pattern must be a regular expression .*; found "\^https\?:\/\/x\/\(\?<a"/,
  ],
  [
    'a pattern as another language has it',
    'a: { type: string, maxLength: 9, pattern: "(?i)a" }',
    /a\.pattern must be a regular expression/,
  ],
  [
    'a pattern that costs too much',
    'a: { type: string, maxLength: 9, pattern: "^(?:[a-z]{1,400}){2}$" }',
    /a\.pattern costs too much to check/,
  ],
  [
    'unique objects',
    'a: { type: array, uniqueItems: true, items: { type: object } }',
    /a\.uniqueItems needs "items" of the type/,
  ],
  [
    'a reference to elsewhere',
    'a: { $ref: "https://example.org/schema" }',
    /a\.\$ref must lead to "#\/\$defs\/<name>" in this file; found "https:/,
  ],
  ['a reference to the whole', 'a: { $ref: "#" }', /a\.\$ref must lead to "#\/\$defs\/<name>"/],
  ['a reference to nothing', 'a: { $ref: "#/$defs/b" }', /a\.\$ref leads nowhere: there is no "b" in \$defs/],
  [
    'then without if',
    'a: { type: integer, then: { maximum: 5 } }',
    /schema is not one that can be checked strictly: "then" without "if"/,
  ],
];

describe('a schema is refused, with the line,', () => {
  for (const [what, property, mistake] of wrong) {
    it(`for ${what}`, () => {
      const mistakes = mistakesIn(withProperty(property));
      assert.equal(mistakes.length, 1, mistakes.join('\n'));
      assert.match(String(mistakes[0]), /^[124]: schema/);
      assert.match(String(mistakes[0]), mistake);
    });
  }

  it('for a type that is not that of a record', () => {
    assert.match(
      String(mistakesIn('schema:\n  type: array\n  properties: { a: { type: integer } }')),
      /^2: schema\.type must be "object"/,
    );
  });

  it('for another dialect', () => {
    const text =
      'schema:\n  $schema: http://json-schema.org/draft-07/schema#\n  properties: { a: { type: integer } }';
    assert.match(String(mistakesIn(text)), /^2: schema\.\$schema must be JSON Schema 2020-12/);
  });

  it('for a keyword beside a reference', () => {
    const text = `schema:\n  $defs: { b: { type: integer } }\n  properties:\n    a: { $ref: "#/$defs/b", maximum: 5 }`;
    assert.match(String(mistakesIn(text)), /^4: schema\.properties\.a\.maximum cannot stand beside "\$ref"/);
  });

  it('for definitions that lead back to themselves', () => {
    for (const definitions of [
      'a: { properties: { next: { $ref: "#/$defs/a" } } }',
      'a: { $ref: "#/$defs/a" }',
      'a: { type: array, items: { $ref: "#/$defs/b" } }\n    b: { anyOf: [{ $ref: "#/$defs/a" }] }',
    ]) {
      const text = `schema:\n  $defs:\n    ${definitions}\n  properties: { a: { $ref: "#/$defs/a" } }`;
      assert.match(String(mistakesIn(text)), /^1: schema has more than .* no "\$ref" lead back to itself/);
    }
  });

  it('for more levels than anybody reads', () => {
    const nested = (levels: number) =>
      `${'{ properties: { a: '.repeat(levels)}{ type: integer }${' } }'.repeat(levels)}`;
    declared(`schema: ${nested(16)}`);
    assert.match(String(mistakesIn(`schema: ${nested(17)}`)), /^1: .* is deeper than 16 levels of schemas/);
  });

  it('for definitions that multiply', () => {
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

  it('for more alternatives for one value than can be checked quickly', () => {
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
  it('is closed at every depth unless it says otherwise', () => {
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

  it('has its definitions written out, with what stands beside a reference', () => {
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

  it('may hold what it says it means to', () => {
    declared(withProperty('email: { type: string, format: email, x-personal: true }'));
    declared(withProperty('room_name: { type: string, maxLength: 40, x-personal: false }'));
    declared(withProperty('essay: { type: string, x-unbounded: true }'));
    declared(withProperty('maybe: { type: [integer, "null"] }'));
    declared(withProperty('$comment: { type: integer }').replace('$comment', 'comment'));
  });
});

describe('a name', () => {
  it('looks personal when a word of it does', () => {
    const personal =
      'name first_name firstName fullname full_name email e_mail eMail emails user_email phone phoneNumber mobile birthday birth_date dateOfBirth dob address home_address addresses street picture profilePicture avatar photo photos URLName name2';
    for (const name of personal.split(' ')) assert.equal(looksPersonal(name), true, name);
    const harmless =
      'filename rename renamed text nameless slot seats phonetic streetwise pictured mobility adobe rebirth addressed';
    for (const name of harmless.split(' ')) assert.equal(looksPersonal(name), false, name);
  });
});
