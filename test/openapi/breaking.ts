import type { OpenApiDocument } from '../../src/openapi/document.ts';
import {
  type ApiOperation,
  methods,
  type Parameter,
  type Reference,
  type Response,
  type Security,
} from '../../src/openapi/openapi-types.ts';
import { follow } from '../support/http/follow.ts';
import { answerChanges, requestChanges } from './breaking-schemas.ts';

/**
 * The breaking changes of a document since a release, one sentence each. Requests may accept more and answers
 * may promise more, never less.
 */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): readonly string[] {
  const [old, current] = [resolved(before), resolved(after)];
  return Object.entries(old.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const was = item[method];
      if (was === undefined) return [];
      const what = `${method.toUpperCase()} ${path}`;
      const now = current.paths[path]?.[method];
      if (now === undefined) return [`${what} is gone`];
      const secured = { ...now, security: now.security ?? current.security };
      return operationChanges(what, { ...was, security: was.security ?? old.security }, secured);
    }),
  );
}

type Resolved<T> = T extends Reference
  ? never
  : T extends object
    ? { readonly [Key in keyof T]: Resolved<T[Key]> }
    : T;
type Operation = Resolved<ApiOperation>;

/** The document with every reference replaced by what it leads to, beside its own members. */
function resolved(document: OpenApiDocument): Resolved<OpenApiDocument> {
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve);
    if (!(part instanceof Object)) return part;
    const { $ref, ...own } = part as Readonly<Record<string, unknown>>;
    if (typeof $ref === 'string') return resolve({ ...(follow($ref, document) as object), ...own });
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolve(value)]));
  };
  return resolve(document) as Resolved<OpenApiDocument>;
}

function operationChanges(what: string, old: Operation, current: Operation): readonly string[] {
  return [
    ...(old.operationId === current.operationId ? [] : [`${what} is called ${current.operationId}`]),
    ...securityChanges(what, old, current),
    ...parameterChanges(what, old, current),
    ...bodyChanges(what, old, current),
    ...responseChanges(what, old, current),
  ];
}

/** Each security requirement that was sufficient must still be. */
function securityChanges(what: string, old: Operation, current: Operation): readonly string[] {
  const ways = (security: Security = []) => (security.length === 0 ? [{}] : security);
  return ways(old.security).flatMap((way) => {
    const isOpen = ways(current.security).some((now) =>
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

function parameterChanges(what: string, old: Operation, current: Operation): readonly string[] {
  const named = (each: Parameter) => [`${each.in} ${each.name}`, each] as const;
  const had = new Map((old.parameters ?? []).map(named));
  const has = new Map((current.parameters ?? []).map(named));
  const gone = [...had.keys()].filter((key) => !has.has(key)).map((key) => `${what}: ${key} is gone`);
  const changed = [...has].flatMap(([key, now]) => {
    const was = had.get(key);
    const isDemanded = now.required === true && was?.required !== true;
    return [
      ...(isDemanded ? [`${what}: ${key} is required`] : []),
      ...(was === undefined ? [] : requestChanges(`${what}: ${key}`, was.schema, now.schema)),
    ];
  });
  return [...gone, ...changed];
}

function bodyChanges(what: string, old: Operation, current: Operation): readonly string[] {
  const content = current.requestBody?.content ?? {};
  const isDemanded = current.requestBody?.required === true && old.requestBody?.required !== true;
  const changed = Object.entries(old.requestBody?.content ?? {}).flatMap(([type, { schema }]) => {
    const now = content[type];
    if (now === undefined) return [`${what}: a body of ${type} is not taken any more`];
    return requestChanges(`${what} body`, schema, now.schema);
  });
  return [...(isDemanded ? [`${what}: a body is required`] : []), ...changed];
}

/** True for 413 and 415 of a GET or DELETE that accepts no body. */
function couldNeverCome(what: string, status: string, { requestBody }: Operation): boolean {
  const isAboutBody = status === '413' || status === '415';
  return isAboutBody && requestBody === undefined && /^(?:GET|DELETE) /.test(what);
}

/** True if `default` has every error code of the response. */
function covers(told: Resolved<Response>, other: Resolved<Response>): boolean {
  const [codes, covered] = [codesOf(told), codesOf(other)];
  return codes.length > 0 && codes.every((code) => covered.includes(code));
}

function codesOf({ content = {} }: Resolved<Response>): readonly string[] {
  const { properties } = content['application/problem+json']?.schema ?? {};
  return (properties as { code?: { enum?: readonly string[] } } | undefined)?.code?.enum ?? [];
}

function responseChanges(what: string, old: Operation, current: Operation): readonly string[] {
  return Object.entries(old.responses).flatMap(([status, told]) => {
    const where = `${what} ${status}`;
    const other = current.responses.default;
    const isDefault = current.responses[status] === undefined && other !== undefined;
    const now = isDefault && covers(told, other) ? other : current.responses[status];
    if (now === undefined && couldNeverCome(what, status, old)) return [];
    if (now === undefined) return [`${where} is gone`];
    const { headers = {}, content = {} } = told;
    const { headers: headersNow = {}, content: contentNow = {} } = now;
    const lostHeaders = Object.entries(headers).flatMap(([name, header]) => {
      if (headersNow[name] === undefined) return [`${where}: the header ${name} is gone`];
      const mayBeMissing = header.required && !isDefault && !headersNow[name].required;
      return mayBeMissing ? [`${where}: the header ${name} may be missing`] : [];
    });
    const bodies = Object.entries(content).flatMap(([type, { schema }]) => {
      const media = contentNow[type];
      if (media === undefined) return [`${where}: ${type} is gone`];
      return answerChanges(where, schema, media.schema);
    });
    return [...lostHeaders, ...bodies];
  });
}
