import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleFolder } from '../support/people/examples.ts';
import { browsing } from './browser.ts';

const running = await browsing({ COLLECTIONS_DIR: exampleFolder('class') });
const teacher = await running.signedIn('Teacher');
const student = await running.signedIn('Student');

describe('examples/class, in the browsers of a teacher and a student', () => {
  it("each sees the other's changes live, from the invitation to the grade", async () => {
    const { dialog } = teacher;
    await teacher.open('data', 'assignments');
    await teacher.page.getByRole('main').getByRole('link', { name: 'Classes' }).click();
    await teacher.addOne('classes', 'Title', '7b');
    await teacher.title('7b').click();
    await student.join(await teacher.invite('Student'));
    await student.heading('Assignments').waitFor();
    await student.seesConnection('Live');
    assert.equal(await student.link('New assignment').count(), 0);

    await teacher.link('New assignment').click();
    await teacher.field('Title').fill('Photosynthesis');
    await teacher.page.getByLabel('Due').fill('2099-01-01T10:00');
    await teacher.saveButton.click();
    await teacher.button('Open Photosynthesis').click();

    await student.title('Photosynthesis').click();
    await student.link('Back to 7b').waitFor();
    await teacher.title('Photosynthesis').click();
    await teacher.sees('0 handed in, 0 returned');
    await teacher.seesConnection('Live');
    await student.link('New hand-in').click();
    await student.field('Text').fill('It takes light.');
    await student.saveButton.click();
    await student.button('Hand in It takes light.').click();

    // No page is reloaded from here on.
    await teacher.sees('1 handed in, 0 returned');
    await teacher.row('It takes light.').getByTitle(/^per_/).waitFor();
    await teacher.button('Return… It takes light.').click();
    await dialog.getByLabel('Grade').fill('1');
    await dialog.getByRole('button', { name: 'Return' }).click();
    await student.row('It takes light.').getByText('Returned', { exact: true }).waitFor();
    await student.sees('0 handed in, 1 returned');
    await student.row('It takes light.').getByText('1', { exact: true }).waitFor();
    for (const person of [teacher, student]) await person.isAccessible();

    await student.link('New hand-in').click();
    await student.field('Text').fill('And water.');
    await student.saveButton.click();
    await student.page.getByRole('alert').getByText('409 not_unique').waitFor();
    running.caused('409 /api/consumer/v1/handins');
    await student.open('data', 'handins');
    await student.title('It takes light.').click();
    await student.link('Back to Photosynthesis').click();
    await student.heading('Hand-ins').waitFor();
  });
});
