import { useState } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useHouse } from '../parts/context.ts';
import { Notice, ProblemNotice } from '../parts/notice.tsx';
import { counted } from '../schema/display.ts';

/** Everything as a file. Its last line counts the others; without it the file is not whole and is not offered. */
export function Export() {
  const { api, announce } = useHouse();
  const [lines, setLines] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isCut, setCut] = useState(false);

  const run = async () => {
    setProblem(null);
    setCut(false);
    setLines(0);
    const outcome = await api.stream('/me/export');
    if (!outcome.ok) return setProblem(outcome.problem);
    const text = await readLines(outcome.body, setLines);
    const records = text === null ? null : countOf(text);
    if (text === null || records === null) return setCut(true);
    offer(text, `vestibule-export-${new Date().toISOString().slice(0, 10)}.ndjson`);
    announce(`Saved as a file: ${counted(records, 'record')}.`);
  };

  return (
    <section class="card" aria-labelledby="export">
      <h2 id="export">Take it with you</h2>
      <p>Every record, and the little there is about you, as a file with a line of JSON for each.</p>
      {problem !== null && <ProblemNotice problem={problem} />}
      {isCut && (
        <Notice tone="bad" title="The file is not whole">
          <p>The connection ended half-way. Nothing was saved; try again.</p>
        </Notice>
      )}
      <BusyButton busyLabel={lines === 0 ? 'Fetching…' : `Fetching… ${counted(lines, 'line')}`} onPress={run}>
        Export as a file
      </BusyButton>
    </section>
  );
}

/** Null when it broke off. */
async function readLines(answer: Response, onProgress: (lines: number) => void): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let lines = 0;
  try {
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const more = decoder.decode(piece.value, { stream: true });
      text += more;
      lines += more.split('\n').length - 1;
      onProgress(lines);
    }
    return text;
  } catch {
    return null;
  }
}

function countOf(text: string): number | null {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  try {
    const end = JSON.parse(last);
    return end.type === 'end' ? end.records : null;
  } catch {
    return null;
  }
}

function offer(text: string, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
