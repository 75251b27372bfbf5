import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument } from 'yaml';
import { parentOf, pointerTo } from './json-pointer.ts';
import { brief } from './mistakes.ts';

/** What a YAML text says as plain data, and on which line it says it. */
export interface YamlText {
  /** Only whole when there are no mistakes. */
  readonly data: unknown;
  readonly mistakes: readonly { readonly line: number; readonly sentence: string }[];
  /** Where the value at a JSON pointer stands; where its surroundings do when there is none. */
  lineOf(pointer: string): number;
}

/** Deeper than the deepest schema that is allowed, and far from what a stack can take. */
const mostLevels = 48;
/** What follows the first few mistakes of a text is mostly their consequence. */
const mostSyntaxErrors = 5;

const hints: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'it is indented with a tab. Indent with spaces.',
  RESOURCE_EXHAUSTION: `it is nested deeper than ${mostLevels} levels. Make it flatter.`,
  MULTIPLE_DOCS: 'there is a second document after "---". Write one collection in one file.',
};

/** Plain YAML only: no anchors and aliases, no tags, no directives, and every key is a text that occurs once. */
export function readYaml(text: string): YamlText {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter,
    schema: 'core',
    merge: false,
    // Looked for on the way through the data, where it does not take the square of their number.
    uniqueKeys: false,
    prettyErrors: false,
  });
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  const syntaxErrors = document.errors.slice(0, mostSyntaxErrors).map(({ code, message, pos }) => ({
    line: lineAt(pos[0]),
    sentence: `This is not YAML that can be read: ${hints[code] ?? `${message}.`}`,
  }));
  if (syntaxErrors.length > 0) {
    const first = Map.groupBy(syntaxErrors, ({ line }) => line).values();
    return { data: null, mistakes: [...first].flatMap(([one]) => one ?? []), lineOf: () => 1 };
  }
  return new DataReader(lineAt).read(document);
}

class DataReader {
  readonly #lineAt: (offset: number) => number;
  readonly #lines = new Map<string, number>();
  readonly #mistakes: { line: number; sentence: string }[] = [];

  constructor(lineAt: (offset: number) => number) {
    this.#lineAt = lineAt;
  }

  read(document: Document.Parsed): YamlText {
    if (document.directives.yaml.explicit === true)
      this.#say(1, 'A "%YAML" directive is not taken. Leave it out.');
    const data = this.#value(document.contents, '', 0, 1);
    const lineOf = (pointer: string): number =>
      this.#lines.get(pointer) ?? (pointer === '' ? 1 : lineOf(parentOf(pointer)));
    return { data, mistakes: this.#mistakes, lineOf };
  }

  #value(node: unknown, pointer: string, level: number, lineBefore: number): unknown {
    const { range, anchor, tag } = (node ?? {}) as { range?: [number]; anchor?: string; tag?: string };
    const line = range === undefined ? lineBefore : this.#lineAt(range[0]);
    if (!this.#lines.has(pointer)) this.#lines.set(pointer, line);
    if (level > mostLevels)
      return this.#say(line, `This is nested deeper than ${mostLevels} levels. Make it flatter.`);
    if (isAlias(node) || anchor !== undefined) {
      return this.#say(
        line,
        'Anchors ("&") and aliases ("*") are not taken. Write the value out, or use $defs.',
      );
    }
    if (tag !== undefined)
      return this.#say(line, `The tag "${brief(tag)}" is not taken. Write a plain value.`);
    if (isMap(node)) return this.#object(node.items, pointer, level, line);
    if (isSeq(node)) {
      return node.items.map((item, index) => this.#value(item, pointerTo(pointer, index), level + 1, line));
    }
    return this.#scalar(isScalar(node) ? node.value : null, line);
  }

  #object(
    pairs: readonly Pair[],
    pointer: string,
    level: number,
    lineBefore: number,
  ): Record<string, unknown> {
    const data: Record<string, unknown> = {};
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? key.value : null;
      const line = isScalar(key) && key.range ? this.#lineAt(key.range[0]) : lineBefore;
      if (typeof name !== 'string') this.#say(line, 'A key must be a text. Put it in quotes.');
      else if (name in Object.prototype)
        this.#say(line, `"${name}" is a name that every object has. Choose another.`);
      else if (Object.hasOwn(data, name))
        this.#say(line, `"${brief(name)}" is there twice. Keep one of the two.`);
      else {
        const at = pointerTo(pointer, name);
        this.#lines.set(at, line);
        data[name] = this.#value(value, at, level + 1, line);
      }
    }
    return data;
  }

  #scalar(value: unknown, line: number): unknown {
    if (typeof value === 'string') {
      if (value.isWellFormed() && !value.includes('\0')) return value;
      return this.#say(
        line,
        'A text has a character that cannot be kept (NUL or half of a pair). Take it out.',
      );
    }
    if (typeof value === 'number') {
      const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
      return isExact ? value : this.#say(line, 'A number must be finite, and a whole one below 2^53.');
    }
    return value;
  }

  #say(line: number, sentence: string): null {
    this.#mistakes.push({ line, sentence });
    return null;
  }
}
