import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const address = 'http://127.0.0.1:8080/';

/** The included collections, those of the examples, and one that is drawn as a table. */
export function writeCollections(root: string, folder: string): void {
  const target = join(folder, 'collections');
  cpSync(join(root, 'collections'), target, { recursive: true });
  for (const example of ['household', 'class', 'meetup', 'feedback', 'team'])
    cpSync(join(root, 'examples', example, 'collections'), target, { recursive: true });
  writeFileSync(
    join(target, 'boats.yaml'),
    `title: Boats
description: The boats of the club, and where they lie.
schema:
  required: [boat, kind, berth, length]
  properties:
    boat: { type: string, minLength: 1, maxLength: 40 }
    kind: { enum: [dinghy, keelboat, canoe] }
    berth: { type: string, maxLength: 6 }
    length: { type: integer, minimum: 2, maximum: 20, title: Length in metres }
    checked: { type: string, format: date }
index: [kind, length]
states:
  ashore: { launch: in_water }
  in_water: { haul_out: ashore }
access: { read: everyone }
`,
  );
}

export interface Shown {
  readonly team: string;
  readonly list: string;
  readonly class: string;
  readonly assignment: string;
  readonly meetup: string;
  /** The code of a new invitation for Ada. */
  inviteAda(): Promise<string>;
}

const day = 24 * 60 * 60 * 1000;

/** Creates the records that the screenshots show, and returns their ids. */
export async function fillCollections(root: string, folder: string): Promise<Shown> {
  const [ada, bob, eve, joe] = ['ada', 'bob', 'eve', 'joe'].map((user) => callAs(user, root, folder));
  if (!ada || !bob || !eve || !joe) throw new Error('A user has no token.');
  const join = async (path: string, role: string, ...people: readonly Call[]) => {
    for (const person of people) {
      const { code } = await ada(`${path}/invitations`, { role });
      await person('invitations', { code });
    }
  };
  await fillOwn(ada);
  await fillIssues(ada, bob);

  const list = await ada('lists', { title: 'For the weekend' });
  await join(`lists/${list.id}`, 'member', bob);
  for (const [index, what] of ['Flour', 'Green tea', 'Lemons', 'Milk', 'Batteries', 'Bread'].entries()) {
    const { id } = await (index % 2 ? ada : bob)('entries', { list: list.id, what });
    if (index < 2) await ada(`entries/${id}/buy`);
  }

  const team = await ada('teams', { title: 'Boathouse' });
  await join(`teams/${team.id}`, 'member', bob, eve);
  const titles = ['Oil the winch', 'Paint the door', 'Order varnish', 'Mend the fender', 'Sort the ropes'];
  for (const [index, title] of titles.entries()) {
    const due = new Date(Date.now() + index * day).toISOString().slice(0, 10);
    const task = await ada('tasks', { team: team.id, title, due });
    if (index % 2) await (index === 1 ? bob : ada)(`tasks/${task.id}/take`, undefined, '*');
    if (index === 3) await ada(`tasks/${task.id}/finish`, undefined, '*');
  }

  const school = await ada('classes', { title: 'Biology, 7b' });
  await join(`classes/${school.id}`, 'student', bob, eve);
  const assignment = await ada('assignments', {
    class: school.id,
    title: 'Photosynthesis',
    text: 'What do plants need for it, and what do they make? One page at most.',
    due: '2027-03-01T10:00:00Z',
  });
  await ada('assignments', { class: school.id, title: 'The cell', due: '2027-03-15T10:00:00Z' });
  await ada(`assignments/${assignment.id}/open`);
  for (const [student, text] of [
    [bob, 'Light, water and carbon dioxide. They make sugar, and oxygen is left over.'],
    [eve, 'They eat light.'],
  ] as const) {
    const { id } = await student('handins', { assignment: assignment.id, text });
    await student(`handins/${id}/hand_in`);
    if (student === eve) await ada(`handins/${id}/return`, { grade: 3, remark: 'And what becomes of it?' });
  }

  const meetup = await fillMeetups(ada, [bob, eve, joe]);
  const inviteAda = async () => {
    const { id } = await bob('lists', { title: 'Supper on Thursday' });
    return (await bob(`lists/${id}/invitations`, { role: 'member' })).code;
  };
  return {
    team: team.id,
    list: list.id,
    class: school.id,
    assignment: assignment.id,
    meetup,
    inviteAda,
  };
}

/** Notes, bookings and boats. */
async function fillOwn(ada: Call): Promise<void> {
  const notes = ['Boiler is serviced on Monday', 'Keys for the shed', 'Ask the council', 'Order wood'];
  for (let index = 0; index < 24; index += 1)
    await ada('notes', { text: `${notes[index % 4]} (${index + 1})`, done: index % 5 === 1 });
  for (const [days, seats, note] of [
    [40, 6, 'A long table, if there is one.'],
    [8, 2, undefined],
    [2, 4, 'By the window, please.'],
  ] as const) {
    const slot = new Date(Date.now() + days * day).toISOString();
    const { id } = await ada('bookings', { slot, seats, note });
    if (days === 2) await ada(`bookings/${id}/submit`);
  }
  const boats = ['Anna', 'Seagull', 'Marten', 'Old Tom', 'Wren', 'Pike', 'Dora', 'Comet', 'Teal', 'Juno'];
  for (const [index, boat] of boats.entries()) {
    const kind = ['dinghy', 'keelboat', 'canoe'][index % 3];
    const checked = index % 4 === 0 ? undefined : `2026-0${(index % 8) + 1}-12`;
    const fields = { boat, kind, berth: `B${index + 3}`, length: 4 + (index % 5), checked };
    const { id } = await ada('boats', fields);
    if (index % 3 === 0) await ada(`boats/${id}/launch`);
  }
}

async function fillIssues(ada: Call, bob: Call): Promise<void> {
  const slow = await ada('issues', {
    title: 'The page is slow in the morning',
    text: 'It takes ten seconds before eight.',
    area: 'site',
  });
  await ada('issues', { title: 'Dark mode', text: 'For reading in the evening.', area: 'app' });
  await bob('issues', { title: 'Slow search', area: 'site' });
  await bob('comments', { issue: slow.id, text: 'Here, too, on Mondays most of all.' });
}

async function fillMeetups(ada: Call, guests: readonly Call[]): Promise<string> {
  const ids: string[] = [];
  for (const [title, text, days, seats] of [
    ['Cooking', 'Soup, and bread with it.', 1, 8],
    ['Board games', 'Bring one.', 3, 2],
  ] as const) {
    const starts = new Date(Date.now() + days * day).toISOString();
    const { id } = await ada('meetups', { title, text, starts, seats });
    await ada(`meetups/${id}/publish`);
    ids.push(id);
  }
  const [, meetup = ''] = ids;
  for (const [index, guest] of guests.entries())
    await guest('registrations', { meetup, note: index === 0 ? 'Two chairs, please.' : undefined });
  return meetup;
}

type Call = (
  path: string,
  body?: object,
  version?: string,
) => Promise<{ readonly id: string; readonly code: string }>;

/** Sends POST requests with the token of a user. */
function callAs(user: string, root: string, folder: string): Call {
  const command = [join(root, 'bin/vestibule.js'), 'dev', 'token', '--user', user];
  const token = execFileSync(process.execPath, command, { cwd: folder, encoding: 'utf8' }).trim();
  const authorization = `Bearer ${token}`;
  return async (path, body, version) => {
    const headers = {
      'content-type': 'application/json',
      authorization,
      ...(version && { 'if-match': version }),
    };
    const text = JSON.stringify(body);
    const reply = await fetch(`${address}api/consumer/v1/${path}`, { method: 'POST', headers, body: text });
    if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json() as never;
  };
}
