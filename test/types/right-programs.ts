/** Programs that compile, by what they show. Each has the imports of programs.ts. */
export const rightPrograms: Readonly<Record<string, string>> = {
  'a record is made of what is required': `
await notes.create({ text: 'buy milk' });`,

  'a record is made of everything': `
await notes.create({ text: 'a', done: true, stars: 5, tags: ['x'], colour: 'red', look: { font: 'mono', size: 3 } });`,

  'what is made comes back with what the service adds': `
const { id: made, created_at, text } = await notes.create({ text: 'a' });
const words: string[] = [made, created_at, text];`,

  'a list that nobody may change can be sent': `
const tags = ['a', 'b'] as const;
await notes.create({ text: 'a', tags });`,

  'a list that is read can be changed': `
const { tags = [] } = await notes.get(id);
tags.push('c');`,

  'what need not be there is asked for with care': `
const { look } = await notes.get(id);
const size: number = look?.size ?? 1;`,

  'one field is changed': `
const { done } = await notes.update(id, { done: true });`,

  'null takes a field away that need not be there': `
await notes.update(id, { done: null, look: null, tags: null });`,

  'a function makes the change out of the record': `
await notes.update(id, (note) => ({ stars: (note.stars ?? 0) + 1 }));`,

  'a function may take its time': `
await notes.update(id, async (note) => ({ text: await Promise.resolve(note.text) }));`,

  'an inner object is changed member by member': `
await notes.update(id, { look: { size: null } });`,

  'a record that was read replaces another': `
const note = await notes.get(id);
await notes.replace(id, { ...note, text: 'b' });
await notes.replace(id, note);`,

  'a record is deleted, and nothing comes back': `
const nothing: void = await notes.remove(id);`,

  'a list goes through all pages': `
for await (const { text, done } of notes.list()) console.log(text.length, done === true);`,

  'a list is filtered by state and sorted': `
for await (const { seats } of bookings.list({ state: 'submitted', sort: '-slot' })) console.log(seats + 1);`,

  'a list is filtered by an indexed choice': `
for await (const { meal } of bookings.list({ meal: 'lunch' })) console.log(meal === 'dinner');`,

  'a list is filtered by a stretch of time': `
bookings.list({ slot: { gte: '2026-12-01T00:00:00Z', lt: new Date() }, sort: 'slot' });`,

  'a list is filtered by numbers and flags': `
bookings.list({ seats: { gt: 2, lte: 8 } });
bookings.list({ seats: 2, paid: false });`,

  'every list is filtered and sorted by when its records were made': `
notes.list({ created_at: { lt: new Date() }, sort: '-created_at' });`,

  'a page leads to the next': `
const { items: found, next } = await bookings.page({ limit: 20, state: 'draft' });
if (next !== null) await bookings.page({ limit: 20, state: 'draft', cursor: next });
const first: Booking | undefined = found[0];`,

  'an action is a method': `
const { state } = await bookings.submit(id);
console.log(state === 'submitted');`,

  'an action that is called like a method is taken by its name': `
const removed: TeamPost = await posts.act(id, 'remove');
const nothing: void = await posts.remove(id);
await posts.hide(id);`,

  'all states are told apart': `
const colours: Record<Booking['state'], string> = { draft: 'grey', submitted: 'blue', approved: 'green', cancelled: 'red' };
function say(state: Collections['bookings']['state']): string {
  switch (state) {
    case 'draft': return 'a draft';
    case 'submitted': case 'approved': return 'under way';
    case 'cancelled': return 'over';
  }
}`,

  'buttons are drawn from the actions of a record': `
const booking = await bookings.get(id);
for (const action of booking.actions) await bookings.act(id, action);
const mayCancel: boolean = booking.actions.includes('cancel');`,

  'a refusal of a call is told by its codes': `
try {
  await notes.create({ text: 'a' });
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  const { code } = error as ProblemOf<Collections, 'notes', 'create'>;
  if (code === 'quota_exceeded' || code === 'validation_failed' || code === 'token_expired') console.log(code);
}`,

  'a change can be refused for the version': `
function isLate({ code }: ProblemOf<Collections, 'bookings', 'update'>): boolean {
  return code === 'precondition_failed' || code === 'precondition_required' || code === 'not_editable';
}`,

  'a function takes any of the collections': `
async function count<Name extends keyof Collections>(name: Name): Promise<number> {
  let found = 0;
  for await (const _ of createClient<Collections>({ url: '', token: () => '' }).collections[name].list()) found += 1;
  return found;
}
await count('team-posts');`,

  'an alternative is one of its shapes': `
await posts.create({ text: 'a', reply_to: null, shape: { radius: 1 } });
const { shape } = await posts.get(id);
const size: number | undefined = shape === undefined ? undefined : 'radius' in shape ? shape.radius : shape.side;`,

  'pairs, mappings and lists of objects keep their shape': `
await posts.create({ text: 'a', reply_to: id, place: [1, 2], counts: { likes: 3 }, parts: [{ kind: 'image' }] });
const { place: [x, y] = [0, 0], counts, parts = [] } = await posts.get(id);
const sum: number = x + y + (counts?.likes ?? 0) + parts.filter(({ kind }) => kind === 'video').length;`,

  'a member of a mapping is taken away': `
await posts.update(id, { counts: { likes: null, views: 1 } });`,

  'types have names for signatures': `
function draft(seats: number): BookingFields {
  return { slot: new Date().toISOString(), seats, meal: 'dinner', paid: false };
}
const change: BookingChanges = { note: null };
await bookings.update((await bookings.create(draft(2))).id, change);`,

  'a client without types lets everything through': `
const anything = createClient({ url: 'https://api.example.org', token: () => 'token' });
const { whatever } = await anything.collections.things!.create({ any: 'field' });`,
};
