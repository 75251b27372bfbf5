import type { Schema } from '../collections/collection.ts';

/** The parts of OpenAPI 3.1 that our document consists of. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  readonly paths: Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

export interface Tag {
  readonly name: string;
  readonly description: string;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export const methods: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

export type Paths = Readonly<Record<string, PathItem>>;
export type PathItem = { readonly [M in Method]?: Operation };

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: true;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Responses;
  readonly 'x-limits'?: object;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: Schema;
}

export interface RequestBody {
  readonly required: boolean;
  readonly content: Content;
}

export type Responses = Readonly<Record<string, Response | Reference>>;

export interface Reference {
  readonly $ref: string;
}

export interface Response {
  readonly description: string;
  readonly headers?: Headers;
  readonly content?: Content;
}

export type Headers = Readonly<Record<string, Header>>;

export interface Header {
  readonly description: string;
  readonly required?: true;
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, MediaType>>;

export interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
}
