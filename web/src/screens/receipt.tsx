import type { Receipt } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Screen } from '../parts/screen.tsx';
import { counted, displayMoment } from '../schema/display.ts';

interface ReceiptScreenProps {
  readonly receipt: Receipt;
  readonly collections: readonly Collection[];
}

/** What was erased. It sends no request: the first one would register the person again. */
export function ReceiptScreen({ receipt, collections }: ReceiptScreenProps) {
  const { session } = useApp();
  const titleOf = (name: string) => collections.find((one) => one.name === name)?.title ?? name;
  return (
    <Screen title="Your data is erased" lead={`Erased on ${displayMoment(receipt.erased_at)}.`}>
      <section class="card receipt" aria-label="Receipt">
        <dl class="held">
          {Object.entries(receipt.records).map(([name, count]) => (
            <div key={name}>
              <dt>{titleOf(name)}</dt>
              <dd>{counted(count, 'record')}</dd>
            </div>
          ))}
          <div>
            <dt>Idempotency keys</dt>
            <dd>{receipt.idempotency_keys}</dd>
          </div>
          <div class="total">
            <dt>Total</dt>
            <dd>{counted(receipt.total, 'record')}</dd>
          </div>
        </dl>
      </section>
      <p>The service stores nothing about you any more. If you go on using it, it registers you again.</p>
      {receipt.budgets_kept_until !== null && (
        <p>
          Until {displayMoment(receipt.budgets_kept_until)} the service keeps, without your pseudonym, how
          much you have written, so that erasing does not reset these limits.
        </p>
      )}
      <div class="buttons">
        <button type="button" class="primary" onClick={() => void session.signOut()}>
          Sign out
        </button>
      </div>
    </Screen>
  );
}
