import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declarationsFolder } from '../support/services/declarations.ts';
import { browsing } from './browser.ts';

const title = 'schema: { required: [title], properties: { title: { type: string, maxLength: 60 } } }';
const declarations = {
  teams: `
title: Teams
${title}
roles: { member: { invited_by: owner } }
access: { read: [owner, member] }
aliases: true
`,
  tasks: `
title: Tasks
parent: { field: team, collection: teams, owned_by: parent }
${title}
roles: { member: { parent_roles: [owner, member] }, assignee: {} }
access: { create: member, read: [member, assignee], update: member, delete: member }
states:
  open: { assign: { to: assigned, by: member, grants: assignee, chosen_from: member } }
  assigned: { drop: { to: open, by: member, revokes: assignee } }
aliases: true
`,
  issues: `
title: Issues
${title}
access: { read: { owner: all, everyone: [open, closed] } }
states: { open: { close: { to: closed, by: owner } }, closed: {} }
`,
  comments: `
title: Comments
parent: { field: issue, collection: issues, accepts: { states: [open] }, counts: true }
${title}
access: { create: everyone, read: { owner: all, everyone: all }, update: everyone }
`,
};

const running = await browsing({ COLLECTIONS_DIR: declarationsFolder(declarations) });
const stranger = (await running.signedIn('Somebody')).elsewhere();
const visitor = await running.signedIn('Me');

describe('records under a parent, in a browser', () => {
  it('a public record shows comments of others live, and its closing ends new ones', async () => {
    const { record } = await stranger.make('issues', { title: 'It is slow' });
    await visitor.open('data', 'issues');
    await visitor.title('It is slow').click();
    await visitor.seesConnection('Live');
    await visitor.link('New comment').waitFor();
    const comment = await stranger.make('comments', { issue: record.id, title: 'Here, too' });
    await visitor.title('Here, too').waitFor();
    await visitor.page.locator('dd').getByText('1', { exact: true }).waitFor();
    await stranger.send('DELETE', `/comments/${comment.record.id}`);
    await visitor.title('Here, too').waitFor({ state: 'detached' });
    await stranger.send('POST', `/issues/${record.id}/close`);
    await visitor.sees('Comments can be added only while it is open.');
    assert.equal(await visitor.link('New comment').count(), 0);
    await visitor.open('data', 'comments', 'new', record.id);
    await visitor.field('Title').fill('Too late');
    await visitor.saveButton.click();
    await visitor.page.getByRole('alert').waitFor();
    running.caused('409 /api/consumer/v1/comments');
  });

  it('a form reports a change by another person, also if everyone may edit', async () => {
    const { record } = await stranger.make('issues', { title: 'It is dark' });
    const comment = await stranger.make('comments', { issue: record.id, title: 'Very dark' });
    await visitor.open('data', 'comments', comment.record.id);
    await visitor.field('Title').fill('Too dark');
    await stranger.send('PATCH', `/comments/${comment.record.id}`, { title: 'Rather dark' });
    await visitor.sees('This comment was changed elsewhere');
    await visitor.button('Load the other version').click();
    assert.equal(await visitor.field('Title').inputValue(), 'Rather dark');
    await visitor.link('Cancel').click();
    await visitor.title('Rather dark').waitFor();
  });

  it('an action for a person offers the members to choose from', async () => {
    const { record } = await visitor.elsewhere().make('teams', { title: 'Kitchen' });
    await visitor.elsewhere().make('tasks', { team: record.id, title: 'Wash up' });
    await visitor.open('data', 'teams', record.id, 'open');
    await visitor.button('Assign… Wash up').click();
    await visitor.dialog.getByLabel('Person').selectOption({ index: 1 });
    await visitor.dialog.getByRole('button', { name: 'Assign' }).click();
    await visitor.row('Wash up').getByText('Assigned', { exact: true }).waitFor();
  });
});
