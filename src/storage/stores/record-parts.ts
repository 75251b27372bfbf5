import { Buffer } from 'node:buffer';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { RecordStore } from '../port.ts';
import { type Database, rowsOf, type Tables } from '../schema.ts';

type InvitationCall = 'invitations' | 'invitation' | 'invitationsBy';

/** Members, invitations and histories of records. */
export function recordParts(
  reader: Database,
): Pick<RecordStore, 'members' | 'history' | 'membershipsOf' | InvitationCall> {
  const openInvitations = (now: number) =>
    rowsOf(reader, 'invitations').where('expires_at', '>', now).orderBy('created_at').orderBy('id');
  return {
    members(collection, id, after, limit) {
      const members = rowsOf(reader, 'members')
        .where('collection', '=', collection)
        .where('record_id', '=', id);
      return rowsAfter(members, ['alias', 'role'], after && [Buffer.from(after.alias), after.role], limit);
    },

    async history(collection, ids, after, limit) {
      const remaining = after === null ? ids : ids.filter((id) => id >= after.recordId);
      if (remaining.length === 0) return [];
      const entries = rowsOf(reader, 'record_history')
        .where('collection', '=', collection)
        .where('record_id', 'in', remaining);
      return rowsAfter(entries, ['record_id', 'n'], after && [after.recordId, after.n], limit);
    },

    membershipsOf(member, after, limit) {
      const members = rowsOf(reader, 'members').where('member', '=', member);
      const place = after && [after.collection, after.recordCreatedAt, after.recordId, after.role];
      return rowsAfter(members, ['collection', 'record_created_at', 'record_id', 'role'], place, limit);
    },

    invitations: (collection, id, now) =>
      openInvitations(now).where('collection', '=', collection).where('record_id', '=', id).execute(),

    invitation: async (digest, now) =>
      (await openInvitations(now)
        .where('digest', '=', Buffer.from(digest))
        .where('made_by', 'in', reader.selectFrom('consumers').select('id').where('state', '=', 'active'))
        .executeTakeFirst()) ?? null,

    invitationsBy: (maker, now) => openInvitations(now).where('made_by', '=', maker).execute(),
  };
}

/** The next rows in the order of these columns. `after`: their values in the last row. */
export function rowsAfter<Name extends keyof Tables, Row>(
  rows: SelectQueryBuilder<Tables, Name, Row>,
  columns: readonly string[],
  after: readonly unknown[] | null,
  limit: number,
): Promise<Row[]> {
  const place = sql.join(columns.map((column) => sql.ref(column)));
  const rest = after === null ? rows : rows.where(sql<boolean>`(${place}) > (${sql.join(after)})`);
  return rest.orderBy(place).limit(limit).execute();
}
