/** The parts of OpenAPI 3.1 that the document uses. See `OpenApiDocument` in document.ts. */
export type Schema = Readonly<Record<string, unknown>>;
export type Schemas = Readonly<Record<string, Schema>>;

export interface Tag {
  readonly name: string;
  readonly description: string;
  /** The roles that may do each operation on records of the collection. */
  readonly 'x-matrix'?: object;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export const methods: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];
export type PathItem = { readonly [M in Method]?: ApiOperation };

export type Security = readonly Readonly<Record<string, readonly string[]>>[];

export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated?: true | undefined;
  readonly security: Security | undefined;
  readonly parameters?: readonly (Parameter | Reference)[] | undefined;
  readonly requestBody?: { readonly required: boolean; readonly content: Content } | undefined;
  readonly responses: Responses;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: Schema;
}

export type Responses = Readonly<Record<string, Response | Reference>>;

export interface Reference {
  readonly $ref: string;
}

export interface Response {
  readonly description: string;
  readonly headers?: Headers | undefined;
  readonly content?: Content | undefined;
}

export type Headers = Readonly<Record<string, Header | Reference>>;

export interface Header {
  readonly description: string;
  readonly required?: true;
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
