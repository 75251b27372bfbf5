import type { ErrorCode } from '../base/errors.ts';
import type { Content, Headers, Parameter, Response, Schema, Schemas, Tag } from './openapi-types.ts';

/**
 * What a route says of itself, beside its handler. Whatever follows from it (the errors of a route that takes a token,
 * a header, an id; the headers of a budget) is not said here: document.ts knows.
 */
export interface Description {
  /** One word, which programs made from the document call it by. */
  readonly name: string;
  /** What it is shown under. */
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: Content;
  /** When all goes well, by status. */
  readonly answers: Readonly<Record<number, Response>>;
  /** On all of these. */
  readonly headers?: Headers;
  /** Besides those that follow from the rest. */
  readonly errors?: readonly ErrorCode[];
  /** Which budget of the caller it is charged to. */
  readonly budget?: 'reads' | 'writes';
  /** What the token has to allow, and what that means in words. */
  readonly scope?: { readonly name: string; readonly meaning: string } | null;
  /** Machine clients are not admitted. */
  readonly isForPeople?: boolean;
  /** The tokens that it gives are bound to the key of a DPoP proof, where one is sent. */
  readonly bindsTokens?: boolean;
  readonly deprecated?: true | undefined;
  readonly limits?: object;
  /** The record that the answer to a failed precondition shows. */
  readonly current?: Schema;
  /** What is sent to those who asked to be told: a sentence for each, by its name. */
  readonly webhooks?: { readonly of: Readonly<Record<string, string>>; readonly body: Schema };
  /** What its schemas refer to, by name. */
  readonly schemas?: Schemas;
}

/** What the built-in routes are shown under. */
export const tags = {
  caller: { name: 'The caller', description: 'Whoever the token speaks for, and what is held about it.' },
  events: { name: 'Events', description: 'What happened to records, as it happens or afterwards.' },
  tokens: {
    name: 'Tokens',
    description: 'How machine clients get tokens, and how anyone can verify them.',
  },
  sessions: {
    name: 'Sessions',
    description: 'How a provider, or the client itself, takes tokens back before their end.',
  },
  about: { name: 'This API', description: 'What there is, for programs and for people.' },
} as const satisfies Readonly<Record<string, Tag>>;

/** The answer of most routes: 200 with JSON. */
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
