import type { Answer, Input } from '../../base/handler.ts';
import type { Principal } from '../../base/principal.ts';

/** What a write looks at of a request, and of who sends it: all of this goes to the thread that does it. */
export interface WriteInput extends Pick<Input, 'contentType' | 'body' | 'params'> {
  header(name: WriteHeader): string | undefined;
}

export const writeHeaders = ['content-encoding', 'idempotency-key', 'if-match', 'if-none-match'] as const;
export type WriteHeader = (typeof writeHeaders)[number];

export type Writer = Pick<Principal, 'id' | 'kind' | 'scopes' | 'credentialId'>;

export type WriteHandler = (input: WriteInput, writer: Writer) => Promise<Answer>;

/** What can be done to the records of a collection; an action is one that its states declare. */
export type Write = 'create' | 'replace' | 'patch' | 'remove' | `take ${string}`;
