import {
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { counted } from '../counted.ts';
import { membersOf } from '../strict-json.ts';
import { escapeUnseen } from '../unicode.ts';
import { brief, nameOf, nearest, type Report } from './mistakes.ts';

/** Deeper than the deepest allowed schema. */
const maxLevels = 48;
const maxSyntaxErrors = 5;

const hints: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'it is indented with a tab. Indent with spaces.',
  RESOURCE_EXHAUSTION: `it is nested deeper than ${maxLevels} levels. Make it flatter.`,
  MULTIPLE_DOCS: 'there is a second document after "---". Write one document in one file.',
};

/** The parser has a limit of its own for depth, and on a small stack ends before it. */
function hintFor(code: string, message: string): string | undefined {
  return hints[message.includes('call stack') ? 'RESOURCE_EXHAUSTION' : code];
}

/** Plain YAML only: no anchors, aliases, tags and directives, and every key is a text that occurs once. */
export function readYaml(text: string) {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter,
    schema: 'core',
    merge: false,
    // `mistakenKeys` finds them in linear time.
    uniqueKeys: false,
    prettyErrors: false,
  });
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  const lineOfNode = (node: unknown) => lineAt((node as { range?: [number] | null } | null)?.range?.[0] ?? 0);
  if (document.errors.length > 0) {
    const errors = document.errors.slice(0, maxSyntaxErrors).map(({ code, message, pos }) => ({
      line: lineAt(pos[0]),
      sentence: `This is not valid YAML: ${hintFor(code, message) ?? `${message}.`}`,
    }));
    const first = Map.groupBy(errors, ({ line }) => line).values();
    return { data: null, mistakes: [...first].flatMap(([one]) => one ?? []), lineOf: () => 1 };
  }

  const mistakes: { readonly line: number; readonly sentence: string }[] = [];
  const say = (node: unknown, sentence: string | null) => {
    if (sentence !== null) mistakes.push({ line: lineOfNode(node), sentence });
    return sentence === null ? undefined : visit.SKIP;
  };
  if (document.directives.yaml.explicit === true)
    say(null, 'A "%YAML" directive is not supported. Leave it out.');
  visit(document, (key, node, path) => {
    if (key === 'key') return visit.SKIP;
    if (isMap(node)) for (const [at, sentence] of mistakenKeys(node)) say(at, sentence);
    return isPair(node) ? undefined : say(node, mistakeIn(node, path.filter(isCollection).length));
  });

  /** Cached: there can be as many mistakes in a mapping as it has members. */
  const members = new Map<YAMLMap, ReadonlyMap<unknown, Pair>>();
  const memberOf = (mapping: YAMLMap, name: string) => {
    const known = members.get(mapping) ?? new Map(mapping.items.map((pair) => [nameIn(pair), pair]));
    members.set(mapping, known);
    return known.get(name) ?? known.get(nearest(name, [...known.keys()].map(String)));
  };

  /** The line of the value at a JSON pointer, or of the value around it. A member may be misspelt. */
  const lineOf = (pointer: string): number => {
    let node: unknown = document.contents;
    let line = lineOfNode(node);
    for (const member of membersOf(pointer)) {
      const pair = isMap(node) ? memberOf(node, member) : null;
      const place = isSeq(node) ? node.items[Number(member)] : pair?.key;
      if (place === undefined) break;
      line = lineOfNode(place);
      node = pair ? pair.value : place;
    }
    return line;
  };
  return { data: mistakes.length === 0 ? document.toJS() : null, mistakes, lineOf };
}

function nameIn({ key }: Pair): unknown {
  return isScalar(key) ? key.value : null;
}

function mistakeIn(node: unknown, level: number): string | null {
  const { anchor, tag } = (node ?? {}) as { readonly anchor?: string; readonly tag?: string };
  if (level > maxLevels) return `This is nested deeper than ${maxLevels} levels. Make it flatter.`;
  if (isAlias(node) || anchor !== undefined)
    return 'Anchors ("&") and aliases ("*") are not supported. Write the value out, or use $defs.';
  if (tag !== undefined) return `The tag "${brief(tag)}" is not supported. Write a plain value.`;
  const value = isScalar(node) ? node.value : null;
  if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0')))
    return 'A text has a character that cannot be stored (NUL or half of a surrogate pair). Remove it.';
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value === 'number' && !(Number.isFinite(value) && isExact))
    return 'A number must be finite, and a whole number below 2^53.';
  return null;
}

function* mistakenKeys({ items }: YAMLMap): Generator<readonly [key: unknown, sentence: string]> {
  const names = new Set<string>();
  for (const pair of items) {
    const { key } = pair;
    const name = nameIn(pair);
    if (typeof name !== 'string') yield [key, 'A key must be a text. Put it in quotes.'];
    else if (name in Object.prototype) yield [key, `"${name}" is a reserved name. Choose another.`];
    else if (names.has(name)) yield [key, `"${brief(name)}" is there twice. Keep one of the two.`];
    else names.add(name);
  }
}

export interface LineMistake {
  readonly line: number;
  readonly sentence: string;
}

const maxShown = 20;

/** A YAML text as data, with its mistakes. Readers report theirs with `say` and a JSON pointer. */
export function readWithMistakes(text: string, placeOf: (pointer: string) => string = nameOf) {
  const yaml = readYaml(text);
  const mistakes: LineMistake[] = [...yaml.mistakes];
  const wrong = new Set<string>();
  const isBelow = (pointer: string, other: string) => other !== '' && `${pointer}/`.startsWith(`${other}/`);
  const isRight: Report['isRight'] = (...pointers) =>
    ![...wrong].some((at) => pointers.some((pointer) => isBelow(at, pointer) || isBelow(pointer, at)));
  const report = (pointer: string, predicate: string) => {
    wrong.add(pointer);
    const sentence = `${placeOf(pointer)} ${predicate}`;
    mistakes.push({
      line: yaml.lineOf(pointer),
      sentence: /[.?]$/.test(sentence) ? sentence : `${sentence}.`,
    });
  };
  return {
    data: yaml.data,
    say: Object.assign(report, { isRight }) as Report,
    /** The first mistakes by line, and the number of further ones. */
    mistakes(): readonly LineMistake[] {
      const all = mistakes
        .toSorted((one, other) => one.line - other.line)
        .map(({ line, sentence }) => ({ line, sentence: escapeUnseen(sentence) }));
      const next = all[maxShown];
      if (next === undefined) return all;
      const sentence = `${counted(all.length - maxShown, 'more mistake')}, not shown.`;
      return [...all.slice(0, maxShown), { line: next.line, sentence }];
    },
  };
}
