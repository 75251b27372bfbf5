/**
 * JSON values as text: valid ones and invalid ones (RFC 8259), and those that the standard leaves to the parser.
 * Half of them are generated from parts.
 */
export type JsonText = string | Buffer;

const wholeNumbers = ['0', '-0', '7', '-12', '1234567890'];
const tails = ['', '.5', '.05', 'e3', 'E3', 'e+3', 'e-3', '.5e-3'];
const escapes = [
  '\\"',
  '\\\\',
  '\\/',
  '\\b',
  '\\f',
  '\\n',
  '\\r',
  '\\t',
  '\\u0041',
  '\\u00e9',
  '\\ud83d\\ude00',
];
const blanks = [' ', '\t', '\n', '\r', ' \t\r\n '];

export const validValues: readonly JsonText[] = [
  ...['null', 'true', 'false', '""', '[]', '{}', '"é"', '"\u2028"', '"\u007f"', '"\u{10ffff}"'],
  ...wholeNumbers.flatMap((whole) => tails.map((tail) => `${whole}${tail}`)),
  ...escapes.map((sequence) => `"x${sequence}y"`),
  ...blanks.map((blank) => `[${blank}1${blank},${blank}{${blank}"a"${blank}:${blank}null${blank}}${blank}]`),
  ...[1, 10, 500].map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  ...[1, 10, 500].map((depth) => `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`),
  '{"":0}',
  '{"__proto__":{"client_id":"x"},"constructor":{"prototype":null}}',
];

export const invalidValues: readonly JsonText[] = [
  ...['', 'nul', 'NULL', 'True', 'undefined', 'NaN', 'Infinity', '-Infinity', 'nulll', 'a', "'a'", '`a`'],
  ...['01', '-01', '+1', '-', '.5', '5.', '1.e3', '1e', '1e+', '0x1F', '1_000', '1 2', '--1', '1,5', '1f'],
  ...['"', '"a', 'a"', '"\\"', '"\\x41"', '"\\u12"', '"\\u12G4"', '"\\a"', '"a\nb"', '"a\tb"', '"\u0000"'],
  ...['[', ']', '[1', '[1,', '[1,]', '[,1]', '[1,,2]', '[1 2]', '[1}', '[1]]', '["a":1]', '[,]'],
  ...['{', '{]', '{"a"}', '{"a":}', '{"a":1,}', '{,}', '{a:1}', "{'a':1}", '{"a" 1}', '{"a"::1}', '{1:1}'],
  ...['1 // note', '/* note */ 1', '1 # note', '{"a":1 /* note */}', '<!-- note -->', '1;', '1\u0000'],
  ...['\u00a01', '\u20281', '\u30001', '\v1', '\f1'].map((text) => `[${text}]`),
  ...[1, 10, 5000].map((depth) => '['.repeat(depth)),
  Buffer.from([0xff]),
  Buffer.from([0x22, 0x61, 0x22, 0xc3]),
];

export const undecidedValues: readonly JsonText[] = [
  ...['1e999', '-1e999', '1e-999', '123456789012345678901234567890', '0.1000000000000000055511151231257827'],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\ud800x"', '{"\\udead":1}', '"\\u0000"', '"\\uffff"'],
  ...['{"a":1,"a":2}', '{"a":1,"a":{"a":1}}', '{"a":1,"\\u0061":2}'],
  ...[1000, 5000, 20_000].map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  ...[1000, 5000].map((depth) => `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`),
  // Invalid UTF-8 inside a string: truncated, overlong, a surrogate, past the last code point, Latin-1.
  ...[[0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0xbf, 0xbf, 0xbf], [0xe9], [0xfe], [0x80]].map(
    (bytes) => Buffer.from([0x22, ...bytes, 0x22]),
  ),
];

/** Bytes around a whole document instead of inside it. */
export const undecidedDocuments = {
  'a byte order mark': (text: string) => `\ufeff${text}`,
  'UTF-16, little end first': (text: string) => Buffer.from(text, 'utf16le'),
  'UTF-16 with a byte order mark': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
} as const;
