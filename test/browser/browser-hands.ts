import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { Keyboard } from './browser-keyboard.ts';
import type { Visitor } from './browser-visitor.ts';

/** More rows than any list of a test has. */
const maxRows = 30;

/** How a person acts on a page: with the mouse, or with the keyboard alone. */
export interface Hands {
  press(target: Locator): Promise<void>;
  fill(field: Locator, text: string): Promise<void>;
  /** The first boolean field of a row. */
  tick(name: string): Promise<void>;
  /** The first action of a row. */
  act(name: string, action: string): Promise<void>;
  /** From the menu of a row. */
  chooseOfRow(name: string, item: string | RegExp): Promise<void>;
  /** From the menu of the record on this screen. */
  chooseOfRecord(name: string, item: string | RegExp): Promise<void>;
  openRow(name: string): Promise<void>;
  /** A card of the board to a column beside it, at the right. */
  carry(name: string, column: string): Promise<void>;
}

export function mouse(visitor: Visitor): Hands {
  const { page } = visitor;
  const choose = async (name: string, item: string | RegExp) => {
    await visitor.button(`More for ${name}`).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  return {
    press: (target) => target.click(),
    async fill(field, text) {
      if (await isChoice(field)) await field.selectOption({ label: text });
      else await field.fill(text);
    },
    tick: (name) => visitor.row(name).getByRole('checkbox').click(),
    act: (name, action) => visitor.button(new RegExp(`^${action}…? ${name}$`)).click(),
    chooseOfRow: choose,
    chooseOfRecord: choose,
    openRow: (name) => visitor.title(name).click(),
    carry: (name, column) => drag(page, visitor.title(name), page.getByRole('region', { name: column })),
  };
}

function isChoice(field: Locator): Promise<boolean> {
  return field.evaluate((element) => element.tagName === 'SELECT');
}

async function drag(page: Page, card: Locator, column: Locator): Promise<void> {
  await card.scrollIntoViewIfNeeded();
  const [from, to] = [await card.boundingBox(), await column.boundingBox()];
  assert.ok(from !== null && to !== null, 'the card and its column are in view');
  await page.mouse.move(from.x + 20, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 2, to.y + 60, { steps: 8 });
  await page.mouse.up();
}

export function keyboard(visitor: Visitor): Hands {
  const { page } = visitor;
  const keys = new Keyboard(page);
  const type = (key: string) => page.keyboard.press(key);
  /** To the list with Tab, and in it with the arrows. */
  const toRow = async (name: string) => {
    const title = visitor.row(name).getByRole('link', { name, exact: true });
    await title.waitFor();
    const list = page.locator('ul', { has: title });
    await keys.goTo(list.locator('.row-title[tabindex="0"]'));
    await type('Home');
    for (let rows = 0; !(await keys.isOn(title)); rows += 1) {
      assert.ok(rows < maxRows, `The arrows do not lead to ${name}.`);
      await type('ArrowDown');
    }
  };
  const choose = async (item: string | RegExp) => {
    const goal = page.getByRole('menuitem', { name: item });
    await goal.waitFor();
    const items = await page.getByRole('menuitem').count();
    for (let moves = 0; !(await keys.isOn(goal)); moves += 1) {
      assert.ok(moves <= items, `The arrows do not lead to ${item}.`);
      await type('ArrowDown');
    }
    await type('Enter');
  };
  return {
    press: (target) => keys.pressOn(target),
    async fill(field, text) {
      await keys.goTo(field);
      // A date has a part for each of its numbers, in the order of the browser; the test is not about them.
      if (/^\d{4}-/.test(text)) await field.fill(text);
      else if (await isChoice(field)) await page.keyboard.type(text);
      else await keys.type(text);
    },
    async tick(name) {
      await toRow(name);
      await type('Space');
    },
    async act(name) {
      await toRow(name);
      await type('a');
    },
    async chooseOfRow(name, item) {
      await toRow(name);
      await type('.');
      await choose(item);
    },
    async chooseOfRecord(name, item) {
      await keys.pressOn(visitor.button(`More for ${name}`));
      await choose(item);
    },
    async openRow(name) {
      await toRow(name);
      await type('Enter');
    },
    async carry(name, column) {
      await keys.goTo(visitor.title(name));
      await type('Space');
      await visitor.sees(`Picked up: ${name}.`);
      await type('ArrowRight');
      await visitor.sees(`Over ${column},`);
      await type('Space');
    },
  };
}
