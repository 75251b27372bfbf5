/**
 * Programs that do not compile, by their fault. The comment at the end of a line is the only expected error:
 * its code and a part of its text.
 */
export const wrongPrograms: Readonly<Record<string, string>> = {
  'a collection that is not declared': `
api.collections.todos; // TS2339 'todos'`,

  'a field that is not declared': `
await notes.create({ text: 'a', titel: 'b' }); // TS2353 'titel' does not exist in type 'NoteFields'`,

  'a required field that is missing': `
await bookings.create({ slot: '2026-12-24T18:00:00Z', meal: 'lunch', paid: true }); // TS2741 'seats' is missing`,

  'text for a number': `
await notes.create({ text: 'a', stars: '5' }); // TS2322 'string' is not assignable to type 'number'`,

  'an unknown choice': `
await notes.create({ text: 'a', colour: 'blue' }); // TS2322 '"blue"' is not assignable to type '"green" | "red"`,

  'an unknown choice in a nested object': `
await notes.create({ text: 'a', look: { font: 'sans' } }); // TS2322 '"sans"' is not assignable to type '"mono" | "serif"'`,

  'an inner object without what it requires': `
await notes.create({ text: 'a', look: { size: 3 } }); // TS2741 'font' is missing`,

  'null for a field in create': `
await notes.create({ text: 'a', done: null }); // TS2322 'null' is not assignable to type 'boolean`,

  'null for a required field': `
await notes.update(id, { text: null }); // TS2322 'null' is not assignable to type 'string`,

  'a list with items of another type': `
await notes.create({ text: 'a', tags: [1] }); // TS2322 'number' is not assignable to type 'string'`,

  'text for a list': `
await notes.create({ text: 'a', tags: 'a' }); // TS2322 'string' is not assignable to type 'readonly string[]'`,

  'a state of a record that is older than the states of its collection': `
const { state } = await bookings.get(id);
const known: string = state; // TS2322 'null' is not assignable to type 'string'`,

  'the id of a record changed': `
const note = await notes.get(id);
note.id = 'another'; // TS2540 'id' because it is a read-only property`,

  'the state of a record changed by hand': `
const booking = await bookings.get(id);
booking.state = 'approved'; // TS2540 'state' because it is a read-only property`,

  'the state sent as a field': `
await bookings.update(id, { state: 'approved' }); // TS2353 'state' does not exist in type 'BookingChanges`,

  'the state of a collection without states': `
const { state } = await notes.get(id); // TS2339 'state' does not exist on type 'Note'`,

  'an unknown state': `
const { state } = await bookings.get(id);
if (state === 'aproved') console.log(state); // TS2367 no overlap`,

  'an unknown action': `
await bookings.aprove(id); // TS2551 Did you mean 'approve'?`,

  'an action of another collection': `
await notes.submit(id); // TS2339 'submit' does not exist on type`,

  'an unknown action name in act': `
await bookings.act(id, 'hide'); // TS2345 '"hide"' is not assignable to parameter of type '"approve" | "cancel" | "submit"'`,

  'an action of a collection without states': `
await notes.act(id, 'submit'); // TS2345 is not assignable to parameter of type 'never'`,

  'a filter in a collection without an index': `
notes.list({ text: 'a' }); // TS2353 'text' does not exist in type`,

  'a filter by a field without an index beside those with one': `
bookings.list({ state: 'draft', note: 'a' }); // TS2353 'note' does not exist in type`,

  'a filter by an unknown state': `
bookings.list({ state: 'open' }); // TS2322 '"open"' is not assignable to type '"approved" | "cancelled" | "draft" | "submitted"`,

  'a filter by state in a collection without states': `
notes.list({ state: 'open' }); // TS2353 'state' does not exist in type`,

  'a filter by an unknown choice': `
bookings.list({ meal: 'brunch' }); // TS2322 '"brunch"' is not assignable to type`,

  'a bound of another type': `
bookings.list({ seats: { gte: '2' } }); // TS2322 'string' is not assignable to type 'number'`,

  'an unknown operator': `
bookings.list({ seats: { above: 2 } }); // TS2353 'above' does not exist in type 'Bounds<number>'`,

  'a range of booleans': `
bookings.list({ paid: { gte: true } }); // TS2322 is not assignable to type 'boolean`,

  'a sort by a field without an index': `
bookings.list({ sort: 'note' }); // TS2322 '"note"' is not assignable to type`,

  'a sort by a field of another collection': `
notes.list({ sort: '-slot' }); // TS2322 Type '"-slot"' is not assignable to type '"-created_at" | "created_at"`,

  'an optional field used without a check': `
const { stars } = await notes.get(id);
console.log(stars + 1); // TS18048 'stars' is possibly 'undefined'`,

  'a nullable field used without a check': `
const { reply_to } = await posts.get(id);
reply_to.slice(1); // TS18047 'reply_to' is possibly 'null'`,

  'a switch that misses a state': `
function say(state: Collections['team-posts']['state']): string { // TS2366 does not include 'undefined'
  switch (state) {
    case 'shown': return 'shown';
    case 'hidden': return 'hidden';
  }
}`,

  'an update function that returns a wrong type': `
await notes.update(id, (note) => ({ done: note.text })); // TS2345 'string' is not assignable to type 'boolean`,

  'an error code that the call cannot have': `
function judge({ code }: ProblemOf<Collections, 'notes', 'remove'>): boolean {
  return code === 'quota_exceeded'; // TS2367 no overlap
}`,

  'not_owner in a collection that only owners read': `
function judge({ code }: ProblemOf<Collections, 'bookings', 'update'>): boolean {
  return code === 'not_owner'; // TS2367 no overlap
}`,

  'an unknown call in ProblemOf': `
type Wrong = ProblemOf<Collections, 'notes', 'delete'>; // TS2344 '"delete"' does not satisfy the constraint`,

  'three items for a pair': `
await posts.create({ text: 'a', reply_to: null, place: [1, 2, 3] }); // TS2322 'number' is not assignable to type 'undefined'`,

  'text in a mapping of numbers': `
await posts.create({ text: 'a', reply_to: null, counts: { likes: 'many' } }); // TS2322 'string' is not assignable to type 'number'`,

  'none of the shapes of a oneOf field': `
await posts.create({ text: 'a', reply_to: null, shape: { edge: 1 } }); // TS2353 'edge' does not exist in type`,
};
