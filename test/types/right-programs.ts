/** Programs that compile, by what they show. Each has the imports of programs.ts. */
export const rightPrograms: Readonly<Record<string, string>> = {
  'create takes the required fields': `
await notes.create({ text: 'buy milk' });`,

  'create takes all fields': `
await notes.create({ text: 'a', done: true, stars: 5, tags: ['x'], colour: 'red', look: { font: 'mono', size: 3 } });`,

  'create returns the record with id and dates': `
const { id: made, created_at, text } = await notes.create({ text: 'a' });
const words: string[] = [made, created_at, text];`,

  'create takes a readonly list': `
const tags = ['a', 'b'] as const;
await notes.create({ text: 'a', tags });`,

  'a list of a read record is mutable': `
const { tags = [] } = await notes.get(id);
tags.push('c');`,

  'an optional field needs a check': `
const { look } = await notes.get(id);
const size: number = look?.size ?? 1;`,

  'update takes one field': `
const { done } = await notes.update(id, { done: true });`,

  'update takes null for an optional field': `
await notes.update(id, { done: null, look: null, tags: null });`,

  'update takes a function of the record': `
await notes.update(id, (note) => ({ stars: (note.stars ?? 0) + 1 }));`,

  'update takes an async function': `
await notes.update(id, async (note) => ({ text: await Promise.resolve(note.text) }));`,

  'update takes a partial nested object': `
await notes.update(id, { look: { size: null } });`,

  'replace takes a record that was read': `
const note = await notes.get(id);
await notes.replace(id, { ...note, text: 'b' });
await notes.replace(id, note);`,

  'remove returns nothing': `
const nothing: void = await notes.remove(id);`,

  'a list goes through all pages': `
for await (const { text, done } of notes.list()) console.log(text.length, done === true);`,

  'a list is filtered by state and sorted': `
for await (const { seats } of bookings.list({ state: 'submitted', sort: '-slot' })) console.log(seats + 1);`,

  'a list is filtered by an indexed choice': `
for await (const { meal } of bookings.list({ meal: 'lunch' })) console.log(meal === 'dinner');`,

  'a list is filtered by a time range': `
bookings.list({ slot: { gte: '2026-12-01T00:00:00Z', lt: new Date() }, sort: 'slot' });`,

  'a list is filtered by numbers and flags': `
bookings.list({ seats: { gt: 2, lte: 8 } });
bookings.list({ seats: 2, paid: false });`,

  'every list can be filtered and sorted by created_at': `
notes.list({ created_at: { lt: new Date() }, sort: '-created_at' });`,

  'a page leads to the next': `
const { items: found, next } = await bookings.page({ limit: 20, state: 'draft' });
if (next !== null) await bookings.page({ limit: 20, state: 'draft', cursor: next });
const first: Booking | undefined = found[0];`,

  'an action is a method': `
const { state } = await bookings.submit(id);
console.log(state === 'submitted');`,

  'an action named like a method is called through act': `
const removed: TeamPost = await posts.act(id, 'remove');
const nothing: void = await posts.remove(id);
await posts.hide(id);`,

  'a switch over all states is exhaustive': `
const colours: Record<NonNullable<Booking['state']>, string> = { draft: 'grey', submitted: 'blue', approved: 'green', cancelled: 'red' };
function say(state: Collections['bookings']['state']): string {
  switch (state) {
    case 'draft': return 'a draft';
    case 'submitted': case 'approved': return 'under way';
    case 'cancelled': return 'over';
  }
}`,

  'the actions of a record can be passed to act': `
const booking = await bookings.get(id);
for (const action of booking.actions) await bookings.act(id, action);
const mayCancel: boolean = booking.actions.includes('cancel');`,

  'ProblemOf narrows the codes of a call': `
try {
  await notes.create({ text: 'a' });
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  const { code } = error as ProblemOf<Collections, 'notes', 'create'>;
  if (code === 'quota_exceeded' || code === 'validation_failed' || code === 'token_expired') console.log(code);
}`,

  'ProblemOf of update has the precondition codes': `
function isLate({ code }: ProblemOf<Collections, 'bookings', 'update'>): boolean {
  return code === 'precondition_failed' || code === 'precondition_required' || code === 'not_editable';
}`,

  'a generic function takes any collection': `
async function count<Name extends keyof Collections>(name: Name): Promise<number> {
  let found = 0;
  for await (const _ of createClient<Collections>({ url: '', token: () => '' }).collections[name].list()) found += 1;
  return found;
}
await count('team-posts');`,

  'a oneOf field takes one of its shapes': `
await posts.create({ text: 'a', reply_to: null, shape: { radius: 1 } });
const { shape } = await posts.get(id);
const size: number | undefined = shape === undefined ? undefined : 'radius' in shape ? shape.radius : shape.side;`,

  'pairs, mappings and lists of objects keep their shape': `
await posts.create({ text: 'a', reply_to: id, place: [1, 2], counts: { likes: 3 }, parts: [{ kind: 'image' }] });
const { place: [x, y] = [0, 0], counts, parts = [] } = await posts.get(id);
const sum: number = x + y + (counts?.likes ?? 0) + parts.filter(({ kind }) => kind === 'video').length;`,

  'update takes null for a member of a mapping': `
await posts.update(id, { counts: { likes: null, views: 1 } });`,

  'generated type names can be used in signatures': `
function draft(seats: number): BookingFields {
  return { slot: new Date().toISOString(), seats, meal: 'dinner', paid: false };
}
const change: BookingChanges = { note: null };
await bookings.update((await bookings.create(draft(2))).id, change);`,

  'a client without types takes any field': `
const anything = createClient({ url: 'https://api.example.org', token: () => 'token' });
const { whatever } = await anything.collections.things!.create({ any: 'field' });`,
};
