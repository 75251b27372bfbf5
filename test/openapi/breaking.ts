import {
  type ApiOperation,
  methods,
  type OpenApiDocument,
  type Response,
} from '../../src/openapi/openapi-types.ts';
import { answerChanges, Pair, requestChanges } from './breaking-schemas.ts';

/**
 * The breaking changes of a document since a release, one sentence each. Requests may accept more and answers
 * may promise more, never less.
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

/** Each security requirement that was sufficient must still be. */
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

/** True for 413 and 415 of a GET or DELETE that accepts no body. */
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
