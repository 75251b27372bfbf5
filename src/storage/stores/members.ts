import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import type { RecordStore, StoredHistoryEntry, StoredInvitation, StoredMember } from '../port.ts';
import { type Database, rowsOf } from '../schema.ts';

type After = Parameters<RecordStore['members']>[2];

export async function membersOf(
  reader: Database,
  collection: string,
  id: string,
  after: After,
  limit: number,
): Promise<readonly StoredMember[]> {
  let members = rowsOf(reader, 'members').where('collection', '=', collection).where('record_id', '=', id);
  if (after !== null)
    members = members.where(sql<boolean>`(alias, role) > (${Buffer.from(after.alias)}, ${after.role})`);
  return members.orderBy('alias').orderBy('role').limit(limit).execute();
}

export async function membershipsOf(
  reader: Database,
  member: string,
  after: StoredMember | null,
  limit: number,
): Promise<readonly StoredMember[]> {
  let members = rowsOf(reader, 'members').where('member', '=', member);
  if (after !== null) {
    const { collection, recordCreatedAt, recordId, role } = after;
    members = members.where(
      sql<boolean>`(collection, record_created_at, record_id, role)
        > (${collection}, ${recordCreatedAt}, ${recordId}, ${role})`,
    );
  }
  return members
    .orderBy('collection')
    .orderBy('record_created_at')
    .orderBy('record_id')
    .orderBy('role')
    .limit(limit)
    .execute();
}

export async function invitationsOf(
  reader: Database,
  collection: string,
  id: string,
  now: number,
): Promise<readonly StoredInvitation[]> {
  const open = openInvitations(reader, now).where('collection', '=', collection).where('record_id', '=', id);
  return open.execute();
}

export async function invitationsBy(
  reader: Database,
  maker: string,
  now: number,
): Promise<readonly StoredInvitation[]> {
  return openInvitations(reader, now).where('made_by', '=', maker).execute();
}

function openInvitations(reader: Database, now: number) {
  return rowsOf(reader, 'invitations').where('expires_at', '>', now).orderBy('created_at').orderBy('id');
}

export async function historyOf(
  reader: Database,
  [collection, ids, page]: Parameters<RecordStore['history']>,
): Promise<readonly StoredHistoryEntry[]> {
  if (ids.length === 0) return [];
  const entries = rowsOf(reader, 'record_history')
    .where('collection', '=', collection)
    .where('record_id', 'in', ids)
    .orderBy('record_id')
    .orderBy('n');
  return (page === undefined ? entries : entries.where('n', '>', page.after).limit(page.limit)).execute();
}
