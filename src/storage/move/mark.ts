import { OperatorError } from '../../base/errors.ts';
import type { Database } from '../schema.ts';
import { documents } from '../stores/documents.ts';

/** The document that says that a database is being moved, or was. */
export const markName = 'move';

/** `leaving` and `left`: it is moved from here. `arriving`: it is moved here, and not all of it is there yet. */
export interface MoveMark {
  readonly state: 'leaving' | 'left' | 'arriving';
  /** Of this one move: the same on both sides. */
  readonly id: string;
  /** Where it goes, without a password; where it comes from. */
  readonly other: string;
}

export async function readMark(database: Database): Promise<MoveMark | null> {
  const document = await documents(database).read(markName);
  return document === null ? null : (JSON.parse(document.content) as MoveMark);
}

/** It needs no checksum: it opens nothing to anybody. */
export async function writeMark(database: Database, mark: MoveMark): Promise<void> {
  await documents(database).write(markName, JSON.stringify(mark), new Uint8Array());
}

/** The same where nobody else has written one. False when somebody has. */
export async function claimByMark(database: Database, mark: MoveMark): Promise<boolean> {
  await documents(database).writeFirst(markName, JSON.stringify(mark), new Uint8Array());
  return (await readMark(database))?.id === mark.id;
}

export async function removeMark(database: Database): Promise<void> {
  await database.deleteFrom('documents').where('name', '=', markName).execute();
}

/** Nothing is to be changed on the side that was left, nor on the other before all of it is there. */
export async function refuseMoved(database: Database): Promise<void> {
  const mark = await readMark(database);
  if (mark !== null) throw new OperatorError(sentences[mark.state](mark.other));
}

const sentences = {
  left: (other: string) =>
    `This database was moved to ${other}, and nothing is to be changed here any more. Set DATABASE_URL to that one.`,
  leaving: (other: string) =>
    `This database is being moved to ${other}, and not all of it is there yet. Run "npx vestibule move" once more, or "npx vestibule move --abandon" to stay here.`,
  arriving: (other: string) =>
    `A move from ${other} to this database has not come to its end. Run "npx vestibule move" there once more, with the settings it had.`,
};
