import { escapeUnseen, unseen } from '../../base/unicode.ts';

/** Text of declarations as TypeScript source: it cannot end the string or comment around it. */

export function literal(value: unknown): string {
  return escapeUnseen(JSON.stringify(value));
}

export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** One line of a comment, with tags such as @deprecated escaped. */
export function plain(text: string): string {
  const line = text.replaceAll(unseen, ' ').replaceAll(/\s+/g, ' ').trim();
  return line.replaceAll('*/', '*\\/').replace(/^@/, '\\@');
}

export function sentence(text: string): string {
  const line = plain(text);
  return line === '' || /[.!?:]$/.test(line) ? line : `${line}.`;
}

/** A comment of these lines and a line end after it; empty if all lines are empty. */
export function comment(lines: readonly string[]): string {
  const [only, ...more] = lines.filter((line) => line !== '');
  if (only === undefined) return '';
  if (more.length === 0) return `/** ${only} */\n`;
  return `/**\n${[only, ...more].map((line) => ` * ${line}\n`).join('')} */\n`;
}

export function union(members: readonly string[]): string {
  return [...new Set(members)].join(' | ');
}

/** An object type or the body of an interface. Texts contain no line end, so indenting is safe. */
export function block(members: readonly string[]): string {
  const lines = members.map((member) => `\n${member}`.replaceAll('\n', '\n  '));
  return `{${lines.join('')}\n}`;
}
