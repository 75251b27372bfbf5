import { BusyButton } from '../parts/busy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
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
    <Dialog title={`${verb}?`} onClose={onClose}>
      <p class="quoted">{name}</p>
      <p>
        It is <strong>{inWords(action.to).toLowerCase()}</strong> then, and no action leads back from there.
        The record is kept.
      </p>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Leave it as it is
        </button>
        <BusyButton class="danger" busyLabel="One moment…" onPress={onTake}>
          Yes, {verb.toLowerCase()}
        </BusyButton>
      </div>
    </Dialog>
  );
}
