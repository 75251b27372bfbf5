import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

/** More stops than any screen has. */
const maxStops = 60;

/** A user without a mouse. Every stop has to show where the focus is. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** With Tab, from wherever the focus is, to this. */
  async goTo(target: Locator): Promise<void> {
    await target.waitFor();
    const passed: string[] = [];
    while (!(await this.isOn(target))) {
      assert.ok(passed.length < maxStops, `It cannot be reached with Tab:\n${passed.join('\n')}`);
      await this.press('Tab');
      passed.push(await this.#stop());
    }
  }

  async pressOn(target: Locator, key = 'Enter'): Promise<void> {
    await this.goTo(target);
    await this.press(key);
  }

  async typeInto(field: Locator, text: string): Promise<void> {
    await this.goTo(field);
    await this.type(text);
  }

  async press(key: string): Promise<void> {
    await this.#page.keyboard.press(key);
  }

  /** Into the field that has the focus, in place of what is there. */
  async type(text: string): Promise<void> {
    await this.press('ControlOrMeta+a');
    await this.#page.keyboard.type(text);
  }

  async isOn(target: Locator): Promise<boolean> {
    return (await target.and(this.#focused()).count()) === 1;
  }

  #focused(): Locator {
    return this.#page.locator(':focus');
  }

  async #stop(): Promise<string> {
    // Beyond the last stop the focus is in the browser's own bars.
    if ((await this.#focused().count()) === 0) return 'the browser itself';
    const what = await this.#focused().ariaSnapshot();
    const isSeen = await this.#focused().evaluate((element) => {
      const styleOf = (one: typeof element) => one.ownerDocument.defaultView.getComputedStyle(one);
      const { outlineStyle, outlineWidth } = styleOf(element);
      if (outlineStyle !== 'none' && outlineWidth !== '0px') return true;
      // The title of a row stands for the row, which gets an edge.
      const row = element.matches('.row-title') ? element.closest('.row') : null;
      return row !== null && styleOf(row).boxShadow !== 'none';
    });
    assert.ok(isSeen, `the focus is not to be seen on ${what}`);
    return what;
  }
}
