import { allTokens, documentWith } from '../../docs/openapi-document.ts';
import type { OpenApiDocument } from '../../src/openapi/openapi-types.ts';
import { Documented, type Exchange } from './documented.ts';
import type { Reply } from './request.ts';

/** For the operator and on a port of their own; the document does not speak of them. */
const opsPaths = ['/livez', '/readyz', '/metrics', '/console/data'];
const collectionsPath = '/api/consumer/v1/';

const documents = new Map<string, Promise<Documented>>();
let builtIn: Documented | undefined;

/** What is there whatever is declared. It is enough for every service, so none has to be asked for it: with all that settings allow. */
function builtInDocument(): Documented {
  builtIn ??= new Documented(
    documentWith([], { version: '0', baseUrl: 'http://127.0.0.1', tokens: allTokens }),
  );
  return builtIn;
}

const byText = new Map<string, Documented>();

/** Services with the same collections have the same document, and what is compiled of it serves all of them. */
function documentedBy(text: string): Documented {
  const known = byText.get(text) ?? new Documented(JSON.parse(text) as OpenApiDocument);
  byText.set(text, known);
  return known;
}

const undescribed = new Set<string>();

/** For servers that are none of ours and have no such document. */
export function leaveUndescribed(origin: string): void {
  undescribed.add(origin);
}

/** For tests that start other services, which may get the addresses of earlier ones. */
export function forgetDocuments(): void {
  documents.clear();
  undescribed.clear();
}

/** The document of the service itself, asked for once. */
function documentOf(origin: string): Promise<Documented> {
  let document = documents.get(origin);
  if (document === undefined) {
    document = fetch(`${origin}/openapi.json`).then(
      async (response) => (response.ok ? documentedBy(await response.text()) : builtInDocument()),
      // A service that has ended in the meantime.
      () => builtInDocument(),
    );
    documents.set(origin, document);
  }
  return document;
}

/** Fails when an answer is not what the document of the service that gave it says. */
export async function assertDocumented(origin: string, exchange: Exchange): Promise<void> {
  const { path, status, method } = exchange;
  if (opsPaths.includes(path) || undescribed.has(origin)) return;
  const isDeclared = path.startsWith(collectionsPath) && builtInDocument().pathOf(path) === undefined;
  // The port for health and metrics has nothing where the API is.
  const isElsewhere = status === 404 && !isDeclared && builtInDocument().pathOf(path) !== undefined;
  if (isElsewhere && (await documentOf(origin)) === builtInDocument()) return;
  const documented = isDeclared ? await documentOf(origin) : builtInDocument();
  documented.assert({ ...exchange, method: method.toUpperCase() });
}

/** The same for a reply, which is handed on when nothing is wrong with it. */
export async function documentedReply(url: string, method: string, reply: Reply): Promise<Reply> {
  const { origin, pathname, search } = new URL(url);
  const { status, headers, text } = reply;
  await assertDocumented(origin, { method, path: `${pathname}${search}`, status, headers, body: text });
  return reply;
}
