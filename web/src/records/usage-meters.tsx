import type { Budget, Usage } from '../api/client.ts';
import { Meter } from '../parts/meter.tsx';
import { displayMoment, duration } from '../schema/display.ts';

/** A write budget is shown when this share of it is used. */
const scarceFrom = 0.8;

/** The number of the caller's records in a collection, and the write budgets that are nearly used up. */
export function UsageMeters({ usage }: { readonly usage: Usage['collections'][number] }) {
  const { records, writes, newcomer } = usage;
  return (
    <div class="meters">
      <Meter label="Records" used={records.used} allowed={records.allowed} />
      {isScarce(writes) && (
        <Meter
          label={`Changes in ${duration(writes.window_seconds)}`}
          used={writes.used}
          allowed={writes.allowed}
        />
      )}
      {newcomer !== null && isScarce(newcomer) && (
        <Meter
          label={`Changes by new people, in ${duration(newcomer.window_seconds)}`}
          used={newcomer.used}
          allowed={newcomer.allowed}
          note={`Until ${displayMoment(newcomer.until)}`}
        />
      )}
    </div>
  );
}

function isScarce({ used, allowed }: Budget): boolean {
  return used >= allowed * scarceFrom;
}
