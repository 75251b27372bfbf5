import type { OpenApiDocument } from '../../src/openapi/document.ts';
import {
  type ApiOperation,
  type Header,
  methods,
  type Parameter,
  type Reference,
  type Response,
  type Security,
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
    ...securityChanges(pair, what, old, current),
    ...parameterChanges(pair, what, old, current),
    ...bodyChanges(pair, what, old, current),
    ...responseChanges(pair, what, old, current),
  ];
}

/** Each security requirement that was sufficient must still be. */
function securityChanges(
  pair: Pair,
  what: string,
  old: ApiOperation,
  current: ApiOperation,
): readonly string[] {
  const ways = (security: Security) => (security.length === 0 ? [{}] : security);
  return ways(old.security ?? pair.documents.before.security).flatMap((way) => {
    const isOpen = ways(current.security ?? pair.documents.after.security).some((now) =>
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
  const named = (each: Parameter) => [`${each.in} ${each.name}`, each] as const;
  const had = new Map((old.parameters ?? []).map((each) => named(pair.before<Parameter>(each))));
  const has = new Map((current.parameters ?? []).map((each) => named(pair.after<Parameter>(each))));
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

/** True if `default` has every error code of the response. */
function covers(pair: Pair, told: Response | Reference, other: Response | Reference): boolean {
  const codes = codesOf(pair.before<Response>(told));
  const covered = codesOf(pair.after<Response>(other));
  return codes.length > 0 && codes.every((code) => covered.includes(code));
}

function codesOf({ content = {} }: Response): readonly string[] {
  const { properties } = content['application/problem+json']?.schema ?? {};
  return (properties as { code?: { enum?: readonly string[] } } | undefined)?.code?.enum ?? [];
}

function responseChanges(
  pair: Pair,
  what: string,
  old: ApiOperation,
  current: ApiOperation,
): readonly string[] {
  return Object.entries(old.responses).flatMap(([status, told]) => {
    const where = `${what} ${status}`;
    const other = current.responses.default;
    const isDefault = current.responses[status] === undefined && other !== undefined;
    const now = isDefault && covers(pair, told, other) ? other : current.responses[status];
    if (now === undefined && couldNeverCome(what, status, old)) return [];
    if (now === undefined) return [`${where} is gone`];
    const { headers = {}, content = {} } = pair.before<Response>(told);
    const { headers: headersNow = {}, content: contentNow = {} } = pair.after<Response>(now);
    const lostHeaders = Object.entries(headers).flatMap(([name, header]) => {
      if (headersNow[name] === undefined) return [`${where}: the header ${name} is gone`];
      const isRequired = pair.before<Header>(header).required && !isDefault;
      const mayBeMissing = isRequired && !pair.after<Header>(headersNow[name]).required;
      return mayBeMissing ? [`${where}: the header ${name} may be missing`] : [];
    });
    const bodies = Object.entries(content).flatMap(([type, { schema }]) => {
      const media = contentNow[type];
      if (media === undefined) return [`${where}: ${type} is gone`];
      return answerChanges(pair, where, schema, media.schema);
    });
    return [...lostHeaders, ...bodies];
  });
}
