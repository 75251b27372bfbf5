import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import type { RecordStore, StoredInvitation, StoredMember } from '../port.ts';
import { toInvitation, toMember } from '../rows.ts';
import type { Database } from '../schema.ts';

type After = Parameters<RecordStore['members']>[2];

export async function membersOf(
  reader: Database,
  collection: string,
  id: string,
  after: After,
  limit: number,
): Promise<readonly StoredMember[]> {
  let members = reader
    .selectFrom('members')
    .selectAll()
    .where('collection', '=', collection)
    .where('record_id', '=', id);
  if (after !== null)
    members = members.where(sql<boolean>`(alias, role) > (${Buffer.from(after.alias)}, ${after.role})`);
  const rows = await members.orderBy('alias').orderBy('role').limit(limit).execute();
  return rows.map(toMember);
}

export async function membershipsOf(
  reader: Database,
  member: string,
  after: StoredMember | null,
  limit: number,
): Promise<readonly StoredMember[]> {
  let members = reader.selectFrom('members').selectAll().where('member', '=', member);
  if (after !== null) {
    const { collection, recordCreatedAt, recordId, role } = after;
    members = members.where(
      sql<boolean>`(collection, record_created_at, record_id, role)
        > (${collection}, ${recordCreatedAt}, ${recordId}, ${role})`,
    );
  }
  const rows = await members
    .orderBy('collection')
    .orderBy('record_created_at')
    .orderBy('record_id')
    .orderBy('role')
    .limit(limit)
    .execute();
  return rows.map(toMember);
}

export async function invitationsOf(
  reader: Database,
  collection: string,
  id: string,
  now: number,
): Promise<readonly StoredInvitation[]> {
  const open = openInvitations(reader, now).where('collection', '=', collection).where('record_id', '=', id);
  return (await open.execute()).map(toInvitation);
}

export async function invitationsBy(
  reader: Database,
  maker: string,
  now: number,
): Promise<readonly StoredInvitation[]> {
  return (await openInvitations(reader, now).where('made_by', '=', maker).execute()).map(toInvitation);
}

function openInvitations(reader: Database, now: number) {
  return reader
    .selectFrom('invitations')
    .selectAll()
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .orderBy('id');
}
