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

/** Which collections there are is known only when the page runs. */
export type Collections = Record<string, Omit<UntypedCollection, 'record'> & { record: RecordItem }>;

export type Api = Client<Collections>;
export type BatchOperation = Operation<Collections>;
export type HistoryEntry = HistoryStep<UntypedCollection>;

/** For `catch`: what is no problem is a mistake of this page. */
export function caught(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
