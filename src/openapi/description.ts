import type { ErrorCode } from '../base/errors.ts';
import type { Content, Headers, Parameter, Response, Schema, Schemas, Tag } from './openapi-types.ts';

/**
 * The description of a route. document.ts adds what follows from it, such as the errors of tokens and the headers of
 * budgets.
 */
export interface Description {
  readonly name: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: Content;
  /** Answers of success, by status. */
  readonly answers: Readonly<Record<number, Response>>;
  /** Headers of all answers. */
  readonly headers?: Headers;
  readonly errors?: readonly ErrorCode[];
  readonly budget?: 'reads' | 'writes';
  /** The scope that the token needs, and its meaning. */
  readonly scope?: { readonly name: string; readonly meaning: string } | null;
  /** True if machine clients are refused. */
  readonly isForPeople?: boolean;
  /** True if issued tokens are bound to the key of a DPoP proof, if one is sent. */
  readonly bindsTokens?: boolean;
  readonly deprecated?: true | undefined;
  /** The record in the answer to a failed precondition. */
  readonly current?: Schema;
  readonly webhooks?: { readonly names: readonly string[]; readonly body: Schema };
  /** The schemas that this route refers to, by name. */
  readonly schemas?: Schemas;
}

export const tags = {
  caller: { name: 'The caller', description: 'The caller of the token, and its stored data.' },
  events: { name: 'Events', description: 'Events of records, live or afterwards.' },
  tokens: { name: 'Tokens', description: 'Tokens for machine clients, and the keys to verify them.' },
  sessions: { name: 'Sessions', description: 'Revocation of tokens by a provider or a client.' },
  about: { name: 'This API', description: 'The description of the API, for programs and for people.' },
} as const satisfies Readonly<Record<string, Tag>>;

export function answersJson(description: string, schema: Schema): Description['answers'] {
  return { 200: { description, content: { 'application/json': { schema } } } };
}

export function answersText(description: string, mediaType: string): Description['answers'] {
  return { 200: { description, content: { [mediaType]: { schema: { type: 'string' } } } } };
}

export function queryParameter(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'query', description, schema };
}

export function headerParameter(name: string, description: string, schema?: Schema): Parameter {
  return { name, in: 'header', description, schema: { type: 'string', ...schema } };
}
