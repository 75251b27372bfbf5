import { allTokens, documentWith } from '../../../docs/openapi-document.ts';
import type { OpenApiDocument } from '../../../src/openapi/document.ts';
import { Documented, type Exchange } from './documented.ts';
import type { Reply } from './request.ts';

/** For the operator and on a port of their own; the document does not speak of them. */
const opsPaths = ['/livez', '/readyz', '/metrics', '/console/data'];
const collectionsPath = '/api/consumer/v1/';

const documents = new Map<string, Promise<Documented>>();
let builtIn: Documented | undefined;

/** The operations that every service has, with all that settings allow. No service needs to be asked for them. */
function builtInDocument(): Documented {
  const about = { version: '0', baseUrl: 'http://127.0.0.1', tokens: allTokens };
  builtIn ??= new Documented(documentWith([], about));
  return builtIn;
}

const byText = new Map<string, Documented>();

/** Services with the same collections share one document and its compiled schemas. */
function documentedBy(text: string): Documented {
  const known = byText.get(text) ?? new Documented(JSON.parse(text) as OpenApiDocument);
  byText.set(text, known);
  return known;
}

const undescribed = new Set<string>();

/** Skips the checks for a server that is not Vestibule. */
export function leaveUndescribed(origin: string): void {
  undescribed.add(origin);
}

/** Forgets all documents: later services may reuse addresses. */
export function forgetDocuments(): void {
  documents.clear();
  undescribed.clear();
}

function documentOf(origin: string): Promise<Documented> {
  const read = async (response: Response) =>
    response.ok ? documentedBy(await response.text()) : builtInDocument();
  // A service may have ended in the meantime.
  const document = documents.get(origin) ?? fetch(`${origin}/openapi.json`).then(read, builtInDocument);
  documents.set(origin, document);
  return document;
}

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

export async function documentedReply(url: string, method: string, reply: Reply): Promise<Reply> {
  const { origin, pathname, search } = new URL(url);
  const { status, headers, text } = reply;
  await assertDocumented(origin, { method, path: `${pathname}${search}`, status, headers, body: text });
  return reply;
}
