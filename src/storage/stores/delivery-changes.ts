import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { AttemptResults, NewDelivery } from '../port.ts';
import type { Database } from '../schema.ts';

/** What changes deliveries as a part of a larger transaction. */

/** A statement has at most 32,766 values. */
const mostRows = 1_000;

/** As one that was never tried. */
export const anew = { state: 'pending', attempts: 0, reason: null, tried_at: null } as const;

/** Only for events that still exist; PostgreSQL waits here for a transaction that deletes one. Existing rows start anew. */
export async function insertDeliveries(
  engine: Engine,
  transaction: Database,
  webhookId: string,
  deliveries: readonly NewDelivery[],
  dueAt: number,
): Promise<number> {
  let count = 0;
  for (let done = 0; done < deliveries.length; done += mostRows) {
    const some = deliveries.slice(done, done + mostRows);
    const positions = some.map(({ position }) => position);
    const there = await transaction
      .selectFrom('events')
      .select('position')
      .where('position', 'in', positions)
      .$if(engine.name === 'postgres', (query) => query.forKeyShare())
      .execute();
    const kept = new Set(there.map(({ position }) => position));
    const rows = some
      .filter(({ position }) => kept.has(position))
      .map(({ position, key }) => ({
        webhook_id: webhookId,
        position,
        record_key: key,
        due_at: dueAt,
        ...anew,
      }));
    if (rows.length === 0) continue;
    count += rows.length;
    await transaction
      .insertInto('deliveries')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['webhook_id', 'position']).doUpdateSet({ ...anew, due_at: dueAt }),
      )
      .execute();
  }
  return count;
}

/** What has failed and waits is due now. */
export async function makeDue(transaction: Database, webhookId: string, now: number): Promise<void> {
  await transaction
    .updateTable('deliveries')
    .set({ due_at: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', sql.lit('pending'))
    .where('tried_at', 'is not', null)
    .where('due_at', '>', now)
    .execute();
}

/** The results of attempts, and the health of the receiver. */
export async function recordAttempts(
  engine: Engine,
  transaction: Database,
  webhookId: string,
  results: AttemptResults,
): Promise<void> {
  const { at, delivered, failed, health, retryFailedSince } = results;
  // The webhook first: all transactions that change both lock in this order.
  await transaction
    .updateTable('webhooks')
    .set(({ eb }) => ({
      delivered: eb('delivered', '+', delivered.length),
      ...(delivered.length > 0 ? { last_success_at: at } : {}),
      ...(failed.length > 0 ? { last_failure: failed.at(-1)?.reason ?? null } : {}),
      failing_since: health.failingSince,
      failures: health.failures,
      paused_until: health.pausedUntil,
    }))
    .where('id', '=', webhookId)
    .execute();
  // Locked by position, the order in which an erasure deletes them: no deadlock.
  const positions = [...delivered, ...failed].map(({ position }) => position);
  if (engine.name === 'postgres' && positions.length > 0)
    await transaction
      .selectFrom('deliveries')
      .select('position')
      .where('webhook_id', '=', webhookId)
      .where('position', 'in', positions)
      .orderBy('position')
      .forUpdate()
      .execute();
  if (delivered.length > 0)
    await transaction
      .deleteFrom('deliveries')
      .where('webhook_id', '=', webhookId)
      .where(({ eb, or }) =>
        or(delivered.map(({ position, dueAt }) => eb('position', '=', position).and('due_at', '=', dueAt))),
      )
      .execute();
  for (const { position, reason, retryAt } of failed)
    await transaction
      .updateTable('deliveries')
      .set(({ eb }) => ({
        attempts: eb('attempts', '+', 1),
        reason,
        tried_at: at,
        ...(retryAt === null ? { state: 'dead' as const } : { due_at: retryAt }),
      }))
      .where('webhook_id', '=', webhookId)
      .where('position', '=', position)
      .execute();
  if (retryFailedSince !== null)
    await transaction
      .updateTable('deliveries')
      .set({ due_at: at })
      .where('webhook_id', '=', webhookId)
      .where('state', '=', 'pending')
      .where('due_at', '>', at)
      .where('tried_at', '>=', retryFailedSince)
      .execute();
}
