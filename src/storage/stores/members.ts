import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import { tables } from '../batch/tables.ts';
import type { RecordStore, StoredInvitation, StoredMember } from '../port.ts';
import { columnsOf, type Database } from '../schema.ts';

type After = Parameters<RecordStore['members']>[2];

export async function membersOf(
  reader: Database,
  collection: string,
  id: string,
  after: After,
  limit: number,
): Promise<readonly StoredMember[]> {
  let members = membersIn(reader).where('collection', '=', collection).where('record_id', '=', id);
  if (after !== null)
    members = members.where(sql<boolean>`(alias, role) > (${Buffer.from(after.alias)}, ${after.role})`);
  return members.orderBy('alias').orderBy('role').limit(limit).execute();
}

function membersIn(reader: Database) {
  return reader.selectFrom('members').select(columnsOf(tables.members)).$castTo<StoredMember>();
}

export async function membershipsOf(
  reader: Database,
  member: string,
  after: StoredMember | null,
  limit: number,
): Promise<readonly StoredMember[]> {
  let members = membersIn(reader).where('member', '=', member);
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
  return reader
    .selectFrom('invitations')
    .select(columnsOf(tables.invitations))
    .$castTo<StoredInvitation>()
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .orderBy('id');
}
