import { Refusal } from '../base/errors.ts';

export type Params = Readonly<Record<string, string>>;

interface Match<T> {
  readonly value: T;
  readonly params: Params;
}

/** A place in the tree of patterns: one level for each segment. */
interface Branch<T> {
  readonly fixed: Map<string, Branch<T>>;
  parameter: Branch<T> | null;
  /** The pattern that ends here. */
  end: { readonly value: T; readonly names: readonly string[] } | null;
}

export const noParams: Params = {};
/** A request may name the whole address (RFC 9112 section 3.2.2). */
const schemeAndHost = /^https?:\/\/[^/?#]*/i;

/** Finds what answers at an address. Segments of patterns are fixed or `:named`; a fixed one is tried first. */
export class Router<T> {
  /** Patterns without parameters, by their text. */
  readonly #fixed = new Map<string, T>();
  readonly #root: Branch<T> = newBranch();

  constructor(values: ReadonlyMap<string, T>) {
    for (const [pattern, value] of values) {
      if (!pattern.includes(':')) this.#fixed.set(pattern, value);
      const segments = segmentsOf(pattern);
      const names = segments.filter(isParameter).map((segment) => segment.slice(1));
      segments.reduce(nextBranch, this.#root).end = { value, names };
    }
  }

  /** Throws for an address that cannot be decoded. */
  find(target: string): Match<T> | null {
    const path = this.#fixed.has(target) ? target : pathOf(target);
    const fixed = this.#fixed.get(path);
    if (fixed !== undefined) return { value: fixed, params: noParams };
    if (!path.startsWith('/')) return null;
    return match(this.#root, segmentsOf(path).map(decodeSegment), 0);
  }
}

function newBranch<T>(): Branch<T> {
  return { fixed: new Map(), parameter: null, end: null };
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':');
}

function nextBranch<T>(branch: Branch<T>, segment: string): Branch<T> {
  if (isParameter(segment)) {
    branch.parameter ??= newBranch();
    return branch.parameter;
  }
  const next = branch.fixed.get(segment) ?? newBranch<T>();
  branch.fixed.set(segment, next);
  return next;
}

function match<T>(
  branch: Branch<T>,
  segments: readonly string[],
  at: number,
  values: readonly string[] = [],
): Match<T> | null {
  const { end, fixed, parameter } = branch;
  const segment = segments[at];
  if (segment === undefined)
    return end === null ? null : { value: end.value, params: paramsOf(end.names, values) };
  const next = fixed.get(segment);
  const found = next === undefined ? null : match(next, segments, at + 1, values);
  if (found !== null || parameter === null || segment === '') return found;
  return match(parameter, segments, at + 1, [...values, segment]);
}

function paramsOf(names: readonly string[], values: readonly string[]): Params {
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) params[name] = values[index] as string;
  return params;
}

export function pathOf(target: string): string {
  const whole = target.startsWith('/') ? target : target.replace(schemeAndHost, '');
  const end = whole.search(/[?#]/);
  return end === -1 ? whole : whole.slice(0, end);
}

/** More than any pattern has: a longer address is not found, and the rest of it costs nothing. */
const maxSegments = 32;

function segmentsOf(path: string): string[] {
  return path.split('/', maxSegments).slice(1);
}

const longestSegment = 256;

/** After the split, so that an escaped slash does not split. */
function decodeSegment(segment: string): string {
  if (segment.length > longestSegment) throw new Refusal('bad_request', { detail: 'length of the address' });
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal('bad_request', { detail: 'percent-encoding of the address' });
  }
}
