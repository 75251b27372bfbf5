import type { UsedProof } from '../../base/caller.ts';
import { describe, Refusal } from '../../base/errors.ts';
import { type Answer, answer, type BearerHandler, type Input, jsonText } from '../../base/handler.ts';
import { createRecordId, createRevision } from '../../base/random.ts';
import type { Collection } from '../../collections/collection.ts';
import { actionFields } from '../../collections/roles.ts';
import { CallerAccess, type CallerIdentity } from '../caller-access.ts';
import { type Fields, readFields, readPatch, toBody } from '../fields.ts';
import { readAlias } from '../people-names.ts';
import { createsOnly, ifMatch } from '../preconditions.ts';
import { etagOf, present } from '../present.ts';
import { setByAction } from '../rules/change.ts';
import type { IdempotencyKey, RecordChange, RefusalFacts, WriteResult } from '../rules/operation.ts';
import { countsFor } from './context.ts';
import { type CollectionParts, type RecordParts, recordId } from './handler-parts.ts';
import { rateHeaders } from './read-limit.ts';

/** From a request to an operation: all checks that need no database. rules/ decides the rest. */

/** POST /<collection> */
export function createRecord(parts: CollectionParts): BearerHandler {
  return submitting(parts, (input, access) => {
    const body = toBody(parts.collection, newFields(input, parts.collection));
    const key = idempotencyKey(input, body, parts, access);
    return { ...named(parts, createRecordId(parts.clock.now())), kind: 'create', body, key };
  });
}

/** PUT /<collection>/{id}: replaces the fields, or creates the record with `If-None-Match: *`. */
export function replaceRecord(parts: CollectionParts): BearerHandler {
  return submitting(parts, (input) => {
    const record = named(parts, recordId(input));
    const isNew = createsOnly(input);
    // In a collection that has children, an id is never reused: they would get another parent.
    if (isNew && parts.collection.children.length > 0)
      throw new Refusal('header_invalid', { members: { header: 'If-None-Match' } });
    if (isNew) {
      const body = toBody(parts.collection, newFields(input, parts.collection));
      return { ...record, kind: 'create_under', body };
    }
    const body = toBody(parts.collection, readFields(input, parts.collection));
    return { ...record, kind: 'replace', body, expected: ifMatch(input) };
  });
}

/** PATCH /<collection>/{id}: a merge patch (RFC 7396). */
export function patchRecord(parts: CollectionParts): BearerHandler {
  return submitting(parts, (input) => {
    const patch = readPatch(input, parts.collection);
    return { ...named(parts, recordId(input)), kind: 'patch', patch, expected: ifMatch(input) };
  });
}

/** DELETE /<collection>/{id} */
export function removeRecord(parts: CollectionParts): BearerHandler {
  return submitting(parts, (input) => {
    return { ...named(parts, recordId(input)), kind: 'remove', expected: ifMatch(input) };
  });
}

/** POST /<collection>/{id}/<action>: moves the record to another state. */
export function takeAction(parts: CollectionParts, action: string): BearerHandler {
  const takesInput = parts.collection.isShared || actionFields(parts.collection).size > 0;
  const hasChoice = [...(parts.collection.machine?.states.values() ?? [])].some(
    (actions) => (actions.get(action)?.chosenFrom ?? null) !== null,
  );
  return submitting(parts, (input) => {
    const hasInput = takesInput && (input.body?.byteLength ?? 0) > 0;
    const fields = hasInput ? readFields(input, parts.collection) : {};
    const change = {
      ...named(parts, recordId(input)),
      kind: 'act',
      action,
      expected: ifMatch(input),
    } as const;
    if (!hasChoice) return { ...change, input: fields };
    const { member, ...others } = fields;
    const chosen = typeof member === 'string' ? readAlias(member) : null;
    return { ...change, input: others, chosen: chosen ?? new Uint8Array(16) };
  });
}

/** Fields that only actions set are refused in a new record. */
function newFields(input: Input, collection: Collection): Fields {
  const fields = readFields(input, collection);
  const errors = [...actionFields(collection)].flatMap(([name, actions]) =>
    Object.hasOwn(fields, name) ? [setByAction(name, actions)] : [],
  );
  if (errors.length > 0) throw new Refusal('validation_failed', { members: { errors } });
  return fields;
}

type ReadChange = (input: Input, access: CallerAccess) => RecordChange | Promise<RecordChange>;

export function submitting(
  parts: CollectionParts,
  readChange: ReadChange,
  toAnswer: (result: WriteResult, answering: AnswerContext) => Answer | Promise<Answer> = answerTo,
): BearerHandler {
  const { lineage, writes, clock } = parts;
  return countingUncharged(parts, async (input, caller) => {
    const access = CallerAccess.admit(lineage, caller, 'write');
    let change: RecordChange;
    try {
      change = await readChange(input, access);
    } catch (refusal) {
      if (input.proof !== null) void useUp(input.proof, access.caller, parts);
      throw refusal;
    }
    const operation = { caller: access.caller, now: clock.now(), proof: input.proof, change };
    const context: AnswerContext = { ...parts, access, now: operation.now };
    const bytes = input.body?.byteLength ?? 0;
    try {
      const { result } = await writes.submit(operation, bytes, () => input.hasHungUp());
      if (result === null) throw new Error('A write of a record has a result.');
      return { answer: await toAnswer(result, context), isCharged: result.kind !== 'repeated' };
    } catch (error) {
      throw error instanceof Refusal ? await withFacts(error, context) : error;
    }
  });
}

export interface AnswerContext
  extends Pick<CollectionParts, 'collection' | 'lineage' | 'path' | 'names' | 'store'> {
  readonly access: CallerAccess;
  readonly now: number;
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

async function withFacts({ code, options }: Refusal, answering: AnswerContext): Promise<Refusal> {
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

export function named({ collection }: CollectionParts, id: string) {
  return { collection: collection.name, id, revision: createRevision() };
}

const keyForm = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

function idempotencyKey(
  input: Input,
  body: string,
  { collection, digest }: CollectionParts,
  { id }: CallerAccess,
): IdempotencyKey | null {
  const key = input.header('idempotency-key');
  if (key === undefined) return null;
  if (!keyForm.test(key)) throw new Refusal('header_invalid', { members: { header: 'Idempotency-Key' } });
  return { keyDigest: digest.of(id, collection.name, key), requestDigest: digest.of(body) };
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
      if (error instanceof Refusal && isAnswerToTheCaller(status)) throw withHeaders(error, reads.take(id));
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
