import type { DocumentStore } from '../port.ts';
import type { Database } from '../schema.ts';

export function documents(database: Database): DocumentStore {
  return {
    async read(name) {
      const row = await database
        .selectFrom('documents')
        .selectAll()
        .where('name', '=', name)
        .executeTakeFirst();
      return row === undefined ? null : { content: row.content, mac: new Uint8Array(row.mac) };
    },

    async writeFirst(name, content, mac) {
      await database
        .insertInto('documents')
        .values({ name, content, mac })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
    },

    async write(name, content, mac) {
      await database
        .insertInto('documents')
        .values({ name, content, mac })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ content, mac }))
        .execute();
    },
  };
}
