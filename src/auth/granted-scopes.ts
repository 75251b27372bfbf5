import { isJsonObject, type JsonObject } from '../base/json-object.ts';
import type { ClaimPath } from '../base/provider-rules.ts';
import { isScopeName, readScopes } from '../base/scopes.ts';

/** All that the claims grant together. What is no list of scopes grants nothing. */
export function grantedScopes(claims: JsonObject, from: readonly ClaimPath[]): readonly string[] {
  const granted = from.map((path) => scopesAt(claims, path)).filter((scopes) => scopes.length > 0);
  return granted.length > 1 ? [...new Set(granted.flat())] : (granted[0] ?? none);
}

const none: readonly string[] = [];

/** One text of scopes, or (but for `scope`, RFC 9068) a list; in it, as in one of roles, what cannot be a scope is left out. */
function scopesAt(claims: JsonObject, path: readonly string[]): readonly string[] {
  const value = valueAt(claims, path);
  if (typeof value === 'string') return readScopes(value) ?? none;
  if (!Array.isArray(value) || (path.length === 1 && path[0] === 'scope')) return none;
  return value.filter((item) => typeof item === 'string' && isScopeName(item));
}

function valueAt(claims: JsonObject, path: readonly string[]): unknown {
  let value: unknown = claims;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
