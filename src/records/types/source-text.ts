import { escapeUnseen, unseen } from '../../base/unseen.ts';

/** Text of declarations as it stands in TypeScript: nothing in it can end the string or the comment that it stands in. */

const longestLine = 110;

/** A text, number, flag or null of JSON as a type. */
export function literal(value: unknown): string {
  return escapeUnseen(JSON.stringify(value));
}

export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** What a file says, as one line of a comment. A tag, such as @deprecated or @ts-expect-error, is none in it. */
export function plain(text: string): string {
  const line = text.replaceAll(unseen, ' ').replaceAll(/\s+/g, ' ').trim();
  return line.replaceAll('*/', '*\\/').replace(/^@/, '\\@');
}

/** The same as a sentence among others. */
export function sentence(text: string): string {
  const line = plain(text);
  return line === '' || /[.!?:]$/.test(line) ? line : `${line}.`;
}

/** A comment of these lines and a line end after it; nothing when there are none. Lines are broken where they are too long. */
export function comment(lines: readonly string[]): string {
  const broken = lines.filter((line) => line !== '').flatMap(breakLine);
  const [only = '', ...more] = broken;
  if (broken.length === 0) return '';
  return more.length === 0
    ? `/** ${only} */\n`
    : `/**\n${broken.map((line) => ` * ${line}\n`).join('')} */\n`;
}

function breakLine(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    // A word that begins with "@" would be a tag at the beginning of a line.
    if (last === undefined || (last.length + word.length >= longestLine && !word.startsWith('@')))
      lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** The members of a union in one line, or in a line each where that is too long. */
export function union(members: readonly string[]): string {
  const different = [...new Set(members)];
  const line = different.join(' | ');
  if (different.length < 2 || line.length <= longestLine || line.includes('\n')) return line;
  return different.map((member) => `\n  | ${member}`).join('');
}

/** Everything but the first line stands further to the right. No text has a line end in it, so this changes nothing else. */
export function indented(text: string): string {
  return text.replaceAll('\n', '\n  ').replaceAll(/^ +$/gm, '');
}

/** A member of an object type, or the head of a type by itself, and its type. */
export function withType(head: string, type: string): string {
  return `${head}${type.startsWith('\n') ? '' : ' '}${type};`;
}

export function block(members: readonly string[]): string {
  return `{${members.map((member) => indented(`\n${member}`)).join('')}\n}`;
}
