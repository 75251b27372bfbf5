/**
 * The one script of the reference page, as the browser gets it. It unfolds what an address leads to, filters, and sends
 * what is tried: to this service only, with the token that stands in the field, which it puts nowhere else.
 */
export const referenceScript = `'use strict';
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);
/** More than this of an answer helps nobody to read it. */
const longestShown = 20000;

for (const part of all('.filter, .token, .try')) part.hidden = false;
// The browser may send no form of this page; what stands in the field of the token is read from there.
one('.token')?.addEventListener('submit', (event) => event.preventDefault());

/** What the address of this page leads to. One that somebody has cut off may be no text at all, as "#%" is. */
function targetOf(hash) {
  try {
    return document.getElementById(decodeURIComponent(hash.slice(1)));
  } catch {
    return null;
  }
}

/** It is unfolded, with all that it lies in. */
function unfold() {
  const target = targetOf(location.hash);
  if (target === null) return;
  const article = target.closest('article');
  if (article !== null) one('.operation', article).open = true;
  for (let fold = target.closest('details'); fold !== null; fold = fold.parentElement.closest('details'))
    fold.open = true;
  target.scrollIntoView();
}
addEventListener('hashchange', unfold);
// A link to where the page is already changes no address.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link !== null && link.hash === location.hash) unfold();
});
unfold();

/** Every word must be somewhere in the line of an operation, or in the name of its section. */
function filter(text) {
  const words = text.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  let count = 0;
  for (const section of all('main > section')) {
    const name = one('h2', section).textContent;
    let shown = 0;
    for (const article of all('article', section)) {
      const line = (name + ' ' + one('summary', article).textContent).toLowerCase();
      article.hidden = !words.every((word) => line.includes(word));
      const link = one('nav a[href="#' + one('h3', article).id + '"]');
      link.parentElement.hidden = article.hidden;
      if (!article.hidden) shown += 1;
    }
    section.hidden = words.length > 0 && shown === 0;
    one('nav a[href="#' + one('h2', section).id + '"]').parentElement.hidden = section.hidden;
    count += shown;
  }
  one('.none').hidden = words.length === 0 || count > 0;
}
one('#filter').addEventListener('input', (event) => filter(event.target.value));
// What a browser has kept of an earlier visit.
filter(one('#filter').value);

/** What a form asks for. Fields that are empty are left out. */
function requestOf(form) {
  const { method, path, type, token } = form.dataset;
  const headers = new Headers();
  const query = new URLSearchParams();
  let address = path;
  for (const field of all('input', form)) {
    const value = field.value.trim();
    if (field.dataset.in === 'path') address = address.replace('{' + field.name + '}', encodeURIComponent(value));
    else if (value === '') continue;
    else if (field.dataset.in === 'query') query.set(field.name, value);
    else headers.set(field.name, value);
  }
  if (token === 'yes') headers.set('authorization', 'Bearer ' + one('#token').value.trim());
  if (type !== '') headers.set('content-type', type);
  // Beside this page, wherever the service is: behind a proxy it may not be at the root.
  const url = new URL(address.slice(1), new URL('.', location.href));
  url.search = query.toString();
  const body = type === '' ? {} : { body: one('textarea', form).value };
  return [url, { method: method.toUpperCase(), headers, cache: 'no-store', credentials: 'omit', ...body }];
}

function show(place, tone, heading, text = '') {
  const title = document.createElement('p');
  title.className = 'came-status ' + tone;
  title.textContent = heading;
  const body = document.createElement('pre');
  body.tabIndex = 0;
  body.setAttribute('aria-label', 'The answer');
  body.textContent = text.length > longestShown ? text.slice(0, longestShown) + '\\n…' : text;
  place.replaceChildren(title, ...(text === '' ? [] : [body]));
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function send(form, place) {
  const missing = all('input', form).find((field) => field.dataset.in === 'path' && field.value.trim() === '');
  const needsToken = form.dataset.token === 'yes' && one('#token').value.trim() === '';
  if (missing !== undefined || needsToken) {
    show(place, 'bad', missing === undefined ? 'Put an access token into the field at the top first.' : 'It needs ' + missing.name + '.');
    (missing ?? one('#token')).focus();
    return;
  }
  if (form.dataset.method === 'delete' && !confirm('This is really deleted. Send it?')) return;
  const button = one('button', form);
  button.disabled = true;
  show(place, '', 'Sent…');
  try {
    const answer = await fetch(...requestOf(form));
    const text = await answer.text();
    show(place, answer.ok ? 'good' : 'bad', answer.status + ' ' + answer.statusText, readable(text));
  } catch (error) {
    show(place, 'bad', 'No answer: ' + error.message);
  } finally {
    button.disabled = false;
  }
}

for (const form of all('.try form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form, one('.came', form.parentElement));
  });
}
`;
