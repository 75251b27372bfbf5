import { useState } from 'preact/hooks';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { t } from '../parts/words.ts';

/** Saves all data as a file. Its last line has the number of records, which shows that the file is complete. */
export function Export() {
  const { api, announce } = useApp();
  const [count, setCount] = useState(0);
  const { problem, attempt } = useAttempt();

  const run = () =>
    attempt(async () => {
      setCount(0);
      const lines: object[] = [];
      for await (const line of api.export()) setCount(lines.push(line));
      const records = lines.filter((line) => 'record' in line).length;
      const text = [...lines, { type: 'end', records }].map((line) => `${JSON.stringify(line)}\n`);
      offer(text, `export-${new Date().toISOString().slice(0, 10)}.ndjson`);
      announce(t.exporting.done(records));
    });

  return (
    <section class="card" aria-labelledby="export">
      <h2 id="export">{t.exporting.title}</h2>
      <p>{t.exporting.lead}</p>
      {problem !== null && <ProblemNotice problem={problem} />}
      <BusyButton busyLabel={count === 0 ? t.exporting.fetching : t.exporting.lines(count)} onPress={run}>
        {t.exporting.button}
      </BusyButton>
    </section>
  );
}

function offer(text: string[], name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(text, { type: 'application/x-ndjson' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
