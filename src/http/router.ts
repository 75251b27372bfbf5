import { Refusal } from '../base/errors.ts';

export type Params = Readonly<Record<string, string>>;

interface Match<T> {
  readonly value: T;
  readonly params: Params;
}

interface Node<T> {
  readonly children: Map<string, Node<T>>;
  /** What stands for any one segment, and the name it is handed on under. */
  parameter: { readonly name: string; readonly node: Node<T> } | null;
  value: T | null;
}

const noParams: Params = {};
/** A request may name the whole address (RFC 9112 section 3.2.2); which host it names opens nothing. */
const schemeAndHost = /^https?:\/\/[^/?#]*/i;

/**
 * Leads from the address of a request to what answers there. A handful of patterns, whose segments are fixed or
 * `:named`, need no router that compiles text to code, which a hardened Node process refuses to do.
 */
export class Router<T> {
  /** Patterns without parameters, found in one look; the tree has them too, for addresses with escapes. */
  readonly #fixed = new Map<string, T>();
  readonly #root = newNode<T>();

  add(pattern: string, value: T): void {
    if (!pattern.includes(':')) this.#fixed.set(pattern, value);
    let node = this.#root;
    for (const segment of segmentsOf(pattern))
      node = segment.startsWith(':') ? under(node, segment.slice(1)) : child(node, segment);
    node.value = value;
  }

  /** Null for an address where nothing is. Throws for one that cannot be read. */
  find(target: string): Match<T> | null {
    const path = this.#fixed.has(target) ? target : pathOf(target);
    const fixed = this.#fixed.get(path);
    if (fixed !== undefined) return { value: fixed, params: noParams };
    if (!path.startsWith('/')) return null;
    return walk(this.#root, segmentsOf(path).map(decodeSegment), 0, noParams);
  }
}

function newNode<T>(): Node<T> {
  return { children: new Map(), parameter: null, value: null };
}

function child<T>(node: Node<T>, segment: string): Node<T> {
  const known = node.children.get(segment) ?? newNode<T>();
  node.children.set(segment, known);
  return known;
}

function under<T>(node: Node<T>, name: string): Node<T> {
  node.parameter ??= { name, node: newNode() };
  return node.parameter.node;
}

/** A fixed segment goes before a parameter; where it leads nowhere the parameter is tried. */
function walk<T>(node: Node<T>, segments: readonly string[], at: number, params: Params): Match<T> | null {
  const segment = segments[at];
  if (segment === undefined) return node.value === null ? null : { value: node.value, params };
  const fixed = node.children.get(segment);
  const found = fixed === undefined ? null : walk(fixed, segments, at + 1, params);
  if (found !== null || node.parameter === null || segment === '') return found;
  const { name, node: next } = node.parameter;
  return walk(next, segments, at + 1, { ...params, [name]: segment });
}

export function pathOf(target: string): string {
  const whole = target.startsWith('/') ? target : target.replace(schemeAndHost, '');
  const end = whole.search(/[?#]/);
  return end === -1 ? whole : whole.slice(0, end);
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
}

/** Nothing here has a name that is nearly as long. */
const longestSegment = 256;

/** After the split, so that an escaped slash is a letter of its segment. */
function decodeSegment(segment: string): string {
  if (segment.length > longestSegment) throw new Refusal('bad_request', { detail: 'length of the address' });
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal('bad_request', { detail: 'percent-encoding of the address' });
  }
}
