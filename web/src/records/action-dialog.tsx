import { BusyButton } from '../parts/busy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { t } from '../parts/words.ts';
import { inWords } from '../schema/shape.ts';
import type { WeighedAction } from './weigh-actions.ts';

interface ActionDialogProps {
  readonly action: WeighedAction;
  /** The name of the record. */
  readonly name: string;
  onClose(): void;
  onTake(): Promise<void>;
}

/** Asks before a final action. The harmless button has the focus first. */
export function ActionDialog({ action, name, onClose, onTake }: ActionDialogProps) {
  const verb = inWords(action.name);
  return (
    <Dialog title={t.action.ask(verb)} onClose={onClose}>
      <p class="quoted">{name}</p>
      <p>{t.action.final(inWords(action.to))}</p>
      <p>{t.action.kept}</p>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {t.action.no}
        </button>
        <BusyButton class="danger" busyLabel={t.moment} onPress={onTake}>
          {t.action.yes(verb)}
        </BusyButton>
      </div>
    </Dialog>
  );
}
