import type { Usage } from '../api/client.ts';
import { Meter } from '../parts/meter.tsx';
import { displayMoment, duration } from '../schema/display.ts';

/** How much of what is allowed somebody has used in one collection. */
export function UsageMeters({ usage }: { readonly usage: Usage['collections'][number] }) {
  const { records, writes, newcomer } = usage;
  return (
    <div class="meters">
      <Meter label="Records" used={records.used} allowed={records.allowed} />
      <Meter
        label={`Writes in ${duration(writes.window_seconds)}`}
        used={writes.used}
        allowed={writes.allowed}
      />
      {newcomer !== null && (
        <Meter
          label={`Writes while you are new, in ${duration(newcomer.window_seconds)}`}
          used={newcomer.used}
          allowed={newcomer.allowed}
          note={`Until ${displayMoment(newcomer.until)}`}
        />
      )}
    </div>
  );
}
