import { StrictMode, startTransition, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { type ClientOptions, createClient } from '../../../packages/client/src/index.ts';
import { useAction, useList, useRecord } from '../../../packages/client/src/react.ts';
import type { Shown } from './shown.ts';

/** Runs in a page of a browser. Tests call what it puts into `globalThis`. */
export function startReactPage(options: ClientOptions) {
  const api = createClient(options);
  const root = createRoot(document.body);
  /** How often components of one commit have shown different lists. */
  let torn = 0;
  const seen = new Map<number, unknown>();
  /** What lists have rendered: their query and their texts. */
  const rendered = new Set<string>();

  function List({ label, of, query }: { label: string; of: string; query?: object | null }) {
    const { items, status, error } = useList(api.collection(of), query);
    if (items) rendered.add(`${JSON.stringify(query)} ${items.map(({ text }) => text).join()}`);
    return (
      <section aria-label={label} data-status={status}>
        {error?.message}
        <ul>
          {items?.map(({ id, text }) => (
            <li key={id}>{text}</li>
          ))}
        </ul>
      </section>
    );
  }

  function One({ label, of, id }: { label: string; of: string; id: string | null }) {
    const { record, status } = useRecord(api.collection(of), id);
    const text = record === undefined ? 'not read' : record === null ? 'none' : (record.text ?? record.state);
    return (
      <section aria-label={label} data-status={status}>
        {text}
      </section>
    );
  }

  function Form() {
    const add = useAction((text: string) => api.collection('notes').create({ text }));
    return (
      <fieldset disabled={add.isPending}>
        {['fine', ''].map((text) => (
          <button key={text} type="button" onClick={() => add.run(text)}>
            Add "{text}"
          </button>
        ))}
        <output>{add.isPending ? 'under way' : (add.error?.message ?? 'done')}</output>
      </fieldset>
    );
  }

  function Slow({ index, round }: { index: number; round: number }) {
    const { items } = useList(api.collection('notes'), { sort: 'created_at' });
    useLayoutEffect(() => {
      seen.set(index, items);
    });
    let turns = round;
    for (let each = 0; each < 200_000; each += 1) turns = (turns * 31 + each) % 1_000_003;
    return <li data-turns={turns}>{items?.length}</li>;
  }

  function SlowOnes({ count, round }: { count: number; round: number }) {
    // Effects of children run first.
    useLayoutEffect(() => {
      if (new Set(seen.values()).size > 1) torn += 1;
    });
    const numbers = Array.from({ length: count }, (_, index) => index);
    return (
      <ol data-round={round}>
        {numbers.map((index) => (
          <Slow key={index} index={index} round={round} />
        ))}
      </ol>
    );
  }

  function App({ lists = {}, records = {}, hasForm, slow }: Shown) {
    return (
      <StrictMode>
        {Object.entries(lists).map(([label, list]) => (
          <List key={label} label={label} {...list} />
        ))}
        {Object.entries(records).map(([label, record]) => (
          <One key={label} label={label} {...record} />
        ))}
        {hasForm && <Form />}
        {slow && <SlowOnes {...slow} />}
      </StrictMode>
    );
  }

  Object.assign(globalThis, {
    api,
    show: (shown: Shown) => root.render(<App {...shown} />),
    showLater: (shown: Shown) => startTransition(() => root.render(<App {...shown} />)),
    tornCommits: () => torn,
    renderedLists: () => [...rendered],
  });
}
