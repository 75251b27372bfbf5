import { Refusal } from '../../base/errors.ts';
import type { Input } from '../../base/handler.ts';
import type { Collection } from '../../collections/collection.ts';

export const longestWaitSeconds = 30;
export const largestPage = 100;

/** What a request for events asks for. */
export interface AskedEvents {
  readonly isStream: boolean;
  /** Null: all that admit the caller. */
  readonly collections: readonly Collection[] | null;
  /** After this position; null: from now on. */
  readonly after: number | null;
  readonly waitMs: number;
}

const known: ReadonlySet<string> = new Set(['collection', 'after', 'wait']);
const positionForm = /^(?:0|[1-9]\d{0,14})$/;

/** Throws when something in it cannot be used. A stream that comes again says where it was in `Last-Event-ID`. */
export function readEventQuery(input: Input, declared: readonly Collection[]): AskedEvents {
  const parameters = new URLSearchParams(input.query);
  for (const name of parameters.keys())
    if (!known.has(name) || parameters.getAll(name).length > 1) throw invalid(name);
  const isStream = wantsStream(input.header('accept'));
  return {
    isStream,
    collections: readCollections(parameters.get('collection'), declared),
    after: readPosition(input, parameters, isStream),
    waitMs: readWait(parameters.get('wait'), isStream),
  };
}

/** A browser asks for it by this name, and so does whoever wants it; anything else is a page. */
function wantsStream(accept = ''): boolean {
  return accept.split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === 'text/event-stream');
}

function readCollections(text: string | null, declared: readonly Collection[]): readonly Collection[] | null {
  if (text === null) return null;
  return [...new Set(text.split(','))].map((name) => {
    const collection = declared.find((one) => one.name === name);
    if (collection === undefined) throw invalid('collection');
    return collection;
  });
}

function readPosition(input: Input, parameters: URLSearchParams, isStream: boolean): number | null {
  const resumed = isStream ? input.header('last-event-id') : undefined;
  if (resumed !== undefined && resumed !== '') {
    if (!positionForm.test(resumed))
      throw new Refusal('header_invalid', { members: { header: 'Last-Event-ID' } });
    return Number(resumed);
  }
  const after = parameters.get('after');
  if (after === null) return null;
  if (!positionForm.test(after)) throw invalid('after');
  return Number(after);
}

function readWait(text: string | null, isStream: boolean): number {
  if (text === null) return 0;
  if (isStream || !/^\d{1,2}$/.test(text) || Number(text) > longestWaitSeconds) throw invalid('wait');
  return Number(text) * 1000;
}

function invalid(parameter: string): Refusal {
  return new Refusal('query_invalid', { members: { parameter } });
}
