import { useState } from 'preact/hooks';
import type { Receipt } from '../api/client.ts';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { t } from '../parts/words.ts';

/** Erases everything at once, after the person has typed a confirmation. */
export function Erase({ onErased }: { onErased(receipt: Receipt): void }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <section class="card danger-zone" aria-labelledby="erase">
      <h2 id="erase">{t.erasure.title}</h2>
      <p>{t.erasure.lead}</p>
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        {t.erasure.button}
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
  const isMeant = typed.trim().toLowerCase() === t.erasure.words;

  const erase = async (event: Event) => {
    event.preventDefault();
    if (!isMeant || isBusy) return;
    setBusy(true);
    await attempt(async () => onErased(await api.erase()));
    setBusy(false);
  };

  return (
    <Dialog title={t.erasure.ask} onClose={onClose}>
      <form onSubmit={erase} noValidate>
        <p>{t.erasure.warning}</p>
        <label for="erase-words">{t.erasure.type(t.erasure.words)}</label>
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
            {t.erasure.no}
          </button>
          <button type="submit" class="danger" disabled={!isMeant} aria-busy={isBusy}>
            {isBusy ? t.erasure.erasing : t.erasure.yes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
