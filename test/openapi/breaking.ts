import {
  type ApiOperation,
  methods,
  type OpenApiDocument,
  type Response,
} from '../../src/openapi/openapi-types.ts';
import { answerChanges, Pair, requestChanges } from './breaking-schemas.ts';

/**
 * What of a released document a newer one takes away from those who call: a sentence each, none when everybody can
 * stay as they are. What comes in may be told more loosely and what goes out more exactly, never the other way round.
 */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): readonly string[] {
  return Object.entries(before.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const old = item[method];
      if (old === undefined) return [];
      const what = `${method.toUpperCase()} ${path}`;
      const current = after.paths[path]?.[method];
      return current === undefined
        ? [`${what} is gone`]
        : operationChanges(new Pair(before, after), what, old, current);
    }),
  );
}

function operationChanges(
  pair: Pair,
  what: string,
  old: ApiOperation,
  current: ApiOperation,
): readonly string[] {
  return [
    ...(old.operationId === current.operationId ? [] : [`${what} is called ${current.operationId}`]),
    ...securityChanges(what, old, current),
    ...parameterChanges(pair, what, old, current),
    ...bodyChanges(pair, what, old, current),
    ...responseChanges(pair, what, old, current),
  ];
}

/** Each way in that was open must still be. */
function securityChanges(what: string, old: ApiOperation, current: ApiOperation): readonly string[] {
  const ways = (operation: ApiOperation) => (operation.security.length === 0 ? [{}] : operation.security);
  return ways(old).flatMap((way) => {
    const isOpen = ways(current).some((now) =>
      Object.entries(now).every(([scheme, scopes]) => {
        const had = (way as Readonly<Record<string, readonly string[]>>)[scheme];
        return had !== undefined && scopes.every((scope) => had.includes(scope));
      }),
    );
    return isOpen
      ? []
      : [`${what} does not open to ${Object.keys(way).join(' and ') || 'everybody'} any more`];
  });
}

function parameterChanges(
  pair: Pair,
  what: string,
  old: ApiOperation,
  current: ApiOperation,
): readonly string[] {
  const had = new Map((old.parameters ?? []).map((each) => [`${each.in} ${each.name}`, each]));
  const has = new Map((current.parameters ?? []).map((each) => [`${each.in} ${each.name}`, each]));
  const gone = [...had.keys()].filter((key) => !has.has(key)).map((key) => `${what}: ${key} is gone`);
  const changed = [...has].flatMap(([key, now]) => {
    const was = had.get(key);
    const isDemanded = now.required === true && was?.required !== true;
    return [
      ...(isDemanded ? [`${what}: ${key} is required`] : []),
      ...(was === undefined ? [] : requestChanges(pair, `${what}: ${key}`, was.schema, now.schema)),
    ];
  });
  return [...gone, ...changed];
}

function bodyChanges(pair: Pair, what: string, old: ApiOperation, current: ApiOperation): readonly string[] {
  const content = current.requestBody?.content ?? {};
  const isDemanded = current.requestBody?.required === true && old.requestBody?.required !== true;
  const changed = Object.entries(old.requestBody?.content ?? {}).flatMap(([type, { schema }]) => {
    const now = content[type];
    if (now === undefined) return [`${what}: a body of ${type} is not taken any more`];
    return requestChanges(pair, `${what} body`, schema, now.schema);
  });
  return [...(isDemanded ? [`${what}: a body is required`] : []), ...changed];
}

/** What is said of a body, by an operation that takes none and by a method in which none is read. */
function couldNeverCome(what: string, status: string, { requestBody }: ApiOperation): boolean {
  const isAboutBody = status === '413' || status === '415';
  return isAboutBody && requestBody === undefined && /^(?:GET|DELETE) /.test(what);
}

function responseChanges(
  pair: Pair,
  what: string,
  old: ApiOperation,
  current: ApiOperation,
): readonly string[] {
  return Object.entries(old.responses).flatMap(([status, told]) => {
    const where = `${what} ${status}`;
    const now = current.responses[status];
    if (now === undefined && couldNeverCome(what, status, old)) return [];
    if (now === undefined) return [`${where} is gone`];
    const { headers = {}, content = {} } = pair.before<Response>(told);
    const { headers: headersNow = {}, content: contentNow = {} } = pair.after<Response>(now);
    const lostHeaders = Object.entries(headers).flatMap(([name, { required }]) => {
      if (headersNow[name] === undefined) return [`${where}: the header ${name} is gone`];
      return required && !headersNow[name].required ? [`${where}: the header ${name} may be missing`] : [];
    });
    const bodies = Object.entries(content).flatMap(([type, { schema }]) => {
      const media = contentNow[type];
      if (media === undefined) return [`${where}: ${type} is gone`];
      return answerChanges(pair, where, schema, media.schema);
    });
    return [...lostHeaders, ...bodies];
  });
}
