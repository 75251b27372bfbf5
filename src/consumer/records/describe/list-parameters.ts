import type { Parameter, Schema, Schemas } from '../../../openapi/openapi-types.ts';
import { dateTime, text } from '../../../openapi/schemas.ts';
import type { Collection } from '../../collections/collection.ts';
import { defaultPage, largestPage } from '../requests/list-query.ts';

const bounds = { gt: 'after', gte: 'at or after', lt: 'before', lte: 'at or before' } as const;
const limit = { type: 'integer', minimum: 1, maximum: largestPage, default: defaultPage };

/** What a list can be asked for: nothing but what is declared, so that every question has an index. */
export function listParameters({ schema, index, machine }: Collection): readonly Parameter[] {
  const properties = (schema.properties ?? {}) as Schemas;
  const sortable = ['created_at', ...index.map(({ name }) => name)].flatMap((name) => [name, `-${name}`]);
  const states = machine === null ? null : { ...text, enum: [...machine.states.keys()] };
  return [
    query('limit', 'How many records a page has at most.', limit),
    query('cursor', 'Where the page before has ended: "next" of its answer.', text),
    query('sort', 'The order; "-" turns it round. Records that agree come by id.', {
      ...text,
      enum: sortable,
      default: '-created_at',
    }),
    ...(states === null ? [] : [query('state', 'Only records in this state.', states)]),
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
