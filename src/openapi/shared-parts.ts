import { crc32 } from 'node:zlib';
import type { Header, Headers, Parameter, PathItem, Reference, Response } from './openapi-types.ts';

/** Parts that stand in `components` once, and that operations refer to. */
export class PartsInUse {
  readonly parameters: Record<string, Parameter> = {};
  readonly responses: Record<string, Response> = {};
  readonly headers: Record<string, Header> = {};
  readonly pathItems: Record<string, PathItem> = {};

  /** The key has a digest of the part, so it is the same whatever else the document describes. */
  share<T extends object>(
    kind: Exclude<keyof PartsInUse, 'share' | 'shareHeaders'>,
    name: string,
    part: T,
  ): T | Reference {
    const text = JSON.stringify(part);
    const digest = (crc32(text) % 36 ** 3).toString(36);
    // Generators make names of the keys: no digit first.
    const key = `${name.replace(/^\d/, 'r$&').replace('[', '.').replace(']', '')}.${digest}`;
    const known: Record<string, object> = this[kind];
    known[key] ??= part;
    // Another part can have the same digest.
    return JSON.stringify(known[key]) === text ? { $ref: `#/components/${kind}/${key}` } : part;
  }

  shareHeaders(headers: Headers): Headers {
    const shared = Object.entries(headers).map(([name, header]) => [
      name,
      this.share('headers', name, header),
    ]);
    return Object.fromEntries(shared);
  }
}
