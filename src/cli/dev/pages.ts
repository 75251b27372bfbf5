import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { devPassword } from './accounts.ts';
import type { KoaContext } from './control.ts';

type Reply = Pick<KoaContext, 'type' | 'body' | 'set'>;

/** Plain CSS beside the pages: no build. */
const style = readFileSync(new URL('../../../web/provider/style.css', import.meta.url), 'utf8');

/**
 * Sends a page that may load only its own style and submit forms only to this provider. A browser checks the redirects after
 * a form against the same list, so their target (`returnTo`) is on it, too.
 */
export function sendPage(reply: Reply, page: Html, returnTo?: unknown): void {
  const client = typeof returnTo === 'string' ? (URL.parse(returnTo)?.origin ?? '') : '';
  reply.type = 'html';
  reply.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      "img-src 'self' data:",
      `form-action 'self' ${client}`.trim(),
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
  reply.body = page.markup;
}

export function loginPage(
  userName: string,
  problem: string | null,
  suggested: readonly (readonly [user: string, name: string])[],
): Html {
  const bad = problem === null ? null : html`<p class="bad" id="problem" role="alert">${problem}</p>`;
  const described = problem === null ? 'hint' : 'problem hint';
  return page(
    'Sign in',
    html`<p class="soft" id="hint">This provider is for development. Any user name works, and the password is the
word <strong>${devPassword}</strong>.</p>
${bad}
<form method="post">
<label for="user">User name</label>
<input id="user" name="user" value="${userName}" required maxlength="64" autocomplete="username"
  autocapitalize="none" spellcheck="false" aria-describedby="${described}" autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" required autocomplete="current-password"
  aria-describedby="${described}">
<button type="submit">Sign in</button>
</form>
<h2>Or sign in as</h2>
${suggested.map(([user, name]) => personForm(user, name))}`,
  );
}

/** Users who can sign in with one click. */
function personForm(user: string, name: string): Html {
  return html`<form method="post" class="person">
<input type="hidden" name="user" value="${user}">
<input type="hidden" name="password" value="${devPassword}">
<button type="submit"><img src="/pictures/${encodeURIComponent(user)}" alt="" width="32" height="32">${name}</button>
</form>
`;
}

/** `form` is HTML of the provider, already escaped, and contains its CSRF token. */
export function logoutPage(form: string): Html {
  return page(
    'Sign out?',
    html`<p class="soft">This ends your session at the provider for development.</p>
${{ markup: form }}
<button type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>`,
  );
}

export function messagePage(title: string, message: string): Html {
  return page(title, html`<p class="soft">${message}</p>`);
}

/** Why a frontend cannot redirect to the requested address, and what to do. Shows only the origin of the address. */
export function unknownHome(redirectUri: unknown): string {
  const { origin = 'null' } = (typeof redirectUri === 'string' && URL.parse(redirectUri)) || {};
  const found = origin === 'null' ? 'Its address' : `Its address, at ${origin},`;
  return `This provider does not redirect to the frontend that sent you here. ${found} must be / or /callback of an origin in \
CORS_ORIGINS. Add the origin to that setting and start "npx vestibule dev" again, or open the frontend at an origin \
that is listed there (invalid_redirect_uri).`;
}

function page(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${{ markup: style }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}

interface Html {
  readonly markup: string;
}

type Part = Html | string | number | null | readonly Html[];

/** Escapes every part that is not markup already. */
function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: String.raw({ raw: texts }, ...parts.map(toMarkup)) };
}

function toMarkup(part: Part): string {
  if (part === null) return '';
  if (typeof part !== 'object')
    return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? '');
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
