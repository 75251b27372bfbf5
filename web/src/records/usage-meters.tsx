import type { Budget, Usage } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Meter } from '../parts/meter.tsx';
import { useLoad } from '../parts/use-load.ts';
import { t } from '../parts/words.ts';
import { displayMoment, duration } from '../schema/display.ts';

/** A write budget is shown when this share of it is used. */
const scarceFrom = 0.8;

/** The number of the caller's records in a collection, and the write budgets that are nearly used up. */
export function UsageMeters({ usage }: { readonly usage: Usage['collections'][number] }) {
  const { records, writes, newcomer } = usage;
  return (
    <div class="meters">
      <Meter label={t.account.stored} used={records.used} allowed={records.allowed} />
      {isScarce(writes) && (
        <Meter
          label={t.account.changesIn(duration(writes.window_seconds))}
          used={writes.used}
          allowed={writes.allowed}
        />
      )}
      {newcomer !== null && isScarce(newcomer) && (
        <Meter
          label={t.account.newChangesIn(duration(newcomer.window_seconds))}
          used={newcomer.used}
          allowed={newcomer.allowed}
          note={t.account.until(displayMoment(newcomer.until))}
        />
      )}
    </div>
  );
}

/** Says when four fifths of what a person may do in the collection are used. */
export function BudgetNotice({ collection }: { readonly collection: Collection }) {
  const { quietApi } = useApp();
  const usage = useLoad(() => quietApi.usage(), collection.name);
  const used = usage.value?.collections.find(({ name }) => name === collection.name);
  if (used === undefined) return null;
  const budgets = [used.records, used.writes, used.newcomer].filter((one) => one !== null && isScarce(one));
  if (budgets.length === 0) return null;
  return <UsageMeters usage={used} />;
}

function isScarce({ used, allowed }: Pick<Budget, 'used' | 'allowed'>): boolean {
  return used >= allowed * scarceFrom;
}
