import { compile } from './programs.ts';

/**
 * Programs that do not compile, by their fault. The comment at the end of a line is the only expected error:
 * its code and a part of its text.
 */
compile(
  1,
  `
## a collection that is not declared
api.collections.todos; // TS2339 'todos'
## a field that is not declared
await notes.create({ text: 'a', titel: 'b' }); // TS2353 'titel' does not exist in type 'NoteFields'
## a required field that is missing
await bookings.create({ slot: '2026-12-24T18:00:00Z', meal: 'lunch', paid: true }); // TS2741 'seats' is missing
## text for a number
await notes.create({ text: 'a', stars: '5' }); // TS2322 'string' is not assignable to type 'number'
## an unknown choice
await notes.create({ text: 'a', colour: 'blue' }); // TS2322 '"blue"' is not assignable to type '"green" | "red"
## an unknown choice in a nested object
await notes.create({ text: 'a', look: { font: 'sans' } }); // TS2322 '"sans"' is not assignable to type '"mono" | "serif"'
## an inner object without what it requires
await notes.create({ text: 'a', look: { size: 3 } }); // TS2741 'font' is missing
## null for a field in create
await notes.create({ text: 'a', done: null }); // TS2322 'null' is not assignable to type 'boolean
## null for a required field
await notes.update(id, { text: null }); // TS2322 'null' is not assignable to type 'string
## a list with items of another type
await notes.create({ text: 'a', tags: [1] }); // TS2322 'number' is not assignable to type 'string'
## text for a list
await notes.create({ text: 'a', tags: 'a' }); // TS2322 'string' is not assignable to type 'readonly string[]'
## a state of a record that is older than the states of its collection
const { state } = await bookings.get(id);
const known: string = state; // TS2322 'null' is not assignable to type 'string'
## the id of a record changed
const note = await notes.get(id);
note.id = 'another'; // TS2540 'id' because it is a read-only property
## the state of a record changed by hand
const booking = await bookings.get(id);
booking.state = 'approved'; // TS2540 'state' because it is a read-only property
## the state sent as a field
await bookings.update(id, { state: 'approved' }); // TS2353 'state' does not exist in type 'BookingChanges
## the state of a collection without states
const { state } = await notes.get(id); // TS2339 'state' does not exist on type 'Note'
## an unknown state
const { state } = await bookings.get(id);
if (state === 'aproved') console.log(state); // TS2367 no overlap
## an unknown action
await bookings.aprove(id); // TS2551 Did you mean 'approve'?
## an action of another collection
await notes.submit(id); // TS2339 'submit' does not exist on type
## an unknown action name in act
await bookings.act(id, 'hide'); // TS2345 '"hide"' is not assignable to parameter of type '"approve" | "cancel" | "submit"'
## an action of a collection without states
await notes.act(id, 'submit'); // TS2345 is not assignable to parameter of type 'never'
## a filter in a collection without an index
notes.list({ text: 'a' }); // TS2353 'text' does not exist in type
## a filter by a field without an index beside those with one
bookings.list({ state: 'draft', note: 'a' }); // TS2353 'note' does not exist in type
## a filter by an unknown state
bookings.list({ state: 'open' }); // TS2322 '"open"' is not assignable to type '"approved" | "cancelled" | "draft" | "submitted"
## a filter by state in a collection without states
notes.list({ state: 'open' }); // TS2353 'state' does not exist in type
## a filter by an unknown choice
bookings.list({ meal: 'brunch' }); // TS2322 '"brunch"' is not assignable to type
## a bound of another type
bookings.list({ seats: { gte: '2' } }); // TS2322 'string' is not assignable to type 'number'
## an unknown operator
bookings.list({ seats: { above: 2 } }); // TS2353 'above' does not exist in type 'Bounds<number>'
## a range of booleans
bookings.list({ paid: { gte: true } }); // TS2322 is not assignable to type 'boolean
## a sort by a field without an index
bookings.list({ sort: 'note' }); // TS2322 '"note"' is not assignable to type
## a sort by a field of another collection
notes.list({ sort: '-slot' }); // TS2322 Type '"-slot"' is not assignable to type '"-created_at" | "created_at"
## an optional field used without a check
const { stars } = await notes.get(id);
console.log(stars + 1); // TS18048 'stars' is possibly 'undefined'
## a nullable field used without a check
const { reply_to } = await posts.get(id);
reply_to.slice(1); // TS18047 'reply_to' is possibly 'null'
## a switch that misses a state
function say(state: Collections['team-posts']['state']): string { // TS2366 does not include 'undefined'
  switch (state) {
    case 'shown': return 'shown';
    case 'hidden': return 'hidden';
  }
}
## an update function that returns a wrong type
await notes.update(id, (note) => ({ done: note.text })); // TS2345 'string' is not assignable to type 'boolean
## an error code that the call cannot have
function judge({ code }: ProblemOf<Collections, 'notes', 'remove'>): boolean {
  return code === 'quota_exceeded'; // TS2367 no overlap
}
## not_owner in a collection that only owners read
function judge({ code }: ProblemOf<Collections, 'bookings', 'update'>): boolean {
  return code === 'not_owner'; // TS2367 no overlap
}
## an unknown call in ProblemOf
type Wrong = ProblemOf<Collections, 'notes', 'delete'>; // TS2344 '"delete"' does not satisfy the constraint
## three items for a pair
await posts.create({ text: 'a', reply_to: null, place: [1, 2, 3] }); // TS2322 'number' is not assignable to type 'undefined'
## text in a mapping of numbers
await posts.create({ text: 'a', reply_to: null, counts: { likes: 'many' } }); // TS2322 'string' is not assignable to type 'number'
## none of the shapes of a oneOf field
await posts.create({ text: 'a', reply_to: null, shape: { edge: 1 } }); // TS2353 'edge' does not exist in type
## an action without its input
await items.lend(id); // TS2554 Expected 2-3 arguments, but got 1
## an action by its name without its input
await items.act(id, 'lend'); // TS2554 Expected 3-4 arguments, but got 2
## input without what it requires
await items.lend(id, { fee: 2 }); // TS2741 'due' is missing
## input that the action does not set
await items.lend(id, { due: '2026-12-24', remark: 'a' }); // TS2353 'remark' does not exist in type
## input of a wrong type
await items.act(id, 'lend', { due: 24 }); // TS2322 'number' is not assignable to type 'string'
## options instead of input
await items.lend(id, { ifMatch: '*' }); // TS2353 'ifMatch' does not exist in type
## ambiguous input without options after it
type Lamp = Omit<Collections['items'], 'action' | 'input'> & { action: 'show'; input: { show: { signal: string } } };
const { lamps } = createClient<{ lamps: Lamp }>({ url: '', token: () => '' }).collections;
await lamps.show(id, { signal: 'red' }, {});
await lamps.show(id, { signal: 'red' }); // TS2554 Expected 3 arguments, but got 2
## input for an action that has none
await items.request(id, { due: '2026-12-24' }); // TS2353 'due' does not exist in type 'ChangeOptions'
## any action, although one needs input
for (const action of (await items.get(id)).actions)
  await items.act(id, action); // TS2554 Expected 3 arguments, but got 2
## create with a field that only an action sets
await items.create({ title: 'Drill', due: '2026-12-24' }); // TS2353 'due' does not exist in type 'ItemFields'
## update of a field that only an action sets
await items.update(id, { due: null }); // TS2353 'due' does not exist in type
## assignment to a field that only an action sets
const item = await items.get(id);
item.due = '2026-12-24'; // TS2540 'due' because it is a read-only property
## assignment to the owner of a record
const item = await items.get(id);
item.owner = 'per_me'; // TS2540 'owner' because it is a read-only property
## an unknown role
(await items.get(id)).roles.includes('lender'); // TS2345 '"lender"' is not assignable to parameter of type '"borrower" | "keeper" | "owner"'
## a filter by the role "owner"
items.list({ role: 'owner' }); // TS2322 '"owner"' is not assignable to type '"borrower" | "keeper"
## a filter by role in a collection without roles
bookings.list({ role: 'owner' }); // TS2353 'role' does not exist in type
## an invitation to a role that actions grant
await items.invite(id, { role: 'borrower' }); // TS2322 '"borrower"' is not assignable to type '"keeper" | "owner"'
## the role "owner" for a member
await items.changeMember(id, 'per_a', { role: 'owner' }); // TS2322 '"owner"' is not assignable to type '"keeper"'
## an invitation in a collection without invitations
await bookings.invite(id, { role: 'owner' }); // TS2339 'invite' does not exist on type
## an accepted invitation of a collection without invitations
if ((await api.accept('code')).collection === 'notes') console.log('never'); // TS2367 no overlap
## ProblemOf of a call that the collection does not have
type Wrong = ProblemOf<Collections, 'notes', 'invite'>; // TS2344 '"invite"' does not satisfy the constraint
## create without the parent
await assignments.create({ title: 'Essay', due: '2026-12-24T12:00:00Z' }); // TS2741 'class' is missing
## a record moved to another parent
await assignments.update(id, { class: id }); // TS2353 'class' does not exist in type
## a list under a parent of another collection
handins.list({ class: id }); // TS2353 'class' does not exist in type
## a list under a parent in a collection without parents
notes.list({ assignment: id }); // TS2353 'assignment' does not exist in type
## a count of a state that is not declared
const { counts } = await assignments.get(id);
console.log(counts.handins.draft); // TS2339 'draft' does not exist on type
## assignment to counts
const assignment = await assignments.get(id);
assignment.counts = { handins: { handed_in: 1, returned: 0 } }; // TS2540 'counts' because it is a read-only property
## a role of the parent that the record does not have
(await assignments.get(id)).roles.includes('assistant'); // TS2345 '"assistant"' is not assignable to parameter of type
## an invitation to a role that comes from the parent
await handins.invite(id, { role: 'student' }); // TS2339 'invite' does not exist on type
## a chosen person under another input name
await tasks.assign(id, { alias: 'per_a' }); // TS2353 'alias' does not exist in type
## a missing chosen person
await tasks.act(id, 'assign'); // TS2554 Expected 3-4 arguments, but got 2
## a chosen person for an action that chooses none
await tasks.take(id, { member: 'per_a' }); // TS2353 'member' does not exist in type 'ChangeOptions'
## a batch with a collection that is not declared
await api.batch([{ delete: 'todos', id }]); // TS2322 '"todos"' is not assignable to type
## a batch with a field that is not declared
await api.batch([{ create: 'notes', fields: { text: 'a', titel: 'b' } }]); // TS2353 'titel' does not exist in type 'NoteFields'
## a batch with an undeclared nested field
await api.batch([{ create: 'notes', fields: { text: 'a', look: { font: 'mono', sise: 3 } } }]); // TS2353 'sise' does not exist
## a batch without a required field
await api.batch([{ create: 'assignments', fields: { class: id, title: 'Essay' } }]); // TS2741 'due' is missing
## a batch with the fields of another collection
await api.batch([{ update: 'notes', id, fields: { seats: 2 } }]); // TS2353 'seats' does not exist in type 'NoteChanges'
## a batch that creates a record with a field that only an action sets
await api.batch([{ create: 'items', fields: { title: 'Drill', due: '2026-12-24' } }]); // TS2353 'due' does not exist in type 'ItemFields'
## a batch that moves a record to another parent
await api.batch([{ update: 'assignments', id, fields: { class: id } }]); // TS2353 'class' does not exist in type 'AssignmentChanges'
## a batch with an unknown action
await api.batch([{ act: 'borrow', in: 'items', id }]); // TS2322 '"borrow"' is not assignable to type
## a batch with an action of another collection
await api.batch([{ act: 'request', in: 'tasks', id }]); // TS2322 '"request"' is not assignable to type
## a batch with an action without its input
await api.batch([{ act: 'lend', in: 'items', id }]); // TS2322 'input' is missing
## a batch with input that the action does not set
await api.batch([{ act: 'lend', in: 'items', id, input: { due: '2026-12-24', remark: 'a' } }]); // TS2353 'remark' does not exist
## a batch with input for an action that has none
await api.batch([{ act: 'request', in: 'items', id, input: { due: '2026-12-24' } }]); // TS2322 is not assignable to type 'undefined'
## a batch with an update without an id
await api.batch([{ update: 'notes', fields: { text: 'a' } }]); // TS2741 'id' is missing
## a batch with if_match instead of ifMatch
await api.batch([{ delete: 'notes', id, if_match: '"2"' }]); // TS2561 Did you mean to write 'ifMatch'?
## a batch with ifMatch on a creation
await api.batch([{ create: 'notes', fields: { text: 'a' }, ifMatch: '*' }]); // TS2353 'ifMatch' does not exist in type
## a batch with two verbs in one operation
await api.batch([{ create: 'notes', fields: { text: 'a' }, delete: 'notes' }]); // TS2353 'delete' does not exist in type
## a batch that is not a list
await api.batch({ delete: 'notes', id }); // TS2353 'delete' does not exist in type
## the result of a deletion in a batch
const [nothing] = await api.batch([{ delete: 'notes', id }]);
console.log(nothing.id); // TS18048 'nothing' is possibly 'undefined'
## a result of a batch with the type of another operation
const [note, item] = await api.batch([
  { create: 'notes', fields: { text: 'a' } },
  { create: 'items', fields: { title: 'Drill' } },
]);
console.log(note?.text, item?.text); // TS2339 'text' does not exist on type 'Item'
## a batch built step by step with an undeclared field
const operations: Operation<Collections>[] = [];
operations.push({ create: 'notes', fields: { text: 'a', titel: 'b' } }); // TS2353 'titel' does not exist in type
## a count used without a check for the lower bound
const { count } = await notes.count();
console.log(count.toFixed()); // TS18048 'count' is possibly 'undefined'
## a count filtered by a field without an index
await notes.count({ text: 'a' }); // TS2353 'text' does not exist in type
## search words in a collection without search
notes.list({ q: 'milk' }); // TS2353 'q' does not exist in type
## history of a collection without history
notes.history(id); // TS2339 'history' does not exist on type
## an unknown action in the history
for await (const { action } of handins.history(id))
  if (action === 'lend') console.log('never'); // TS2367 no overlap
`,
);
