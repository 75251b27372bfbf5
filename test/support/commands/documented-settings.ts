import { readFileSync } from 'node:fs';
import type { Settings } from '../services/service.ts';

/** What a page of docs/ says under one of its headings. */
export function sectionOf(page: string, heading: string): string {
  const text = readFileSync(page, 'utf8');
  const section = text.split(/^(?=##+ )/m).find((part) => part.startsWith(`## ${heading}\n`));
  if (section === undefined) throw new Error(`${page} has no section "${heading}"`);
  return section;
}

/** The settings that a section shows, a NAME=value on each line of its first block of them. */
export function settingsIn(section: string): Settings {
  const block = /^```sh\n((?:[A-Z_]+=.*\n)+)```$/m.exec(section)?.[1];
  if (block === undefined) throw new Error(`There are no settings in: ${section}`);
  return Object.fromEntries(block.trimEnd().split('\n').map(splitSetting));
}

function splitSetting(line: string): [string, string] {
  const sign = line.indexOf('=');
  return [line.slice(0, sign), line.slice(sign + 1)];
}
