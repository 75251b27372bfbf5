import { Refusal } from '../base/errors.ts';

export type Params = Readonly<Record<string, string>>;

interface Match<T> {
  readonly value: T;
  readonly params: Params;
}

interface RoutePattern<T> {
  readonly segments: readonly string[];
  readonly value: T;
}

const noParams: Params = {};
/** A request may name the whole address (RFC 9112 section 3.2.2). */
const schemeAndHost = /^https?:\/\/[^/?#]*/i;

/** Finds what answers at an address. Segments of patterns are fixed or `:named`. */
export class Router<T> {
  /** Patterns without parameters, by their text. */
  readonly #fixed = new Map<string, T>();
  /** All patterns by their number of segments, in the order in which they are tried. */
  readonly #patterns: ReadonlyMap<number, readonly RoutePattern<T>[]>;

  constructor(values: ReadonlyMap<string, T>) {
    // A fixed segment is tried before a parameter.
    const rank = (pattern: string) => pattern.replaceAll(/:[^/]+/g, '\uffff');
    const sorted = [...values].sort(([one], [other]) => (rank(one) < rank(other) ? -1 : 1));
    for (const [pattern, value] of sorted) if (!pattern.includes(':')) this.#fixed.set(pattern, value);
    const patterns = sorted.map(([pattern, value]) => ({ segments: segmentsOf(pattern), value }));
    this.#patterns = Map.groupBy(patterns, ({ segments }) => segments.length);
  }

  /** Throws for an address that cannot be decoded. */
  find(target: string): Match<T> | null {
    const path = this.#fixed.has(target) ? target : pathOf(target);
    const fixed = this.#fixed.get(path);
    if (fixed !== undefined) return { value: fixed, params: noParams };
    if (!path.startsWith('/')) return null;
    const segments = segmentsOf(path).map(decodeSegment);
    for (const pattern of this.#patterns.get(segments.length) ?? []) {
      const params = paramsOf(pattern.segments, segments);
      if (params !== null) return { value: pattern.value, params };
    }
    return null;
  }
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Params | null {
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] as string;
    if (expected.startsWith(':') && segment !== '') params[expected.slice(1)] = segment;
    else if (expected !== segment) return null;
  }
  return params;
}

export function pathOf(target: string): string {
  const whole = target.startsWith('/') ? target : target.replace(schemeAndHost, '');
  const end = whole.search(/[?#]/);
  return end === -1 ? whole : whole.slice(0, end);
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
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
