import type { Connection } from './connection.ts';
import { linesOf } from './lines.ts';
import { Problem } from './problem.ts';
import type { CallOptions, ExportLine } from './types.ts';

/** Everything that is held about the caller, line by line. Throws at the end if a part is missing. */
export async function* exportAll(
  connection: Connection,
  options?: CallOptions,
): AsyncGenerator<ExportLine, void, void> {
  let records = 0;
  try {
    for await (const line of linesOf(connection, { path: '/me/export' }, options)) {
      const said = JSON.parse(line);
      if (said.type === 'end' && said.records === records) return;
      if (said.type === 'record') records += 1;
      yield said;
    }
  } catch (error) {
    // The export did not begin.
    if (error instanceof Problem) throw error;
    options?.signal?.throwIfAborted();
  }
  throw new Problem(0, { code: 'export_incomplete' });
}
