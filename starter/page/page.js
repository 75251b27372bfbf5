import { api } from './addresses.js';
import { accessToken, resume, signIn, signOut } from './sign-in.js';

/** @param {string} id */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const form = /** @type {HTMLFormElement} */ (part('new-note'));

part('sign-in').addEventListener('click', () => attempt(signIn));
part('sign-out').addEventListener('click', () => attempt(signOut));
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const text = new FormData(form).get('text');
  attempt(async () => {
    await call('/notes', { method: 'POST', body: JSON.stringify({ text }) });
    form.reset();
    await showNotes();
  });
});

attempt(async () => {
  part('message').textContent = 'Loading ...';
  const isInside = await resume().finally(() => {
    part('sign-in').hidden = false;
  });
  part('sign-in').hidden = isInside;
  part('inside').hidden = !isInside;
  if (isInside) await showNotes();
});

async function showNotes() {
  const { items } = await call('/notes');
  const lines = items.map((/** @type {{ text: string }} */ { text }) => {
    const line = document.createElement('li');
    line.textContent = text;
    return line;
  });
  part('notes').replaceChildren(...lines);
}

/**
 * Calls the API. Renews an expired token once; throws any other refusal with the sentence of the service.
 * @param {string} path
 * @param {RequestInit} [options]
 * @param {string} [expired]
 */
async function call(path, options = {}, expired) {
  const token = await accessToken(expired);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${api}/api/consumer/v1${path}`, { ...options, headers });
  const body = await answer.json();
  if (answer.ok) return body;
  if (body.code === 'token_expired' && expired === undefined) return call(path, options, token);
  throw new Error(body.title);
}

/**
 * Runs a task, and shows its error.
 * @param {() => Promise<void>} work
 */
async function attempt(work) {
  try {
    part('message').textContent = '';
    await work();
    part('message').textContent = '';
  } catch (error) {
    // The browser reports a stopped server and a missing CORS permission with the same error.
    part('message').textContent =
      error instanceof TypeError
        ? `No answer. Does "npx vestibule --settings vestibule.env dev" run, with ${location.origin} in CORS_ORIGINS?`
        : /** @type {Error} */ (error).message;
  }
}
