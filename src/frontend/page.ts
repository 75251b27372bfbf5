import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { contentPolicy } from '../base/content-policy.ts';
import { OperatorError } from '../base/errors.ts';
import { type Answer, answer, json, type PublicHandler } from '../base/handler.ts';

/** The output of `npm run build` in web/. */
export interface BuiltFiles {
  readonly page: string;
  readonly assets: readonly Asset[];
}

export interface Asset {
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
  /** Under the same name, so that browsers may not cache it. */
  readonly mayChange?: true;
}

const folders = {
  frontend: new URL('../../web/dist/', import.meta.url),
  console: new URL('../../web/dist/console/', import.meta.url),
};
const pageName = 'index.html';

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Read once, so that a new build under a running service cannot mix two versions. */
export function readBuiltFiles(): BuiltFiles {
  const files = findBuiltFiles('frontend');
  if (files !== null) return files;
  throw new OperatorError(
    'The reference frontend (WEB) is not built. Build it with: npm ci && npm run build. Or set WEB=off: "npx vestibule serve" does not need it.',
  );
}

/** Null if they are not built. */
export function findBuiltFiles(of: keyof typeof folders): BuiltFiles | null {
  const read = (name: string) => readFileSync(new URL(name, folders[of]), 'utf8');
  try {
    const assets = readdirSync(folders[of]).flatMap((name) => {
      const contentType = contentTypes[extname(name)];
      return contentType === undefined ? [] : [{ name, contentType, text: read(name) }];
    });
    return { page: read(pageName), assets };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The configuration that the frontend needs before sign-in. Nothing in it is secret. */
export interface FrontendSettings {
  readonly providers: readonly FrontendProvider[];
  readonly dpop: boolean;
  readonly api: string;
  readonly brand: Readonly<Partial<Record<'title' | 'logo' | 'imprint' | 'privacy', string>>>;
  /** Only under `vestibule dev`. */
  readonly dev?: true;
}

type FrontendProvider = Readonly<Record<'name' | 'title' | 'issuer' | 'client_id' | 'audience', string>> & {
  readonly scopes: readonly string[];
};

/** The name of a built file changes with its content, so browsers may cache it for ever. */
const forGood = 'public, max-age=31536000, immutable';

/** GET / */
export function page(html: string): PublicHandler {
  return always(answer('text/html; charset=utf-8', html));
}

/** GET /web/<name> */
export function asset({ contentType, text, mayChange }: Asset): PublicHandler {
  return always(answer(contentType, text, mayChange ? {} : { cacheControl: forGood }));
}

/** GET /web/config.json */
export function frontendConfig(settings: FrontendSettings): PublicHandler {
  return always(json(settings));
}

function always(ready: Answer): PublicHandler {
  return () => ready;
}

/** Origins of profile pictures besides the providers: Auth0, Google, GitHub and Gravatar. */
const pictureOrigins = [
  'https://cdn.auth0.com',
  'https://s.gravatar.com',
  'https://lh3.googleusercontent.com',
  'https://avatars.githubusercontent.com',
];

/** The page may call this service and the providers, and load profile pictures. */
export function frontendContentPolicy(providers: readonly string[]): string {
  return contentPolicy(
    `connect-src ${["'self'", ...new Set(providers)].join(' ')}`,
    `img-src ${["'self'", ...new Set([...providers, ...pictureOrigins])].join(' ')}`,
  );
}
