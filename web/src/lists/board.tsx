import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RecordItem } from '../api/types.ts';
import { wordsFor } from '../api/words.ts';
import { useApp } from '../parts/context.ts';
import { linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { personNames } from '../people/person.ts';
import { Who } from '../people/who.tsx';
import { aboutOf } from '../records/collection-words.ts';
import { nameOf } from '../records/record-name.ts';
import type { ListView } from '../records/use-list.ts';
import { type WeighedAction, weighActions } from '../records/weigh-actions.ts';
import { inWords } from '../schema/shape.ts';
import { planOf, progressOf } from './plan.ts';
import { Short } from './short.tsx';
import { StateWord } from './state.tsx';
import { useCarry } from './use-carry.ts';
import type { Deeds } from './use-deeds.tsx';

interface BoardProps {
  readonly view: ListView;
  readonly deeds: Deeds;
  readonly items: readonly RecordItem[];
}

/** A card that is carried, or that waits for the answer to its move. */
interface Move {
  readonly record: RecordItem;
  readonly to: string;
}

/** The records as cards, a column for each state. A card moves by the actions that lead to the column. */
export function Board({ view, deeds, items }: BoardProps) {
  const { collection } = view;
  const { announce } = useApp();
  const states = Object.keys(collection.states ?? {});
  const [carried, setCarried] = useState<Move | null>(null);
  const [moving, setMoving] = useState<Move | null>(null);
  const board = useRef<HTMLDivElement>(null);
  const ways = (record: RecordItem) =>
    new Map(
      weighActions(collection, record)
        .toReversed()
        .map((action) => [action.to, action] as const),
    );
  const stateOf = (record: RecordItem) => (moving?.record.id === record.id ? moving.to : record.state);
  const columns = useMemo(
    () => states.map((state) => items.filter((record) => stateOf(record) === state)),
    [items, moving],
  );
  const focusCard = (id: string) =>
    setTimeout(() => board.current?.querySelector<HTMLElement>(`[data-id="${id}"] a`)?.focus());

  // A card that another person moves is another element then; it keeps the focus.
  const focused = useRef<string | null>(null);
  useLayoutEffect(() => {
    const card =
      focused.current && board.current?.querySelector<HTMLElement>(`[data-id="${focused.current}"] a`);
    if (card && document.activeElement === document.body) card.focus({ preventScroll: true });
  }, [items]);
  const follow = {
    onFocusIn: ({ target }: FocusEvent) => {
      focused.current = (target as HTMLElement).closest<HTMLElement>('[data-id]')?.dataset.id ?? null;
    },
    onFocusOut: ({ target }: FocusEvent) =>
      setTimeout(() => {
        if ((target as HTMLElement).isConnected && !board.current?.contains(document.activeElement))
          focused.current = null;
      }),
  };

  const pickUp = (record: RecordItem) => {
    deeds.forget();
    setCarried({ record, to: String(record.state) });
    announce(t.board.pickedUp(nameOf(collection, record), inWords(String(record.state))));
  };
  const putBack = () => {
    if (carried === null) return;
    announce(t.board.putBack(inWords(String(carried.record.state))));
    focusCard(carried.record.id);
    setCarried(null);
  };
  const putDown = async (move = carried) => {
    setCarried(null);
    const action = move === null ? undefined : ways(move.record).get(move.to);
    if (move === null || action === undefined) return putBack();
    // It stands in its new column at once; a refusal puts it back.
    if (action.sets.length === 0 && !action.isChoosing && !action.isFinal) setMoving(move);
    await deeds.take(move.record, action);
    setMoving(null);
    focusCard(move.record.id);
  };
  const over = (record: RecordItem, to: string) => {
    setCarried({ record, to });
    const count = columns[states.indexOf(to)]?.length ?? 0;
    const action = ways(record).get(to);
    if (action !== undefined) announce(t.board.over(inWords(to), count, inWords(action.name)));
  };
  const drag = useCarry({
    onPickUp: (id) => {
      const record = items.find((one) => one.id === id);
      if (record !== undefined) pickUp(record);
    },
    onOver: (to) => carried !== null && to !== carried.to && over(carried.record, to),
    onDrop: () => void putDown(),
    onEnd: putBack,
  });

  const keys = (event: KeyboardEvent, record: RecordItem) => {
    if (carried === null) return keysOfCards(event, record, columns, focusCard, () => pickUp(record));
    const reachable = states.filter((state) => state === record.state || ways(record).has(state));
    const at = reachable.indexOf(carried.to);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    const next = reachable[at + step];
    if (step !== 0 && next !== undefined) over(record, next);
    else if (event.key === ' ' || event.key === 'Enter') void putDown();
    else if (event.key === 'Escape') putBack();
    event.preventDefault();
  };

  return (
    <>
      <div ref={board} class="board" {...drag} {...follow}>
        {states.map((state, index) => (
          <Lane
            key={state}
            view={view}
            state={state}
            cards={columns[index] ?? []}
            deeds={deeds}
            carried={carried}
            way={carried === null ? undefined : ways(carried.record).get(state)}
            onKeyDown={keys}
          />
        ))}
      </div>
      <p class="board-keys" aria-hidden="true">
        <kbd>{t.board.space}</kbd> {carried === null ? t.board.pickUp : t.board.putDown}
        <kbd>←</kbd>
        <kbd>→</kbd> {t.board.choose}
        <kbd>Esc</kbd> {t.board.back}
      </p>
    </>
  );
}

interface LaneProps {
  readonly view: ListView;
  readonly state: string;
  readonly cards: readonly RecordItem[];
  readonly deeds: Deeds;
  readonly carried: Move | null;
  /** The action that leads here from where the carried card was. */
  readonly way: WeighedAction | undefined;
  onKeyDown(event: KeyboardEvent, record: RecordItem): void;
}

function Lane({ view, state, cards, deeds, carried, way, onKeyDown }: LaneProps) {
  const { collection } = view;
  const names = personNames(cards.flatMap(({ owner }) => (typeof owner === 'string' ? [owner] : [])));
  const classes = [
    'lane',
    way && 'can',
    way && carried?.to === state && 'over',
    progressOf(collection, state) === 1 && 'ended',
  ];
  return (
    <section class={classes.filter(Boolean).join(' ')} data-lane={state} aria-label={inWords(state)}>
      <header>
        <StateWord collection={collection} state={state} />
        <span class="soft">{cards.length}</span>
        {way !== undefined && <span class="to">{inWords(way.name)}</span>}
      </header>
      <ul>
        {cards.map((record) => (
          <Card
            key={record.id}
            view={view}
            record={record}
            name={names.get(String(record.owner))}
            deeds={deeds}
            isCarried={carried?.record.id === record.id}
            onKeyDown={onKeyDown}
          />
        ))}
      </ul>
    </section>
  );
}

interface CardProps {
  readonly view: ListView;
  readonly record: RecordItem;
  readonly name: string | undefined;
  readonly deeds: Deeds;
  readonly isCarried: boolean;
  onKeyDown(event: KeyboardEvent, record: RecordItem): void;
}

function Card({ view: { collection }, record, name, deeds, isCarried, onKeyDown }: CardProps) {
  const { fields, title } = planOf(collection);
  const choice = fields.find(({ shape }) => shape.kind === 'choice');
  const problem = deeds.about === record.id ? deeds.problem : null;
  const words = problem && wordsFor(problem, '', aboutOf(collection, problem));
  const isPerson = title === null && typeof record.owner === 'string';
  return (
    <li
      class={`board-card ${isCarried ? 'held' : ''} ${problem ? 'refused' : ''}`}
      data-id={record.id}
      onKeyDown={(event) => onKeyDown(event, record)}
    >
      <a class="row-title" href={linkTo('data', collection.name, record.id, 'open')} draggable={false}>
        {isPerson ? <Who alias={String(record.owner)} name={name} /> : nameOf(collection, record)}
      </a>
      <span class="card-foot">
        {choice && <Short shape={choice.shape} value={record[choice.name]} />}
        {!isPerson && typeof record.owner === 'string' && <Who alias={record.owner} name={name} />}
      </span>
      {words && (
        <p class="why" role="alert">
          <strong>{t.board.backIn(inWords(String(record.state)))}</strong> {words.heading}. {words.advice}
        </p>
      )}
    </li>
  );
}

/** Arrows go from card to card; Space picks one up. */
function keysOfCards(
  event: KeyboardEvent,
  record: RecordItem,
  columns: readonly (readonly RecordItem[])[],
  focusCard: (id: string) => void,
  pickUp: () => void,
): void {
  const column = columns.findIndex((cards) => cards.includes(record));
  const row = columns[column]?.indexOf(record) ?? 0;
  const beside = (step: number) => {
    const rest = step > 0 ? columns.slice(column + 1) : columns.slice(0, column).toReversed();
    const cards = rest.find(({ length }) => length > 0);
    return cards?.[Math.min(row, cards.length - 1)];
  };
  const next = {
    ArrowUp: columns[column]?.[row - 1],
    ArrowDown: columns[column]?.[row + 1],
    ArrowLeft: beside(-1),
    ArrowRight: beside(1),
  }[event.key];
  if (event.key === ' ') pickUp();
  else if (next !== undefined) focusCard(next.id);
  else return;
  event.preventDefault();
}
