type HeaderValue = string | readonly string[] | undefined;

/** The part of a request that is read: Fetch's, Node's, or any other object with headers. */
export interface RequestLike {
  readonly headers: { get(name: string): string | null } | { readonly [name: string]: HeaderValue };
  /** Node's: all headers as they came, those included that `headers` leaves out. */
  readonly rawHeaders?: readonly string[];
  readonly socket?: { readonly remoteAddress?: string | undefined } | null;
}

/** The requests that the adapters for Node accept. */
export type NodeRequest = Pick<RequestLike, 'socket'> & Required<Pick<RequestLike, 'rawHeaders'>>;

/** Fastify and Koa have Node's request inside of their own. */
interface InnerRequest {
  readonly raw?: Pick<RequestLike, 'rawHeaders'>;
  readonly req?: Pick<RequestLike, 'rawHeaders'>;
}

const name = 'authorization';

/** Throws for what is no request, such as a token by itself. The message does not show it. */
export function expectRequest(request: unknown): void {
  const given = Object(request);
  // `headers` of Node's request is built when it is read, and `rawHeaders` is enough.
  if (Array.isArray(given.rawHeaders) || Object(given.headers) === given.headers) return;
  throw new TypeError(
    `Expected a request: a Fetch Request, that of Node.js, or an object such as { headers: { authorization: 'Bearer ...' } }; found ${kindOf(request)}.`,
  );
}

/** For messages: a value could be a token. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? 'another object' : `a value of type ${typeof value}`;
}

/** The Authorization header; two of them joined by a comma, which is no bearer form and so is refused. */
export function authorizationOf(request: RequestLike | NodeRequest): string | undefined {
  const { raw, req } = request as InnerRequest;
  const pairs = request.rawHeaders ?? raw?.rawHeaders ?? req?.rawHeaders;
  if (pairs !== undefined) return fromRawHeaders(pairs);
  const { headers } = request as RequestLike;
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const named = Object.entries(headers as Readonly<Record<string, HeaderValue>>)
    .filter(([key, value]) => key.toLowerCase() === name && value !== undefined)
    .flatMap(([, value]) => value as string | readonly string[]);
  return named.length === 0 ? undefined : named.join(', ');
}

/** Node keeps the first of two Authorization headers in `headers`, without a sign of the other. */
function fromRawHeaders(pairs: readonly string[]): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < pairs.length; index += 2) {
    const key = pairs[index] as string;
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    found = found === undefined ? (pairs[index + 1] as string) : `${found}, ${pairs[index + 1]}`;
  }
  return found;
}
