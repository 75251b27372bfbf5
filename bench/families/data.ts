/** The collections of this benchmark. Limits are so high that no request is refused. */
const limits = 'limits: { per_user: 1000000, bytes: 4096, writes: 1000000/s }';

/** The same fields, index and states in each kind, so that they differ in what is above the record only. */
const notes = (circle: string, rest: string) => `
schema:
  required: [text, stars${circle === '' ? '' : ', circle'}]
  properties:
    ${circle}
    text: { type: string, maxLength: 500 }
    stars: { type: integer, minimum: 0, maximum: 1000 }
index: [stars]
states:
  open: { close: { to: closed, by: ${/keeper|reader/.exec(rest)?.[0] ?? 'owner'} } }
  closed: {}
${rest}
${limits}
`;

const title = `
schema:
  required: [title]
  properties: { title: { type: string, maxLength: 80 } }
${limits}
`;

const privateNotes = notes('circle: { type: string, format: uuid }', 'access: { read: owner }');
const underCircle = (parent: string) =>
  notes(
    '',
    `parent: { field: circle, collection: circles, on_delete: cascade${parent} }
roles: { keeper: { parent_roles: [owner] } }
access: { create: keeper, read: keeper, update: keeper, delete: keeper }`,
  );

export type Declarations = Readonly<Record<string, string>>;

export const alone: Declarations = { notes: privateNotes };
/** `plain` is there to be deleted: the fields of a circle, and nothing under it. */
export const under: Declarations = { circles: title, notes: underCircle(''), plain: title };
export const counted: Declarations = {
  circles: title,
  notes: underCircle(', capacity: { states: [open], number: 1000000 }, counts: [open, closed]'),
};
/** A circle with members, who can all read what is under it. */
export const group: Declarations = {
  circles: `${title}
roles: { member: { invited_by: owner, max: 10000 } }
access: { read: [owner, member], update: owner, delete: owner }
`,
  notes: notes(
    '',
    `parent: { field: circle, collection: circles, on_delete: cascade }
roles: { reader: { parent_roles: [owner, member] } }
access: { create: reader, read: reader, update: reader, delete: reader }`,
  ),
};

export const pathOf = (collection: string) => `/api/consumer/v1/${collection}`;

/** A third of a kilobyte, as in the benchmarks of records and of events. */
export const noteText = 'a word and another '.repeat(15);

export function note(circle: string): string {
  return JSON.stringify({ circle, text: noteText, stars: 3 });
}

const day = 86_400_000;
export const firstDay = Date.now() - 60 * day;

/** A UUID of version 7 of a record that is filled in: the same as `idIn` of `fill.ts` makes. */
export function idOf(number: number): string {
  const time = (firstDay + number * 1_000).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`;
}
