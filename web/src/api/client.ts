import {
  type Client,
  type HistoryStep,
  type Operation,
  Problem,
  type UntypedCollection,
} from '../../../packages/client/src/index.ts';
import type { RecordItem } from './types.ts';

export type {
  Budget,
  Events,
  FieldError,
  Invitation,
  Me,
  Member,
  NewInvitation,
  Page,
  Receipt,
  RecordEvent,
  Usage,
} from '../../../packages/client/src/index.ts';
export { createClient, etagOf, Problem } from '../../../packages/client/src/index.ts';

/** The collections are known only at run time. */
export type Collections = Record<string, Omit<UntypedCollection, 'record'> & { record: RecordItem }>;

export type Api = Client<Collections>;
export type BatchOperation = Operation<Collections>;
export type HistoryEntry = HistoryStep<UntypedCollection>;

/** For `catch`: any error that is not a `Problem` is a bug of this page, and is thrown on. */
export function caught(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
