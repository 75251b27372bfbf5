import { createHash } from 'node:crypto';
import { type Html, html } from '../../base/html.ts';
import { devPassword } from './accounts.ts';

/** The part of a Koa context that a page is sent through. */
interface Reply {
  type: string;
  body: unknown;
  set(headers: Record<string, string>): void;
}

const style = `
:root { color-scheme: light dark; --ink: light-dark(#1d1b24, #eceaf2); --soft: light-dark(#5c5868, #aaa6b8);
  --page: light-dark(#f2f1f6, #15141a); --card: light-dark(#fff, #211f28); --line: light-dark(#8b8798, #6b6779);
  --act: light-dark(#4a3aa7, #b4a8ff); --on-act: light-dark(#fff, #17132e); --bad: light-dark(#a3182b, #ff9aa6); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
  font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); overflow-wrap: anywhere; }
main { width: 100%; max-width: 24rem; padding: 2rem 1.75rem; border-radius: 1rem; background: var(--card);
  box-shadow: 0 1px 2px rgb(0 0 0 / .12), 0 8px 30px rgb(0 0 0 / .1); }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
p, ul { margin: 0 0 1.25rem; }
ul { padding-left: 1.25rem; }
.soft { color: var(--soft); }
.bad { color: var(--bad); font-weight: 600; }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
input, button { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border-radius: .5rem; font: inherit; }
input { margin-bottom: 1rem; border: 1px solid var(--line); color: inherit; background: var(--page); }
button { border: 1px solid var(--act); color: var(--on-act); background: var(--act); font-weight: 600; cursor: pointer; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
.person { margin-top: .5rem; }
.person button { display: flex; align-items: center; gap: .75rem; border-color: var(--line); color: var(--ink); background: transparent; text-align: left; }
.person img { border-radius: 50%; }
button + button { margin-top: .75rem; color: var(--act); background: transparent; }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
`;

/**
 * Sends a page that may load nothing but its own style and send forms only to this provider. A browser holds
 * the redirects that answer a form against the same list, so the place they end at (`returnTo`) is on it too.
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
<h2>Or come in as</h2>
${suggested.map(([user, name]) => personForm(user, name))}`,
  );
}

/** To come in as with one click. */
function personForm(user: string, name: string): Html {
  return html`<form method="post" class="person">
<input type="hidden" name="user" value="${user}">
<input type="hidden" name="password" value="${devPassword}">
<button type="submit"><img src="/pictures/${encodeURIComponent(user)}" alt="" width="32" height="32">${name}</button>
</form>
`;
}

const meanings = new Map([
  ['openid', 'know which account is yours'],
  ['profile', 'see your name and your picture'],
  ['email', 'see your e-mail address'],
  ['offline_access', 'stay signed in while you are away'],
  ['consumer', 'use the API in your name'],
]);

/** A person knows an application by the address that they came from, and not by its client id. */
export function consentPage(application: string, person: string, scopes: readonly string[]): Html {
  const wishes = scopes.map((scope) => html`<li>${meanings.get(scope) ?? scope}</li>`);
  return page(
    'Allow this application?',
    html`<p class="soft">You are signed in as <strong>${person}</strong>. The application at
<strong>${application}</strong> asks to:</p>
<ul>${wishes}</ul>
<form method="post">
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</form>`,
  );
}

/** `form` is the provider's own, already escaped, and holds what guards it against forgery. */
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

/** Why a frontend cannot come back to the address it asks for, and what to do. Of the address only the origin is shown. */
export function unknownHome(redirectUri: unknown): string {
  const { origin = 'null' } = (typeof redirectUri === 'string' && URL.parse(redirectUri)) || {};
  const found = origin === 'null' ? 'Its address' : `Its address, at ${origin},`;
  return `This provider does not lead back to the frontend that has sent you here. ${found} has to be / or /callback of an origin in \
CORS_ORIGINS. Add the origin to that setting and start "npx vestibule dev" again, or open the frontend at one that is \
there already (invalid_redirect_uri).`;
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
