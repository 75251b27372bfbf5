import { startPostgresServer } from '../shared/postgres.ts';
import { writeFigures, writeTables } from '../shared/report.ts';
import type { Stage } from '../shared/stage.ts';
import { callers, signTokens } from '../shared/tokens.ts';
import { deliveryTable, measureDelivery, writesPerSecond } from './delivery.ts';
import { idleTable, measureIdle } from './idle.ts';
import type { EventsStage } from './service.ts';
import { measureWrites, writesTable } from './writes.ts';

/** Measures what events cost writes, how soon a stream gets them, and the cost of idle streams. */
export async function measureEvents(shared: Stage): Promise<string> {
  const { repeat, seconds } = shared.options;
  const tokens = await signTokens(shared.provider, callers);
  const postgres = await startPostgresServer(shared.folder);
  const stage: EventsStage = { ...shared, tokens, postgres };
  try {
    const writes = await measureWrites(stage);
    const delivery = await measureDelivery(stage);
    const idle = await measureIdle(stage);
    writeFigures(
      'events',
      stage,
      { rounds: repeat, seconds, callers, writesPerSecond },
      { writes, delivery, idle },
    );
    const tables = [writesTable(writes), deliveryTable(delivery), idleTable(idle)];
    return writeTables(
      'events',
      stage,
      tables,
      '; the server on one core, the load and PostgreSQL on another',
    );
  } finally {
    await postgres.stop();
  }
}
