/** The parts of an OpenAPI 3.1 document that the page shows. */
export interface OpenApi {
  readonly info: Readonly<Record<'title' | 'version' | 'description', string>>;
  readonly servers: readonly { readonly url: string }[];
  readonly security: Security;
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Tag {
  readonly name: string;
  readonly description: string;
  /** Of a collection with roles. */
  readonly 'x-matrix'?: Matrix;
}

/** What each role may do with a record in each state; the state is null where the collection has none. */
export interface Matrix {
  readonly states: readonly (string | null)[];
  readonly roles: Readonly<Record<string, Readonly<Record<string, readonly (string | null)[]>>>>;
}

/** An operation with its address. */
export interface Endpoint {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

type Security = readonly Readonly<Record<string, readonly string[]>>[];

/** As it is in the document; without `security` it has that of the document. */
export type DocumentedOperation = Omit<Operation, 'security'> & { readonly security?: Security };

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly security: Security;
  readonly parameters?: readonly Parameter[] | undefined;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
}

export interface Answer {
  readonly $ref?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** A sentence for each value of `enum`. */
  readonly 'x-enum-descriptions'?: readonly string[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}
