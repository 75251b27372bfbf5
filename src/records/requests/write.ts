import type { Caller, UsedProof } from '../../base/caller.ts';
import { describe, Refusal } from '../../base/errors.ts';
import {
  type Answer,
  answer,
  type BearerHandler,
  type Input,
  jsonText,
  recordId,
} from '../../base/handler.ts';
import { createRecordId } from '../../base/random.ts';
import { CallerAccess, type CallerIdentity } from '../caller-access.ts';
import { readObject, readPatch } from '../fields.ts';
import { createsOnly, ifMatch } from '../preconditions.ts';
import { countsFor, etagOf, present, type SeenRecord } from '../present.ts';
import type { Change, IdempotencyKey, RecordChange, RefusalFacts, WriteResult } from '../rules/operation.ts';
import {
  takesIds,
  takesInput,
  toAct,
  toCreate,
  toCreateUnder,
  toPatch,
  toRemove,
  toReplace,
} from './changes.ts';
import type { CollectionParts, RecordParts } from './handler-parts.ts';
import { rateHeaders } from './read-limit.ts';

/** From a request to an operation: `changes` has all checks that need no database. rules/ decides the rest. */

/** Refuses a write before its body is read if the write queue is full. */
export function admitWrites({ writes }: RecordParts): (caller: Caller | null) => void {
  return (caller) => writes.checkRoom(caller?.id ?? '', 0);
}

/** POST /<collection> */
export function createRecord(parts: CollectionParts): BearerHandler {
  const { collection, clock } = parts;
  return submitting(parts, (input, { id }) => {
    const change = toCreate(collection, createRecordId(clock.now()), readObject(input));
    return { ...change, key: idempotencyKey(input, change.body, collection.name, id, parts) };
  });
}

/** PUT /<collection>/{id}: replaces the fields, or creates the record with `If-None-Match: *`. */
export function replaceRecord(parts: CollectionParts): BearerHandler {
  const { collection } = parts;
  return submitting(parts, (input) => {
    const id = recordId(input);
    if (!createsOnly(input)) return toReplace(collection, id, readObject(input), ifMatch(input));
    if (!takesIds(collection)) throw new Refusal('header_invalid', { members: { header: 'If-None-Match' } });
    return toCreateUnder(collection, id, readObject(input));
  });
}

/** PATCH /<collection>/{id}: a merge patch (RFC 7396). */
export function patchRecord(parts: CollectionParts): BearerHandler {
  return submitting(parts, (input) => {
    const patch = readPatch(input);
    return toPatch(parts.collection, recordId(input), patch, ifMatch(input));
  });
}

/** DELETE /<collection>/{id} */
export function removeRecord(parts: CollectionParts): BearerHandler {
  return submitting(parts, (input) => toRemove(parts.collection, recordId(input), ifMatch(input)));
}

/** POST /<collection>/{id}/<action>: moves the record to another state. */
export function takeAction(parts: CollectionParts, action: string): BearerHandler {
  const { collection } = parts;
  const mayHaveInput = takesInput(collection);
  return submitting(parts, (input) => {
    const hasInput = mayHaveInput && (input.body?.byteLength ?? 0) > 0;
    const fields = hasInput ? readObject(input) : {};
    return toAct(collection, recordId(input), action, fields, ifMatch(input));
  });
}

export function submitting<Asked extends RecordChange>(
  parts: CollectionParts,
  readChange: (input: Input, access: CallerAccess) => Asked | Promise<Asked>,
  toAnswer: (
    result: WriteResult,
    answering: AnswerContext,
    change: Asked,
  ) => Answer | Promise<Answer> = answerTo,
): BearerHandler {
  const admit = (caller: Caller) => ({
    ...parts,
    access: CallerAccess.admit(parts.lineage, caller, 'write'),
  });
  return submittingAs(parts, admit, readChange, toAnswer);
}

/** The way of every write that is not a batch: admit the caller, read the change, submit it, answer. */
export function submittingAs<Asked extends Change, Admitted extends Omit<Seeing, 'now'>>(
  parts: RecordParts,
  admit: (caller: Caller) => Admitted,
  readChange: (input: Input, access: CallerAccess, admitted: Admitted) => Asked | Promise<Asked>,
  toAnswer: (
    result: WriteResult,
    answering: Admitted & { readonly now: number },
    change: Asked,
  ) => Answer | Promise<Answer>,
): BearerHandler {
  const { writes, clock } = parts;
  return countingUncharged(parts, async (input, caller) => {
    const admitted = admit(caller);
    const { access } = admitted;
    let change: Asked;
    try {
      change = await readChange(input, access, admitted);
    } catch (refusal) {
      if (input.proof !== null) void useUp(input.proof, access.caller, parts);
      throw refusal;
    }
    const operation = { caller: access.caller, now: clock.now(), proof: input.proof, change };
    const context = { ...admitted, now: operation.now };
    const bytes = input.body?.byteLength ?? 0;
    try {
      const { result } = await writes.submit(operation, bytes, () => input.hasHungUp());
      if (result === null) throw new Error('A write of a record has a result.');
      return { answer: await toAnswer(result, context, change), isCharged: result.kind !== 'repeated' };
    } catch (error) {
      throw error instanceof Refusal ? await withFacts(error, context) : error;
    }
  });
}

/** The data that is needed to show a record to this caller. */
export interface Seeing extends SeenRecord {
  readonly store: CollectionParts['store'];
}

interface AnswerContext extends Seeing {
  readonly path: string;
}

async function answerTo(result: WriteResult, answering: AnswerContext): Promise<Answer> {
  const { kind, record, context, budget } = result;
  const { path, now } = answering;
  const rate = budget === null ? {} : rateHeaders('writes', budget, now);
  if (kind === 'removed') return answer(null, '', { status: 204, headers: rate });
  const etag = etagOf(record);
  const text = present(record, context, answering, await countsFor(record, answering));
  if (kind === 'changed') return jsonText(text, { headers: { etag, ...rate } });
  const repeated = kind === 'repeated' ? { 'idempotency-replayed': 'true' } : {};
  return jsonText(text, {
    status: 201,
    headers: { location: `${path}/${record.id}`, etag, ...rate, ...repeated },
  });
}

export async function withFacts({ code, options }: Refusal, answering: Seeing): Promise<Refusal> {
  const { budget, current, context = { members: [] } }: RefusalFacts = options.facts ?? {};
  const { now } = answering;
  const { facts: _, ...rest } = options;
  if (budget !== undefined)
    return new Refusal(code, { ...rest, headers: rateHeaders('writes', budget, now) });
  if (current === undefined) return new Refusal(code, rest);
  const counts = await countsFor(current, answering);
  const members = { current: JSON.parse(present(current, context, answering, counts)) };
  return new Refusal(code, { ...rest, members, headers: { etag: etagOf(current) } });
}

/**
 * A DPoP proof does not cover the body: without this, a copied proof of a refused write could be used at another process.
 */
export async function useUp(
  proof: UsedProof,
  caller: CallerIdentity,
  { writes, clock }: Pick<RecordParts, 'writes' | 'clock'>,
): Promise<void> {
  const operation = { caller, now: clock.now(), proof, change: { kind: 'refused' } } as const;
  try {
    await writes.submit(operation, 0, () => false);
  } catch {}
}

const keyForm = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** `of`: what the key counts for, a collection or batches. */
export function idempotencyKey(
  input: Input,
  request: string,
  of: string,
  caller: string,
  { digest }: Pick<RecordParts, 'digest'>,
): IdempotencyKey | null {
  const key = input.header('idempotency-key');
  if (key === undefined) return null;
  if (!keyForm.test(key)) throw new Refusal('header_invalid', { members: { header: 'Idempotency-Key' } });
  return { keyDigest: digest.of(caller, of, key), requestDigest: digest.of(request) };
}

type Write = (
  ...request: Parameters<BearerHandler>
) => Promise<{ readonly answer: Answer; readonly isCharged: boolean }>;

/**
 * A write that is refused or repeated counts as a read, because it reads the database. `attempts` bounds those in flight.
 */
export function countingUncharged({ reads, attempts }: RecordParts, write: Write): BearerHandler {
  return async (input, caller, token) => {
    const { id } = caller;
    if (id === null) return (await write(input, caller, token)).answer;
    attempts.take(id);
    try {
      const { answer, isCharged } = await write(input, caller, token);
      if (!isCharged) return { ...answer, head: [...answer.head, ...Object.entries(reads.take(id)).flat()] };
      attempts.refund(id);
      return answer;
    } catch (error) {
      const status = error instanceof Refusal ? describe(error.code).status : 500;
      if (error instanceof Refusal && isAnswerToTheCaller(status))
        throw withHeaders(error, reads.take(id, input.body?.byteLength));
      // A write refused for a spent budget stays counted for the minute: it has read the database, too.
      if (status !== 429) attempts.refund(id);
      throw error;
    }
  };
}

/** Neither a spent budget nor a failure of the service. */
function isAnswerToTheCaller(status: number): boolean {
  return status < 500 && status !== 429;
}

function withHeaders({ code, options }: Refusal, headers: Readonly<Record<string, string>>): Refusal {
  return new Refusal(code, { ...options, headers: { ...options.headers, ...headers } });
}
