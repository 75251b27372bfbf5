/*
 * The reference page (/docs): drawn from the OpenAPI document of this service. Requests that are tried go to this service only,
 * with the token in the field, which is stored nowhere.
 */
/** @import { Endpoint, Matrix, OpenApi, Tag } from './openapi.ts' */
import { element } from './element.js';
import {
  bodyOf,
  codeBlock,
  curl,
  fold,
  isPublic,
  methodMark,
  needsProof,
  operationArticle,
  paragraphs,
} from './operation.js';
import { resolve } from './schema.js';
import { tryForm } from './try.js';

/** @type {(selector: string) => HTMLElement} */
const one = (selector) => {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`The page has no ${selector}`);
  return found;
};
const filterField = /** @type {HTMLInputElement} */ (one('#filter'));
const tokenField = /** @type {HTMLInputElement} */ (one('#token'));

/** A part that the filter hides, with its link in the contents. @typedef {{ shown: HTMLElement, link: HTMLElement, text: string }} Part */
/** @type {(Part & { operations: Part[] })[]} */
const sections = [];

await draw();

async function draw() {
  try {
    const answer = await fetch('openapi.json');
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    drawPage(await answer.json());
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    one('.about').textContent = `The OpenAPI document could not be read: ${reason}. Reload this page later.`;
    return;
  }
  unfold();
  // The page was empty when the browser looked for the fragment of the address.
  if (location.hash !== '') location.replace(location.hash);
  addEventListener('hashchange', unfold);
  // A link to the present address causes no `hashchange` event.
  document.addEventListener('click', ({ target: clicked }) => {
    const link = clicked instanceof Element ? clicked.closest('a[href^="#"]') : null;
    if (link instanceof HTMLAnchorElement && link.hash === location.hash) unfold();
  });
  filterField.addEventListener('input', filter);
  // The browser may have kept the text of an earlier visit.
  filter();
}

/** @param {OpenApi} api */
function drawPage(api) {
  const { info, servers, tags, paths } = api;
  const endpoints = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const parameters = operation.parameters?.map((parameter) => resolve(parameter, api));
      return { path, method, operation: { security: api.security, ...operation, parameters } };
    }),
  );
  one('.version').prepend(`${info.version} · `, element('code', {}, servers[0]?.url ?? ''), ' · ');
  one('.about').textContent = info.description;
  const isTried = endpoints.some(({ operation }) => !isPublic(operation) && !needsProof(operation));
  addSection('Start here', 'start', [startSteps(endpoints, api), one('.about')], []);
  for (const tag of tags) {
    const alike = endpoints.filter(({ operation }) => operation.tags.includes(tag.name));
    drawSection(tag, alike, api);
  }
  addSection('Errors', 'errors', errorsSection(api), []);
  one('.filter').hidden = false;
  const token = one('.token');
  token.hidden = !isTried;
  if (isTried) void offerSignIn();
  // The content policy forbids form submissions.
  token.addEventListener('submit', (event) => event.preventDefault());
}

/** @type {(tag: Tag, endpoints: Endpoint[], api: OpenApi) => void} */
function drawSection({ name, description, 'x-matrix': matrix }, endpoints, api) {
  // Unique: names of collections have no capitals, those of tags only spaces.
  const id = `about-${name.replaceAll(' ', '-')}`;
  const operations = endpoints.map((endpoint) => {
    const { path, method, operation } = endpoint;
    const { operationId, summary } = operation;
    const shown = operationArticle(endpoint, api, tryForm(endpoint, api, tokenField));
    const link = element('a', { href: `#${operationId}` }, methodMark(method), ` ${summary}`);
    const text = `${name} ${method} ${summary} ${path}`.toLowerCase();
    return { shown, link: element('li', {}, link), text };
  });
  const articles = operations.map(({ shown }) => shown);
  const table = matrix === undefined ? [] : [fold('Who may do what', matrixTable(name, matrix))];
  // The description of a collection begins with its title.
  const [first, ...others] = paragraphs(description);
  const [title, about] =
    isCollection(name) && first ? [first.textContent, others] : [name, [first, ...others]];
  const list = element('div', { class: 'operations' }, ...articles);
  addSection(title, id, [...about.filter((part) => part !== undefined), ...table, list], operations);
}

/** The names of the other tags begin with a capital. @param {string} tag */
function isCollection(tag) {
  return /^[a-z]/.test(tag);
}

/**
 * What a newcomer does first: sign in, one request, one record.
 * @type {(endpoints: readonly Endpoint[], api: OpenApi) => HTMLElement}
 */
function startSteps(endpoints, api) {
  const me = endpoints.find(({ operation }) => operation.operationId === 'readMe');
  const creations = endpoints.filter(
    ({ path, method, operation }) =>
      method === 'post' && isCollection(operation.tags[0] ?? '') && !path.includes('{'),
  );
  // A body that names another record, as that of a child does, has no example.
  const create = creations.find(({ operation }) => bodyOf(operation, api)[1] !== undefined) ?? creations[0];
  const signIn = [
    element('p', {}, 'Each request needs an access token of a trusted provider.'),
    one('.token'),
  ];
  return element(
    'ol',
    { class: 'steps' },
    step('Sign in', ...signIn),
    me ? step('Send a request', ...firstRequest(me, api)) : null,
    create ? step(create.operation.summary, ...firstRecord(create, api)) : null,
  );
}

/** @type {(title: string, ...content: (Node | null)[]) => HTMLElement} */
function step(title, ...content) {
  return element('li', {}, element('h3', {}, title), ...content);
}

/** @type {(me: Endpoint, api: OpenApi) => (Node | null)[]} */
function firstRequest(me, api) {
  const form = tryForm(me, api, tokenField);
  form?.setAttribute('open', '');
  return [
    element('p', {}, 'The answer has the pseudonym by which this service knows you.'),
    codeBlock('First request', curl(me, api)),
    form,
  ];
}

/** @type {(create: Endpoint, api: OpenApi) => Node[]} */
function firstRecord(create, api) {
  const link = element('a', { href: `#${create.operation.operationId}` }, 'All fields and answers');
  return [
    element('p', {}, 'The answer has the record with its id. The collections below have what comes next.'),
    codeBlock('First record', curl(create, api)),
    element('p', {}, link),
  ];
}

/**
 * Offers the sign-in of the frontend, if this service has one whose tokens are not bound to a key. The frontend keeps its
 * tokens in memory. In a window that this page opens, it sends one to the pages of its origin, with the word of this page.
 */
async function offerSignIn() {
  const settings = await fetch('web/config.json').then(
    (answer) => (answer.ok ? answer.json() : null),
    () => null,
  );
  if (settings === null || settings.dpop) return;
  const button = /** @type {HTMLButtonElement} */ (one('#sign-in'));
  const word = crypto.randomUUID();
  const channel = new BroadcastChannel('vestibule.reference');
  channel.addEventListener('message', ({ data }) => {
    if (data?.word !== word) return;
    tokenField.value = data.token;
    button.textContent = 'Sign in again';
    one('#signed-in').textContent = 'You are signed in. Requests on this page are yours.';
  });
  button.addEventListener('click', () =>
    open(new URL(`./#/reference/${word}`, location.href), 'vestibule-sign-in', 'popup,width=520,height=720'),
  );
  button.hidden = false;
}

/** @type {(name: string, id: string, content: HTMLElement[], operations: Part[]) => void} */
function addSection(name, id, content, operations) {
  const shown = element('section', { 'aria-labelledby': id }, element('h2', { id }, name), ...content);
  const links = operations.map(({ link }) => link);
  const contents = links.length === 0 ? null : element('ul', {}, ...links);
  const link = element('li', {}, element('a', { href: `#${id}` }, name), contents);
  sections.push({ shown, link, text: name, operations });
  one('.contents').append(link);
  one('main').append(shown);
}

/**
 * The table of `vestibule check --matrix`: what each role may do with a record, by state. It scrolls where it does not fit.
 * @type {(name: string, matrix: Matrix) => HTMLElement}
 */
function matrixTable(name, { states, roles }) {
  const column = (/** @type {string} */ text) => element('th', { scope: 'col' }, text);
  const head = element(
    'tr',
    {},
    ...['Role', 'May', ...states.map((state) => state ?? 'any time')].map(column),
  );
  const groups = Object.entries(roles).map(([role, verbs]) =>
    element(
      'tbody',
      {},
      ...Object.entries(verbs).map(([verb, allowed], index) =>
        element(
          'tr',
          {},
          index > 0
            ? null
            : element('th', { scope: 'rowgroup', rowspan: `${Object.keys(verbs).length}` }, role),
          element('th', { scope: 'row' }, verb),
          ...states.map((state) => cell(allowed.includes(state))),
        ),
      ),
    ),
  );
  const about = `Who may do what in ${name}`;
  return element(
    'div',
    { class: 'matrix', tabindex: '0', role: 'region', 'aria-label': about },
    element('table', {}, element('thead', {}, head), ...groups),
  );
}

/** @param {boolean} isAllowed */
function cell(isAllowed) {
  return element('td', { class: isAllowed ? 'yes' : 'no' }, isAllowed ? 'yes' : '–');
}

/** @type {(api: OpenApi) => HTMLElement[]} */
function errorsSection({ components }) {
  const { enum: codes = [], 'x-enum-descriptions': sentences = [] } =
    components.schemas.Problem?.properties?.code ?? {};
  const rows = codes.map((code, index) =>
    element(
      'div',
      { id: `error-${code}` },
      element('dt', {}, element('code', {}, `${code}`)),
      element('dd', {}, sentences[index] ?? ''),
    ),
  );
  const about =
    'An error is a problem document (RFC 9457). Decide by its code, which is never renamed and never reused.';
  const all = fold(`All ${rows.length} codes`, element('dl', { class: 'rows' }, ...rows));
  return [element('p', {}, about), all];
}

/** Unfolds the part that the address names, and all parts around it. */
function unfold() {
  const found = target();
  const operation = found?.closest('article')?.querySelector('.operation');
  if (operation instanceof HTMLDetailsElement) operation.open = true;
  for (let outer = found?.closest('details'); outer; outer = outer.parentElement?.closest('details'))
    outer.open = true;
  found?.scrollIntoView();
}

/** The element that the address names; null for a broken one, such as "#%". */
function target() {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null;
  }
}

/** Every word must occur in the line of an operation, or in the name of its section. */
function filter() {
  const words = filterField.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of sections) {
    for (const operation of section.operations)
      hide(operation, !words.every((word) => operation.text.includes(word)));
    hide(section, words.length > 0 && section.operations.every(({ shown }) => shown.hidden));
  }
  one('.none').hidden = words.length === 0 || sections.some(({ shown }) => !shown.hidden);
}

/** @type {(part: Part, isHidden: boolean) => void} */
function hide({ shown, link }, isHidden) {
  shown.hidden = isHidden;
  link.hidden = isHidden;
}
