import { useState } from 'preact/hooks';
import type { Receipt } from '../api/client.ts';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';

const words = 'erase everything';

/** Erases everything at once, after the person has typed a confirmation. */
export function Erase({ onErased }: { onErased(receipt: Receipt): void }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <section class="card danger-zone" aria-labelledby="erase">
      <h2 id="erase">Erase your data</h2>
      <p>
        This erases all your records, your pseudonym and the date of your first visit. It cannot be undone.
      </p>
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        Erase everything…
      </button>
      {isAsking && <EraseDialog onClose={() => setAsking(false)} onErased={onErased} />}
    </section>
  );
}

interface EraseDialogProps {
  onClose(): void;
  onErased(receipt: Receipt): void;
}

function EraseDialog({ onClose, onErased }: EraseDialogProps) {
  const { api } = useApp();
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const { problem, attempt } = useAttempt();
  const isMeant = typed.trim().toLowerCase() === words;

  const erase = async (event: Event) => {
    event.preventDefault();
    if (!isMeant || isBusy) return;
    setBusy(true);
    await attempt(async () => onErased(await api.erase()));
    setBusy(false);
  };

  return (
    <Dialog title="Erase everything?" onClose={onClose}>
      <form onSubmit={erase} noValidate>
        <p>This cannot be undone. If you want to keep a copy, export it first.</p>
        <label for="erase-words">
          Type <strong>{words}</strong> to go on
        </label>
        <input
          id="erase-words"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
        {problem !== null && <ProblemNotice problem={problem} />}
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Keep it
          </button>
          <button type="submit" class="danger" disabled={!isMeant} aria-busy={isBusy}>
            {isBusy ? 'Erasing…' : 'Erase everything'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
