import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ProjectCopy } from './project-copy.ts';

export type Hand = ReturnType<typeof newHand>;

export interface Expected {
  readonly says: RegExp;
  /** The text that replaces the examples of the page. */
  readonly instead?: (hand: Hand) => Readonly<Record<string, string>>;
  readonly take?: (output: string, hand: Hand) => void;
  /** The command keeps running. Its output is read until it matches `says`. */
  readonly keepsRunning?: true;
}

/** The commands by their printed text, in the order of the run. */
export type Commands = Readonly<Record<string, Expected>>;

/** The values of a reader when coming to a command, of which the pages can only show examples. */
export function newHand() {
  const secrets = new Map<string, { newest: string; firstId: string }>();
  return { secrets, note: { id: '', etag: '' }, booking: '', pseudonym: '', webhook: '' };
}

/** Declares one test for each command, which reports the script that was run. */
export function runAll(commands: Commands, project: ProjectCopy, hand: Hand): void {
  for (const [text, expected] of Object.entries(commands)) {
    it(text, async (context) => {
      const replaced = expected.instead?.(hand) ?? {};
      const outcome = expected.keepsRunning
        ? await project.runUntil(text, replaced, expected.says)
        : await project.run(text, replaced);
      assert.match(outcome.stdout, expected.says, outcome.stdout + outcome.stderr);
      assert.equal(outcome.code, 0, outcome.stderr);
      expected.take?.(outcome.stdout, hand);
      context.diagnostic(`ran: ${outcome.script}`);
    });
  }
}

/** The command of the package as a service is started with it, and the same in a clone, where this Node.js may not be on PATH. */
export const installed = 'node node_modules/@vestibule/server/bin/vestibule.js';
export const inTheClone = '$NODE bin/vestibule.js';

export function first(pattern: RegExp, output: string): string {
  const [, found] = pattern.exec(output) ?? [];
  assert.ok(found, `${pattern} is not in: ${output}`);
  return found;
}

export const secretOf = (client: string) => (hand: Hand) => {
  return { 'vsec_...': hand.secrets.get(client)?.newest ?? '' };
};

export const takeSecret = (client: string) => (output: string, hand: Hand) => {
  const newest = first(/(vsec_\S+)/, output);
  hand.secrets.set(client, { newest, firstId: hand.secrets.get(client)?.firstId ?? '' });
};

export function takeSecretIds(output: string, hand: Hand): void {
  for (const [client, { newest }] of hand.secrets) {
    const firstId = first(new RegExp(`^${client} +([0-9a-f]{12}) `, 'm'), output);
    hand.secrets.set(client, { newest, firstId });
  }
}
