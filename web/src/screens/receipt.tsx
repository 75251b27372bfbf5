import type { Receipt } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Screen } from '../parts/screen.tsx';
import { t } from '../parts/words.ts';
import { displayMoment, displayNumber } from '../schema/display.ts';

interface ReceiptScreenProps {
  readonly receipt: Receipt;
  readonly collections: readonly Collection[];
}

/** What was erased. It sends no request: the first one would register the person again. */
export function ReceiptScreen({ receipt, collections }: ReceiptScreenProps) {
  const { session } = useApp();
  const titleOf = (name: string) => collections.find((one) => one.name === name)?.title ?? name;
  return (
    <Screen title={t.erasure.done} lead={t.erasure.erasedOn(displayMoment(receipt.erased_at))}>
      <section class="card receipt" aria-label={t.erasure.receipt}>
        <dl class="held">
          {Object.entries(receipt.records).map(([name, count]) => (
            <div key={name}>
              <dt>{titleOf(name)}</dt>
              <dd>{displayNumber(count)}</dd>
            </div>
          ))}
          <div>
            <dt>{t.erasure.repeats}</dt>
            <dd>{displayNumber(receipt.idempotency_keys)}</dd>
          </div>
          <div class="total">
            <dt>{t.erasure.total}</dt>
            <dd>{displayNumber(receipt.total)}</dd>
          </div>
        </dl>
      </section>
      <p>{t.erasure.after}</p>
      {receipt.budgets_kept_until !== null && (
        <p>{t.erasure.budgets(displayMoment(receipt.budgets_kept_until))}</p>
      )}
      <div class="buttons">
        <button type="button" class="primary" onClick={() => void session.signOut()}>
          {t.account.signOut}
        </button>
      </div>
    </Screen>
  );
}
