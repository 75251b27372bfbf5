import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { exampleDeclarations } from '../support/people/examples.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { browsing } from './browser.ts';
import { type Hands, keyboard, mouse } from './browser-hands.ts';
import type { Visitor } from './browser-visitor.ts';
import { shiftsOf, watchShifts } from './page-shifts.ts';

const settings = {
  COLLECTIONS_DIR: declarationsFolder({
    ...exampleDeclarations('household', 'class', 'meetup', 'feedback', 'team'),
    notes: readFileSync('collections/notes.yaml', 'utf8'),
  }),
};

/** A person at a browser. */
interface Person extends Hands {
  readonly at: Visitor;
}

interface Step {
  readonly name: string;
  /** Who does it; the other one looks on. */
  readonly who: 'ada' | 'bob';
  does(person: Person): Promise<unknown>;
  /** What has the focus afterwards. */
  focus(visitor: Visitor): Locator;
  /** What the other person sees without a reload. */
  seen?(other: Visitor): Promise<unknown>;
}

const h1 = ({ page }: Visitor) => page.locator('main h1');
const bodyHasFocus = 'document.activeElement === null || document.activeElement === document.body';
const soon = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);

/** The link of the invitation that was made last. */
let link = '';

function goTo(title: string): Pick<Step, 'name' | 'does' | 'focus'> {
  return {
    name: `goes to ${title.toLowerCase()}`,
    does: ({ at, press }) => press(at.page.getByRole('navigation').getByRole('link', { name: title })),
    focus: (at) => h1(at).filter({ hasText: title }),
  };
}

/** Fills the form for a new record. */
function create(one: string, fields: Readonly<Record<string, string>>, home: string) {
  return {
    name: `creates ${Object.values(fields)[0]}`,
    async does({ at, press, fill }: Person) {
      await press(at.link(`New ${one}`).first());
      await at.hasFocus(at.heading(`New ${one}`));
      for (const [label, text] of Object.entries(fields)) await fill(at.page.getByLabel(label), text);
      await press(at.saveButton);
      await at.heading(home).waitFor();
    },
    focus: (at: Visitor) => at.heading(home),
  };
}

function invites(role: string): Step {
  return {
    name: `invites a ${role.toLowerCase()}`,
    who: 'ada',
    async does({ at, press, fill }) {
      await press(at.button('Invite…'));
      await fill(at.dialog.getByLabel('Role'), role);
      await press(at.dialog.locator('[type=submit]'));
      link = await at.dialog.getByLabel('Link').inputValue();
      await press(at.dialog.getByRole('button', { name: 'Done' }));
    },
    focus: (at) => at.button('Invite…'),
  };
}

function joins(role: string, record: string): Step {
  return {
    name: `joins as ${role}`,
    who: 'bob',
    async does({ at, press }) {
      await at.page.goto(link);
      await press(at.button(`Join as ${role}`));
      await at.heading(record).waitFor();
    },
    focus: (at) => at.heading(record),
  };
}

/** In the dialog that asks before something ends. */
const confirms = ({ at, press }: Person) => press(at.dialog.locator('.danger'));
const state = (at: Visitor, record: string, word: string) => at.row(record).getByText(word).waitFor();

const steps: readonly Step[] = [
  // A household.
  { who: 'ada', ...goTo('Notes') },
  { who: 'ada', ...create('note', { Text: 'Call the plumber' }, 'Notes') },
  {
    name: 'ticks a note',
    who: 'ada',
    does: ({ tick }) => tick('Call the plumber'),
    focus: (at) => at.row('Call the plumber').locator(':focus'),
  },
  { who: 'ada', ...goTo('Shopping lists') },
  { who: 'ada', ...create('shopping list', { Title: 'Weekend' }, 'Shopping lists') },
  { name: 'opens the list', who: 'ada', does: ({ openRow }) => openRow('Weekend'), focus: h1 },
  invites('Member'),
  joins('member', 'Weekend'),
  {
    who: 'ada',
    ...create('entry', { What: 'Milk' }, 'Weekend'),
    seen: (bob) => bob.title('Milk').waitFor(),
  },
  {
    who: 'ada',
    ...create('entry', { What: 'Bread' }, 'Weekend'),
    seen: (bob) => bob.title('Bread').waitFor(),
  },
  {
    name: 'buys an entry',
    who: 'bob',
    does: async ({ at, act }) => {
      await act('Milk', 'Buy');
      await state(at, 'Milk', 'Bought');
    },
    focus: (at) => at.row('Milk').locator(':focus'),
    seen: (ada) => state(ada, 'Milk', 'Bought'),
  },
  {
    name: 'deletes an entry',
    who: 'ada',
    async does(ada) {
      await ada.chooseOfRow('Bread', /^Delete/);
      await confirms(ada);
    },
    focus: (at) => at.title('Milk'),
    seen: (bob) => bob.title('Bread').waitFor({ state: 'detached' }),
  },
  {
    name: 'leaves the list',
    who: 'bob',
    async does(bob) {
      await bob.chooseOfRecord('Weekend', /^Leave/);
      await confirms(bob);
      await bob.at.heading('Shopping lists').waitFor();
    },
    focus: h1,
  },
  {
    name: 'deletes the list',
    who: 'ada',
    async does(ada) {
      await ada.chooseOfRecord('Weekend', /^Delete/);
      await confirms(ada);
      await ada.at.heading('Shopping lists').waitFor();
    },
    focus: h1,
  },

  // A class.
  { who: 'ada', ...goTo('Classes') },
  { who: 'ada', ...create('class', { Title: 'Biology' }, 'Classes') },
  { name: 'opens the class', who: 'ada', does: ({ openRow }) => openRow('Biology'), focus: h1 },
  invites('Student'),
  joins('student', 'Biology'),
  { who: 'ada', ...create('assignment', { Title: 'Plants', Due: `${soon}T10:00` }, 'Biology') },
  {
    name: 'opens an assignment for the students',
    who: 'ada',
    does: async ({ at, act }) => {
      await act('Plants', 'Open');
      await state(at, 'Plants', 'Open');
    },
    focus: (at) => at.row('Plants').locator(':focus'),
    seen: (bob) => bob.title('Plants').waitFor(),
  },
  { name: 'looks at the assignment', who: 'bob', does: ({ openRow }) => openRow('Plants'), focus: h1 },
  { who: 'bob', ...create('hand-in', { Text: 'They eat light.' }, 'Plants') },
  {
    name: 'hands in',
    who: 'bob',
    does: async ({ at, act }) => {
      await act('They eat light.', 'Hand in');
      await state(at, 'They eat light.', 'Handed in');
    },
    focus: (at) => at.row('They eat light.').locator(':focus'),
  },
  { name: 'looks at the hand-ins', who: 'ada', does: ({ openRow }) => openRow('Plants'), focus: h1 },
  {
    name: 'returns a hand-in with a grade',
    who: 'ada',
    async does({ at, act, fill, press }) {
      await act('They eat light.', 'Return');
      await fill(at.dialog.getByLabel('Grade'), '2');
      await press(at.dialog.locator('[type=submit]'));
      await state(at, 'They eat light.', 'Returned');
    },
    focus: (at) => at.row('They eat light.').locator(':focus'),
    seen: (bob) => state(bob, 'They eat light.', 'Returned'),
  },
  {
    name: 'removes a student',
    who: 'ada',
    async does(ada) {
      const { at, press } = ada;
      await press(at.link(/Biology$/));
      await press(at.page.locator('.record-side a'));
      await at.heading('Members of Biology').waitFor();
      await press(at.button(/^Remove…? /));
      await confirms(ada);
      await at.button(/^Remove…? /).waitFor({ state: 'detached' });
    },
    focus: (at) => at.page.locator('main :focus'),
  },

  // A meetup.
  { who: 'ada', ...goTo('Meetups') },
  // Everybody's list has no drafts, so the new one is opened.
  { who: 'ada', ...create('meetup', { Title: 'Games', Starts: `${soon}T18:00`, Seats: '2' }, 'Games') },
  {
    name: 'publishes the meetup',
    who: 'ada',
    async does({ at, press }) {
      await press(at.button('Publish'));
      await at.page.locator('.record-head').getByText('Published').waitFor();
    },
    focus: (at) => at.page.locator('main :focus'),
  },
  { who: 'bob', ...goTo('Meetups') },
  { name: 'opens the meetup', who: 'bob', does: ({ openRow }) => openRow('Games'), focus: h1 },
  {
    who: 'bob',
    ...create('registration', { Note: 'Two chairs' }, 'Games'),
    seen: (ada) => ada.sees('1 of 2 places'),
  },
  {
    name: 'cancels the meetup',
    who: 'ada',
    async does(ada) {
      await ada.press(ada.at.button(/^Call off/));
      await confirms(ada);
      await ada.at.page.locator('.record-head').getByText('Called off').waitFor();
    },
    focus: (at) => at.page.locator('main :focus'),
    seen: (bob) => bob.page.locator('.record-head').getByText('Called off').waitFor(),
  },

  // What a team works on.
  { who: 'ada', ...goTo('Issues') },
  { who: 'ada', ...create('issue', { Title: 'It is slow', Area: 'site' }, 'Issues') },
  { name: 'opens the issue', who: 'ada', does: ({ openRow }) => openRow('It is slow'), focus: h1 },
  { who: 'bob', ...goTo('Issues') },
  { name: 'opens the issue', who: 'bob', does: ({ openRow }) => openRow('It is slow'), focus: h1 },
  {
    who: 'bob',
    ...create('comment', { Text: 'Here, too' }, 'It is slow'),
    seen: (ada) => ada.title('Here, too').waitFor(),
  },
  { who: 'ada', ...goTo('Teams') },
  { who: 'ada', ...create('team', { Title: 'Kitchen' }, 'Teams') },
  { name: 'opens the team', who: 'ada', does: ({ openRow }) => openRow('Kitchen'), focus: h1 },
  invites('Member'),
  joins('member', 'Kitchen'),
  { who: 'ada', ...create('task', { Title: 'Wash up', Due: soon }, 'Kitchen') },
  ...(['ada', 'bob'] as const).map((who) => ({
    name: 'looks at the board',
    who,
    does: ({ at, press }: Person) => press(at.button('Board').last()),
    focus: (at: Visitor) => at.button('Board').last(),
  })),
  {
    name: 'takes a task on the board',
    who: 'bob',
    async does({ at, carry }) {
      await carry('Wash up', 'Assigned');
      await at.sees('Marked as assigned: Wash up.');
    },
    focus: (at) => at.title('Wash up'),
    seen: (ada) => ada.page.getByRole('region', { name: 'Assigned' }).getByText('Wash up').waitFor(),
  },
  {
    name: 'finishes a task on the board',
    who: 'ada',
    async does({ at, carry }) {
      await carry('Wash up', 'Done');
      await at.sees('Marked as done: Wash up.');
    },
    focus: (at) => at.title('Wash up'),
    seen: (bob) => bob.page.getByRole('region', { name: 'Done' }).getByText('Wash up').waitFor(),
  },
];

/** Every step leaves the focus where one goes on, moves nothing that stands, and logs no error. */
for (const [tool, handsOf] of Object.entries({ mouse, keyboard })) {
  const running = await browsing(settings);
  describe(`two people use the examples with the ${tool}`, () => {
    let [ada, bob]: Visitor[] = [];
    before(async () => {
      [ada, bob] = [await running.visitor(), await running.visitor()];
      for (const [name, visitor] of Object.entries({ ada, bob })) {
        await watchShifts(visitor.page);
        await visitor.signIn(`${name} ${tool}`);
      }
    });
    for (const { name, who, does, focus, seen } of steps) {
      it(`${who} ${name}`, async () => {
        const [at, other] = who === 'ada' ? [ada, bob] : [bob, ada];
        assert.ok(at && other);
        await does({ at, ...handsOf(at) });
        await at.hasFocus(focus(at));
        await seen?.(other);
        for (const { page } of [at, other]) {
          assert.equal(await page.evaluate(bodyHasFocus), false, `no element of ${page.url()} has the focus`);
          assert.deepEqual(await shiftsOf(page), []);
        }
        assert.deepEqual(running.log.takeErrors(), []);
      });
    }
  });
}
