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
    await teacher.link('Classes').click();
    await teacher.addOne('classes', 'Title', '7b');
    await student.page.goto(await teacher.invite('7b', 'Student'));
    await student.button('Accept').click();
    await student.link('Assignments of 7b').click();
    await student.heading('Assignments').waitFor();
    await student.seesConnection('Live');
    assert.equal(await student.link('New in Assignments').count(), 0);

    await teacher.link('Assignments of 7b').click();
    await teacher.link('New in Assignments').click();
    await teacher.field('Title').fill('Photosynthesis');
    await teacher.page.getByLabel('Due').fill('2099-01-01T10:00');
    await teacher.button('Save').click();
    await teacher.button('Open Photosynthesis').click();

    await student.link('Hand-ins of Photosynthesis').click();
    await student.link('← 7b').waitFor();
    await teacher.link('Hand-ins of Photosynthesis').click();
    await teacher.sees('0 handed in, 0 returned');
    await teacher.seesConnection('Live');
    await student.link('New in Hand-ins').click();
    await student.field('Text').fill('It takes light.');
    await student.button('Save').click();
    await student.button('Hand in It takes light.').click();

    // No page is reloaded from here on.
    await teacher.sees('1 handed in, 0 returned');
    await teacher.sees(/^From per_/);
    await teacher.button('Return It takes light.').click();
    await dialog.getByLabel('Grade').fill('1');
    await dialog.getByRole('button', { name: 'Return' }).click();
    await student.page.locator('.state').getByText('Returned', { exact: true }).waitFor();
    await student.sees('0 handed in, 1 returned');
    await student.page.getByText('Grade', { exact: true }).waitFor();
    for (const person of [teacher, student]) await person.isAccessible();

    await student.link('New in Hand-ins').click();
    await student.field('Text').fill('And water.');
    await student.button('Save').click();
    await student.sees('There is one already');
    running.caused('409 /api/consumer/v1/handins');
    await student.open('data', 'handins');
    await student.link('Go to assignment of It takes light.').click();
    await student.heading('Hand-ins').waitFor();
  });
});
