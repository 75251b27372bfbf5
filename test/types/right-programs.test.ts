import { compile } from './programs.ts';

/** Programs that compile, by what they show. Each has the imports of programs.ts. */
compile(
  0,
  `
## create takes the required fields
await notes.create({ text: 'buy milk' });
## create takes all fields
await notes.create({ text: 'a', done: true, stars: 5, tags: ['x'], colour: 'red', look: { font: 'mono', size: 3 } });
## create returns the record with id and dates
const { id: made, created_at, text } = await notes.create({ text: 'a' });
const words: string[] = [made, created_at, text];
## create takes a readonly list
const tags = ['a', 'b'] as const;
await notes.create({ text: 'a', tags });
## a list of a read record is mutable
const { tags = [] } = await notes.get(id);
tags.push('c');
## an optional field needs a check
const { look } = await notes.get(id);
const size: number = look?.size ?? 1;
## update takes one field
const { done } = await notes.update(id, { done: true });
## update takes null for an optional field
await notes.update(id, { done: null, look: null, tags: null });
## update takes a function of the record
await notes.update(id, (note) => ({ stars: (note.stars ?? 0) + 1 }));
## update takes an async function
await notes.update(id, async (note) => ({ text: await Promise.resolve(note.text) }));
## update takes a partial nested object
await notes.update(id, { look: { size: null } });
## replace takes a record that was read
const note = await notes.get(id);
await notes.replace(id, { ...note, text: 'b' });
await notes.replace(id, note);
## remove returns nothing
const nothing: void = await notes.remove(id);
## a list goes through all pages
for await (const { text, done } of notes.list()) console.log(text.length, done === true);
## a list is filtered by state and sorted
for await (const { seats } of bookings.list({ state: 'submitted', sort: '-slot' })) console.log(seats + 1);
## a list is filtered by an indexed choice
for await (const { meal } of bookings.list({ meal: 'lunch' })) console.log(meal === 'dinner');
## a list is filtered by a time range
bookings.list({ slot: { gte: '2026-12-01T00:00:00Z', lt: new Date() }, sort: 'slot' });
## a list is filtered by numbers and flags
bookings.list({ seats: { gt: 2, lte: 8 } });
bookings.list({ seats: 2, paid: false });
## every list can be filtered and sorted by created_at
notes.list({ created_at: { lt: new Date() }, sort: '-created_at' });
## a page leads to the next
const { items: found, next } = await bookings.page({ limit: 20, state: 'draft' });
if (next !== null) await bookings.page({ limit: 20, state: 'draft', cursor: next });
const first: Booking | undefined = found[0];
## an action is a method
const { state } = await bookings.submit(id);
console.log(state === 'submitted');
## an action named like a method is called through act
const removed: TeamPost = await posts.act(id, 'remove');
const nothing: void = await posts.remove(id);
await posts.hide(id);
## a switch over all states is exhaustive
const colours: Record<NonNullable<Booking['state']>, string> = { draft: 'grey', submitted: 'blue', approved: 'green', cancelled: 'red' };
function say(state: Collections['bookings']['state']): string {
  switch (state) {
    case 'draft': return 'a draft';
    case 'submitted': case 'approved': return 'under way';
    case 'cancelled': return 'over';
  }
}
## the actions of a record can be passed to act
const booking = await bookings.get(id);
for (const action of booking.actions) await bookings.act(id, action);
const mayCancel: boolean = booking.actions.includes('cancel');
## ProblemOf narrows the codes of a call
try {
  await notes.create({ text: 'a' });
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  const { code } = error as ProblemOf<Collections, 'notes', 'create'>;
  if (code === 'quota_exceeded' || code === 'validation_failed' || code === 'token_expired') console.log(code);
}
## ProblemOf of update has the precondition codes
function isLate({ code }: ProblemOf<Collections, 'bookings', 'update'>): boolean {
  return code === 'precondition_failed' || code === 'precondition_required' || code === 'not_editable';
}
## a generic function takes any collection
async function count<Name extends keyof Collections>(name: Name): Promise<number> {
  let found = 0;
  for await (const _ of createClient<Collections>({ url: '', token: () => '' }).collections[name].list()) found += 1;
  return found;
}
await count('team-posts');
## a oneOf field takes one of its shapes
await posts.create({ text: 'a', reply_to: null, shape: { radius: 1 } });
const { shape } = await posts.get(id);
const size: number | undefined = shape === undefined ? undefined : 'radius' in shape ? shape.radius : shape.side;
## pairs, mappings and lists of objects keep their shape
await posts.create({ text: 'a', reply_to: id, place: [1, 2], counts: { likes: 3 }, parts: [{ kind: 'image' }] });
const { place: [x, y] = [0, 0], counts, parts = [] } = await posts.get(id);
const sum: number = x + y + (counts?.likes ?? 0) + parts.filter(({ kind }) => kind === 'video').length;
## update takes null for a member of a mapping
await posts.update(id, { counts: { likes: null, views: 1 } });
## generated type names can be used in signatures
function draft(seats: number): BookingFields {
  return { slot: new Date().toISOString(), seats, meal: 'dinner', paid: false };
}
const change: BookingChanges = { note: null };
await bookings.update((await bookings.create(draft(2))).id, change);
## a client without types takes any field
const anything = createClient({ url: 'https://api.example.org', token: () => 'token' });
const { whatever } = await anything.collections.things!.create({ any: 'field' });
## an action takes the input that is declared, then options
const { due } = await items.lend(id, { due: '2026-12-24' });
await items.lend(id, { due: '2026-12-24', fee: 2 }, { ifMatch: '*' });
await items.act(id, 'lend', { due: '2026-12-24' }, { deadlineSeconds: 5 });
## optional input can be left out
await items.take_back(id);
await items.take_back(id, { remark: 'a scratch' });
await items.act(id, 'take_back', {}, { ifMatch: '*' });
## an action without input takes options
await items.request(id, { ifMatch: '*' });
await items.act(id, 'decline', { deadlineSeconds: 5 });
## the actions of a record can be narrowed to those without input
const { actions } = await items.get(id);
for (const action of actions)
  if (action === 'lend') await items.lend(id, { due: '2026-12-24' });
  else if (action !== 'take_back') await items.act(id, action);
## a record has the roles of the caller, the owner and the people
const { roles, owner, people } = await items.get(id);
const isMine: boolean = roles.includes('owner') || owner === people.borrower;
const names: Record<Collections['items']['role'], string> = { owner: 'Owner', keeper: 'Keeper', borrower: 'Borrower' };
## replace takes the fields that an action has set
const item = await items.get(id);
await items.replace(id, { title: 'Drill', due: item.due });
await items.replace(id, { ...item, title: 'Drill' });
## a list is filtered by a role
for await (const { title } of items.list({ role: 'borrower', state: 'lent' })) console.log(title);
## people are invited, and members changed and removed
const { code, role } = await items.invite(id, { role: 'keeper', uses: 3, expires_in: '1d' });
const keeper: 'keeper' = role;
for (const invitation of await items.invitations(id)) await items.endInvitation(id, invitation.id);
for await (const { alias, role, is_me } of items.members(id))
  if (role === 'borrower' && !is_me) await items.changeMember(id, alias, { role: 'keeper' });
  else await items.removeMember(id, alias);
const nothing: void = await items.leave(id);
## ownership is handed over by invitation
await items.invite(id, { role: 'owner' });
## accept returns the collection, the record and the role
const joined = await api.accept('code');
if (joined.collection === 'items') console.log(joined.record.title, joined.role === 'owner');
## ProblemOf has the codes of member calls
function isFull({ code }: ProblemOf<Collections, 'items', 'changeMember'>): boolean {
  return code === 'role_full' || code === 'role_required' || code === 'caller_changed';
}
## each line of the export narrows by its type
for await (const line of api.export())
  if (line.type === 'consumer') console.log(line.id, line.registered_at);
  else if (line.type === 'record') console.log(line.collection, line.record.text);
  else if (line.type === 'history') {
    const id: string = line.record;
    for (const { at, action, from, to, by } of line.items) console.log(line.collection, id, at, action, from ?? to, by);
  } else if (line.type === 'membership') console.log(line.record, line.role, line.since);
  else {
    const invitation: 'invitation' = line.type;
    console.log(invitation, line.uses_left, line.expires_at);
  }
## a client without types takes any input and any role
const { things } = createClient({ url: 'https://api.example.org', token: () => 'token' }).collections;
await things!.act(id, 'lend', { due: 'soon' }, { ifMatch: '*' });
await things!.lend!(id, { ifMatch: '*' });
const { role } = await things!.invite(id, { role: 'whatever' });
## create takes the parent
const { id: made, class: parent } = await assignments.create({ class: id, title: 'Essay', due: '2026-12-24T12:00:00Z' });
const words: string[] = [made, parent];
## a list under a parent can be filtered and sorted
for await (const { title } of assignments.list({ class: id, state: 'open', sort: 'due' })) console.log(title);
for await (const { grade = 0 } of handins.list({ assignment: id })) console.log(grade + 1);
## a page of own records under a parent
await handins.page({ assignment: id, mine: true, limit: 5 });
## a record has counts of its children by state
const { counts } = await assignments.get(id);
const sum: number = counts.handins.handed_in + counts.handins.returned;
## a record has one count of children without states
const { counts } = await issues.get(id);
const votes: number = counts.votes;
## replace takes a record with its parent
const handin = await handins.get(id);
await handins.replace(id, { ...handin, text: 'Another text' });
## update does not need the parent
await tasks.update(id, { title: 'Sweep', due: '2026-12-24' }, { ifMatch: '*' });
## roles of the parent are roles in its children
const { roles } = await assignments.get(id);
const isTeacher: boolean = roles.includes('teacher') && !roles.includes('student');
## a chosen person is named in the input and in people
await tasks.assign(id, { member: 'per_a' });
await tasks.act(id, 'assign', { member: 'per_a' }, { ifMatch: '*' });
const { people } = await tasks.get(id);
const assignee: string | undefined = people.assignee;
## an action with a required and an optional input field
await handins.return(id, { grade: 2 });
await handins.return(id, { grade: 2, remark: 'Well done' });
## input can be built before the call
const input: Collections['handins']['input']['return'] = { grade: 1 };
input.remark = 'Well done';
await handins.return(id, input);
## a role can come from a scope
const { roles, actions } = await issues.get(id);
if (roles.includes('moderator') && actions.includes('decline')) await issues.decline(id, { reason: 'It is no issue' });
## live follows a record, and a list under a parent
for await (const [handin] of handins.live(id)) if (handin?.state === 'returned') console.log(handin.grade);
for await (const all of handins.live({ assignment: id })) console.log(all.length);
## batch returns the result type of each operation
const [list, changed, nothing, lent] = await api.batch([
  { create: 'classes', fields: { title: '7b' } },
  { update: 'notes', id, fields: { done: true } },
  { delete: 'bookings', id },
  { act: 'lend', in: 'items', id, input: { due: '2026-12-24' } },
]);
const title: string | undefined = list?.title;
const done: boolean | undefined = changed?.done;
const none: undefined = nothing;
const state: 'available' | 'requested' | 'lent' | null | undefined = lent?.state;
## ifMatch of a batch takes a record or an ETag
const booking = await bookings.get(id);
await api.batch([
  { update: 'bookings', id, fields: { seats: 2 }, ifMatch: booking },
  { act: 'submit', in: 'bookings', id, ifMatch: '"2"' },
  { delete: 'bookings', id, ifMatch: etagOf(booking) },
]);
## a batch can be mapped from a list of records
const ids: string[] = [id];
const removed = await api.batch(ids.map((one) => ({ delete: 'notes', id: one })));
const made = await api.batch(ids.map((text) => ({ create: 'notes', fields: { text, colour: 'red' } })));
const text: string | undefined = made[0]?.text;
## a batch can be built step by step
const operations: Operation<Collections>[] = [];
operations.push({ create: 'notes', fields: { text: 'a' } });
if (operations.length > 0) operations.push({ act: 'take', in: 'tasks', id });
await api.batch(operations, { idempotencyKey: 'of-this-form', deadlineSeconds: 5 });
## a batch takes actions with and without input, and chosen ids
await api.batch([
  { create: 'notes', id: crypto.randomUUID(), fields: { text: 'a', tags: ['x'] } },
  { act: 'take_back', in: 'items', id },
  { act: 'take_back', in: 'items', id, input: { remark: 'a scratch' } },
  { act: 'assign', in: 'tasks', id, input: { member: 'per_a' } },
  { act: 'finish', in: 'tasks', id, ifMatch: '*' },
] as const);
## a refused batch has the index and the cause
try {
  await api.batch([{ delete: 'notes', id }]);
} catch (error) {
  if (!(error instanceof Problem) || error.code !== 'batch_refused') throw error;
  const index: number | undefined = error.index;
  if (error.cause instanceof Problem) console.log(index, error.cause.code, error.cause.errors);
}
## a client without types takes any batch
const anything = createClient({ url: 'https://api.example.org', token: () => 'token' });
const [made, acted] = await anything.batch([
  { create: 'things', fields: { any: 'field' } },
  { act: 'lend', in: 'things', id, input: { any: 'input' } },
]);
console.log(made?.whatever, acted?.whatever);
## count returns a count or a lower bound
const { count, at_least } = await handins.count({ assignment: id, state: 'handed_in' });
const words: string = count === undefined ? \`more than \${at_least.toFixed()}\` : \`\${count.toFixed()}\`;
## list, page and count take search words
for await (const { title } of issues.list({ q: 'slow', mine: true })) console.log(title);
const { items: found } = await issues.page({ q: 'slow page', mine: true, limit: 5 });
const { count = 0 } = await issues.count({ q: 'slow', mine: true });
## history yields the steps of a record
for await (const { at, action, from, to, by } of handins.history(id)) {
  const isReturned: boolean = action === 'return' && from === 'handed_in' && to === 'returned';
  console.log(at.slice(0, 10), isReturned, by === 'teacher', action === 'create');
}
`,
);
