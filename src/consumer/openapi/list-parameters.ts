import type { Collection, Schema } from '../collections/collection.ts';
import { defaultPage, largestPage } from '../records/list-query.ts';
import type { Parameter } from './openapi-types.ts';

const bounds = { gt: 'after', gte: 'at or after', lt: 'before', lte: 'at or before' } as const;
const dateTime = { type: 'string', format: 'date-time' };

/** What a list can be asked for: nothing but what is declared, so that every question has an index. */
export function listParameters({ schema, index, machine }: Collection): readonly Parameter[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const sortable = ['created_at', ...index.map(({ name }) => name)];
  return [
    query('limit', 'How many records a page has at most.', {
      type: 'integer',
      minimum: 1,
      maximum: largestPage,
      default: defaultPage,
    }),
    query('cursor', 'Where the page before has ended: "next" of its answer.', { type: 'string' }),
    query('sort', 'The order; "-" turns it round. Records that agree come by id.', {
      type: 'string',
      enum: sortable.flatMap((name) => [name, `-${name}`]),
      default: '-created_at',
    }),
    ...(machine === null
      ? []
      : [
          query('state', 'Only records in this state.', { type: 'string', enum: [...machine.states.keys()] }),
        ]),
    ...filters('created_at', dateTime),
    ...index.flatMap(({ name }) => filters(name, comparable(properties[name]))),
  ];
}

function filters(name: string, schema: Schema): readonly Parameter[] {
  const ranges = Object.entries(bounds).map(([operator, where]) =>
    query(`${name}[${operator}]`, `Only records whose ${name} comes ${where} this.`, schema),
  );
  return [query(name, `Only records whose ${name} is this.`, schema), ...ranges];
}

function query(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'query', description, schema };
}

/** What is compared is only the kind of the field: a bound need not be a value that a record could have. */
function comparable({ type, format }: Schema = {}): Schema {
  return { type: type ?? 'string', ...(format === undefined ? {} : { format }) };
}
