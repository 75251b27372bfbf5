import { useState } from 'preact/hooks';
import type { Receipt } from '../api/client.ts';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';

const words = 'erase everything';

/** Everything goes, at once and for good, once somebody has typed that they mean it. */
export function Erase({ onErased }: { onErased(receipt: Receipt): void }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <section class="card danger-zone" aria-labelledby="erase">
      <h2 id="erase">Erase it</h2>
      <p>All your records, your pseudonym and the date you came. Nobody can bring them back.</p>
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
