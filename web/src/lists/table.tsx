import { t } from '../parts/words.ts';
import type { ListView } from '../records/use-list.ts';
import { planOf } from './plan.ts';
import { Box, FirstAction, RowMenu, type RowProps, rowClass, Title } from './row.tsx';
import { Short } from './short.tsx';
import { State } from './state.tsx';

/** The names of the columns. Those that the service can sort by are buttons. */
export function TableHead({ view }: { readonly view: ListView }) {
  const { collection, choice, setChoice } = view;
  const { title, fields } = planOf(collection);
  const maySort = choice.q === '' && !view.isEverybodys;
  const sortBy = (name: string) => setChoice({ ...choice, sort: choice.sort === name ? `-${name}` : name });
  const head = (name: string, label: string) => {
    const isBy = choice.sort.replace('-', '') === name;
    const arrow = isBy ? (choice.sort.startsWith('-') ? ' ↓' : ' ↑') : '';
    if (!maySort || !collection.index.includes(name)) return <span key={name}>{label}</span>;
    return (
      <button key={name} type="button" aria-pressed={isBy} onClick={() => sortBy(name)}>
        {label}
        {arrow}
      </button>
    );
  };
  return (
    <div class="row table-head">
      <span class="tick-place" />
      {title === null ? <span>{t.person.one}</span> : head(title.name, title.label)}
      <span class="under">
        {collection.states !== undefined && <span>{t.list.state}</span>}
        <span class="row-fields" style={{ '--fields': fields.length }}>
          {fields.map(({ name, label }) => head(name, label))}
        </span>
      </span>
    </div>
  );
}

export function TableRow(props: RowProps) {
  const { collection, record, at } = props;
  const { fields } = planOf(collection);
  return (
    <li class={rowClass(props)} data-at={at}>
      <Box {...props} />
      <Title {...props} />
      <span class="under">
        <State collection={collection} record={record} />
        <span class="row-fields" style={{ '--fields': fields.length }}>
          {fields.map(({ name, label, shape }) => (
            <span key={name} class={`cut ${shape.kind === 'number' ? 'number' : ''}`}>
              <span class="hidden">{label}: </span>
              <Short shape={shape} value={record[name]} />
            </span>
          ))}
        </span>
      </span>
      <FirstAction {...props} />
      <RowMenu {...props} />
    </li>
  );
}
