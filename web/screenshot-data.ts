import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

export const address = 'http://127.0.0.1:8080/';

/** Creates records with the forms of the page. */
export async function fillCollections(page: Page): Promise<void> {
  for (const [slot, seats, note] of [
    ['2027-01-09T20:00', '6', 'A long table, if there is one.'],
    ['2026-12-31T18:30', '2', ''],
    ['2026-12-24T18:30', '4', 'By the window, please.'],
  ]) {
    await page.goto(`${address}#/data/bookings/new`);
    await page.getByLabel('Slot').fill(slot ?? '');
    await page.getByLabel('Seats').fill(seats ?? '');
    await page.getByLabel('Note').fill(note ?? '');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Bookings', exact: true }).waitFor();
  }
  await page
    .getByRole('button', { name: /^Submit/ })
    .first()
    .click();
  await page.locator('.state', { hasText: 'Submitted' }).waitFor();
  await page.goto(`${address}#/data/notes/new`);
  await page
    .getByLabel('Text')
    .fill('Water the plants, all of them, and not only those in the hall. '.repeat(20));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Notes', exact: true }).waitFor();
  for (const text of ['The lift is out of order until Friday.', 'Choir practice on Tuesdays at seven.']) {
    await page.goto(`${address}#/data/notices/new`);
    await page.getByLabel('Text').fill(text);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Notices', exact: true }).waitFor();
  }
}

/** Bob accepts an invitation to a list, and requests an item. */
export async function shareWithBob(ada: Page, bob: Page): Promise<void> {
  for (const [collection, title] of [
    ['lists', 'For the weekend'],
    ['items', 'Drill'],
  ]) {
    await ada.goto(`${address}#/data/${collection}/new`);
    await ada.getByLabel('Title').fill(title ?? '');
    await ada.getByRole('button', { name: 'Save' }).click();
    await ada.getByRole('heading', { name: title ?? '' }).waitFor();
  }
  await ada.goto(`${address}#/data/lists`);
  await ada.getByRole('button', { name: /^Invite/ }).click();
  await ada.getByRole('button', { name: 'Make a link' }).click();
  const link = await ada.getByLabel('Link').inputValue();
  await bob.goto(link);
  await bob.getByRole('button', { name: 'Sign in' }).click();
  await bob.getByLabel('User name').fill('bob');
  await bob.getByLabel('Password').fill('dev');
  await bob.getByRole('button', { name: 'Sign in', exact: true }).click();
  await bob.getByRole('button', { name: 'Accept' }).click();
  await bob.getByText('You are a member', { exact: true }).waitFor();
  await bob.goto(`${address}#/everybodys/items`);
  await bob.getByRole('button', { name: /^Request/ }).click();
  await bob.getByText('You are the borrower').waitFor();
}

/** Creates a class with an assignment and two hand-ins, and a meetup with two seats and four registrations. */
export async function fillFamilies(root: string, folder: string): Promise<readonly string[]> {
  const [ada, bob, eve, joe] = ['ada', 'bob', 'eve', 'joe'].map((user) => callAs(user, root, folder));
  if (!ada || !bob || !eve || !joe) throw new Error('A user has no token.');
  const school = await ada('classes', { title: 'Biology, 7b' });
  for (const student of [bob, eve]) {
    const { code } = await ada(`classes/${school.id}/invitations`, { role: 'student' });
    await student('invitations', { code });
  }
  const text = 'What do plants need for it, and what do they make? One page at most.';
  const due = '2027-03-01T10:00:00Z';
  const assignment = await ada('assignments', { class: school.id, title: 'Photosynthesis', text, due });
  await ada('assignments', { class: school.id, title: 'The cell', due: '2027-03-15T10:00:00Z' });
  await ada(`assignments/${assignment.id}/open`);
  for (const [student, words] of [
    [bob, 'Light, water and carbon dioxide. They make sugar, and oxygen is left over.'],
    [eve, 'They eat light.'],
  ] as const) {
    const { id } = await student('handins', { assignment: assignment.id, text: words });
    await student(`handins/${id}/hand_in`);
    if (student === eve) await ada(`handins/${id}/return`, { grade: 3, remark: 'And what becomes of it?' });
  }
  await ada('classes', { title: 'Chemistry, 8a' });
  for (const [title, text] of [
    ['The page is slow in the morning', 'It takes ten seconds before eight.'],
    ['Dark mode', 'For reading in the evening.'],
    ['Slow search', undefined],
  ] as const)
    await ada('issues', { title, text, area: 'site' });
  const starts = '2027-02-12T18:00:00Z';
  const meetup = await ada('meetups', { title: 'Board games', text: 'Bring one.', starts, seats: 2 });
  await ada(`meetups/${meetup.id}/publish`);
  for (const [guest, note] of [
    [bob, 'Two chairs, please.'],
    [eve, undefined],
    [joe, 'I can bring cake.'],
    [ada, undefined],
  ] as const)
    await guest('registrations', { meetup: meetup.id, note });
  return [`classes/${school.id}`, `assignments/${assignment.id}`, `meetups/${meetup.id}`];
}

/** Sends POST requests with the token of a user. */
function callAs(user: string, root: string, folder: string) {
  const command = [join(root, 'bin/vestibule.js'), 'dev', 'token', '--user', user];
  const token = execFileSync(process.execPath, command, { cwd: folder, encoding: 'utf8' }).trim();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return async (path: string, body?: object): Promise<{ readonly id: string; readonly code: string }> => {
    const text = JSON.stringify(body);
    const reply = await fetch(`${address}api/consumer/v1/${path}`, { method: 'POST', headers, body: text });
    if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json() as never;
  };
}
