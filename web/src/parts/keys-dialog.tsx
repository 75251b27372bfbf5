import { Dialog } from './dialog.tsx';
import { t } from './words.ts';

/** All keys, by where they act. */
export function KeysDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={t.keys.title} onClose={onClose}>
      {t.keys.groups.map(({ where, keys }) => (
        <section key={where}>
          <h3>{where}</h3>
          <dl class="keys">
            {keys.map(([key, what]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {t.close}
        </button>
      </div>
    </Dialog>
  );
}
