import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { OperatorError } from '../base/errors.ts';

/** The output of `npm run build` in web/. */
export interface BuiltFiles {
  readonly page: string;
  readonly assets: readonly Asset[];
}

export interface Asset {
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
}

const folder = new URL('../../web/dist/', import.meta.url);
const pageName = 'index.html';

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Read once, so that a new build under a running service cannot mix two versions. */
export function readBuiltFiles(): BuiltFiles {
  if (!existsSync(new URL(pageName, folder))) {
    throw new OperatorError(
      'The reference frontend (WEB) is not built. Build it with: npm ci && npm run build; "npx vestibule serve" can do without it (WEB=off).',
    );
  }
  const assets = readdirSync(folder).flatMap((name) => {
    const contentType = contentTypes[extname(name)];
    return contentType === undefined ? [] : [{ name, contentType, text: read(name) }];
  });
  return { page: read(pageName), assets };
}

function read(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}
