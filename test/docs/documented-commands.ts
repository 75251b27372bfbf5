import { globSync, readFileSync } from 'node:fs';

export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'bench/README.md',
  'examples/README.md',
  'packages/client/README.md',
  'packages/verify/README.md',
  'test/README.md',
  'test/conformance.md',
  'test/faults.md',
  ...globSync('docs/**/*.md').sort(),
];

/** The documents whose commands a reader types. */
const guides = pages.filter((page) => page !== 'CHANGELOG.md');

/** Every distinct command of the pages, in reading order: from shell blocks, and `npx vestibule` commands inline. */
export function documentedCommands() {
  const found = guides.flatMap((page) =>
    partsOf(page).flatMap((part) => commandsIn(part).map((text) => ({ page, text }))),
  );
  return [...new Map(found.toReversed().map((command) => [command.text, command])).values()].toReversed();
}

export function documentedSettings() {
  return guides.flatMap((page) =>
    partsOf(page)
      .filter(isSettings)
      .map(({ text }) => ({ page, text })),
  );
}

/** Inline code that begins with `vestibule`, which no shell finds without `npx`. */
export function nakedCommands(): readonly string[] {
  return guides.flatMap((page) =>
    partsOf(page)
      .filter(({ language }) => language === null)
      .flatMap(({ text }) =>
        [...text.matchAll(/`(vestibule [^`]+)`/g)].map(([, code]) => `${page}: ${code}`),
      ),
  );
}

interface Part {
  /** The language of a code block; null for text. */
  readonly language: string | null;
  readonly text: string;
}

function partsOf(page: string): readonly Part[] {
  return readFileSync(page, 'utf8')
    .split(/^(```.*\n[\s\S]*?\n```)$/m)
    .map((part) => {
      const [, language, text] = /^```(.*)\n([\s\S]*)\n```$/.exec(part) ?? [];
      return language === undefined ? { language: null, text: part } : { language, text: text ?? '' };
    });
}

const settingLine = /^[A-Z_]+=\S*$/;

function isSettings({ language, text }: Part): boolean {
  return language === 'sh' && text.split('\n').every((line) => settingLine.test(line));
}

function commandsIn(part: Part): readonly string[] {
  const { language, text } = part;
  if (language === null) {
    const ours = /`((?:npx vestibule|node node_modules\/@vestibule\/server\/bin\/vestibule\.js) [^`]+)`/g;
    return [...text.matchAll(ours)].map(([, code]) => String(code).replaceAll(/\s+/g, ' '));
  }
  if (language === 'console') {
    return [...text.matchAll(/^\$ (.*)$/gm)].map(([, code]) => String(code));
  }
  if (!['sh', 'bash', 'shell'].includes(language) || isSettings(part)) return [];
  return text
    .replaceAll(/\\\n/g, '\\\0')
    .split('\n')
    .map((line) =>
      line
        .replaceAll('\\\0', '\\\n')
        .replace(/\s+# .*$/, '')
        .trim(),
    )
    .filter((line) => line !== '' && !line.startsWith('#'));
}
