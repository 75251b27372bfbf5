/*
 * The script of the reference page (/docs), as the browser gets it. It unfolds the part that the address names, filters, and
 * sends what is tried: to this service only, with the token in the field, which it stores nowhere.
 */

/** The longest answer that is shown, in characters. */
const longestShown = 20000;

/** @type {(selector: string, within?: ParentNode) => HTMLElement[]} */
const all = (selector, within = document) => [...within.querySelectorAll(selector)].filter(isElement);
/** @type {(selector: string, within?: ParentNode) => HTMLElement} */
const one = (selector, within = document) => {
  const [found] = all(selector, within);
  if (found === undefined) throw new Error(`The page has no ${selector}`);
  return found;
};
/** @type {(node: unknown) => node is HTMLElement} */
function isElement(node) {
  return node instanceof HTMLElement;
}
/** @type {(selector: string, within?: ParentNode) => HTMLInputElement[]} */
const inputs = (selector, within) =>
  all(selector, within).filter((found) => found instanceof HTMLInputElement);
const textOf = (/** @type {string} */ selector) => inputs(selector)[0]?.value.trim() ?? '';

for (const part of all('.filter, .token, .try')) part.hidden = false;
// The content policy forbids the browser to send a form; the script reads the token from the field.
for (const form of all('.token')) form.addEventListener('submit', (event) => event.preventDefault());

/** The element that the address names; null for a broken one, such as "#%". */
function target() {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null;
  }
}

/** Unfolds the part that the address names, with all that it lies in. */
function unfold() {
  const found = target();
  const operation = found?.closest('article')?.querySelector('.operation');
  if (operation instanceof HTMLDetailsElement) operation.open = true;
  for (let fold = found?.closest('details'); fold; fold = fold.parentElement?.closest('details'))
    fold.open = true;
  found?.scrollIntoView();
}
addEventListener('hashchange', unfold);
// A link to the present address changes nothing, and no event tells.
document.addEventListener('click', ({ target: clicked }) => {
  const link = clicked instanceof Element ? clicked.closest('a[href^="#"]') : null;
  if (link instanceof HTMLAnchorElement && link.hash === location.hash) unfold();
});
unfold();

/** @type {(element: HTMLElement, isHidden: boolean) => void} */
function hideWithLink(element, isHidden) {
  const heading = one('h2, h3', element);
  element.hidden = isHidden;
  for (const link of all(`nav a[href="#${heading.id}"]`)) {
    if (link.parentElement !== null) link.parentElement.hidden = isHidden;
  }
}

/**
 * Every word must occur in the line of an operation, or in the name of its section.
 * @param {string} text
 */
function filter(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const section of all('main > section')) {
    const name = one('h2', section).textContent;
    let shown = 0;
    for (const article of all('article', section)) {
      const line = `${name} ${one('summary', article).textContent}`.toLowerCase();
      const fits = words.every((word) => line.includes(word));
      hideWithLink(article, !fits);
      if (fits) shown += 1;
    }
    hideWithLink(section, words.length > 0 && shown === 0);
    count += shown;
  }
  one('.none').hidden = words.length === 0 || count > 0;
}
one('#filter').addEventListener('input', () => filter(textOf('#filter')));
// The browser may have kept the text of an earlier visit.
filter(textOf('#filter'));

/**
 * The request that a form asks for. Empty fields are left out.
 * @param {HTMLElement} form
 * @returns {[URL, RequestInit]}
 */
function requestOf(form) {
  const { method = '', path = '', type = '', token } = form.dataset;
  const headers = new Headers();
  const query = new URLSearchParams();
  let address = path;
  for (const field of inputs('input', form)) {
    const value = field.value.trim();
    if (field.dataset.in === 'path') address = address.replace(`{${field.name}}`, encodeURIComponent(value));
    else if (value === '') continue;
    else if (field.dataset.in === 'query') query.set(field.name, value);
    else headers.set(field.name, value);
  }
  if (token === 'yes') headers.set('authorization', `Bearer ${textOf('#token')}`);
  if (type !== '') headers.set('content-type', type);
  // Relative to this page: behind a proxy the service may not be at the root.
  const url = new URL(address.slice(1), new URL('.', location.href));
  url.search = query.toString();
  const text = form.querySelector('textarea')?.value ?? '';
  const body = type === '' ? {} : { body: text };
  return [url, { method: method.toUpperCase(), headers, cache: 'no-store', credentials: 'omit', ...body }];
}

/** @type {(place: HTMLElement, tone: string, heading: string, text?: string) => void} */
function show(place, tone, heading, text = '') {
  const title = document.createElement('p');
  title.className = `came-status ${tone}`;
  title.textContent = heading;
  const body = document.createElement('pre');
  body.tabIndex = 0;
  body.setAttribute('aria-label', 'The answer');
  body.textContent = text.length > longestShown ? `${text.slice(0, longestShown)}\n…` : text;
  place.replaceChildren(title, ...(text === '' ? [] : [body]));
}

/** @param {string} text */
function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @type {(form: HTMLElement, place: HTMLElement) => Promise<void>} */
async function send(form, place) {
  const missing = inputs('input', form).find(
    (field) => field.dataset.in === 'path' && field.value.trim() === '',
  );
  if (missing !== undefined) {
    show(place, 'bad', `It needs ${missing.name}.`);
    missing.focus();
    return;
  }
  if (form.dataset.token === 'yes' && textOf('#token') === '') {
    show(place, 'bad', 'Put an access token into the field at the top first.');
    one('#token').focus();
    return;
  }
  if (form.dataset.method === 'delete' && !confirm('This is really deleted. Send it?')) return;
  const button = form.querySelector('button');
  button?.setAttribute('disabled', '');
  show(place, '', 'Sent…');
  try {
    const answer = await fetch(...requestOf(form));
    const text = await answer.text();
    show(place, answer.ok ? 'good' : 'bad', `${answer.status} ${answer.statusText}`, readable(text));
  } catch (error) {
    show(place, 'bad', `No answer: ${error instanceof Error ? error.message : error}`);
  } finally {
    button?.removeAttribute('disabled');
  }
}

for (const form of all('.try form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form, one('.came', form.closest('.try') ?? document));
  });
}
