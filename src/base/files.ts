import {
  accessSync,
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP'];

/** Gives a complete draft its final name. Fails with EEXIST if a file has that name, also one that was put there meanwhile. */
export function publishFile(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!noLinks.includes(String((error as { code?: unknown }).code))) throw error;
    // This file system has no hard links (exFAT, some SMB mounts). The name is taken first, because a rename replaces a file.
    closeSync(openSync(file, 'wx'));
    renameSync(draft, file);
    return;
  }
  rmSync(draft);
}

export class FolderError extends Error {
  constructor(folder: string, cause: unknown) {
    const { code } = cause as { code?: unknown };
    super(`the folder "${folder}" does not exist and cannot be created (${code})`, { cause });
  }
}

/**
 * Makes a folder for its owner only, with missing parents. `recursive: true` would retry for ever where a folder answers
 * ENOENT to a new one, as in /proc.
 */
export function makePrivateFolder(folder: string): void {
  if (isFolder(folder)) return;
  if (folder !== dirname(folder)) makePrivateFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same time was first.
    if (!isFolder(folder)) throw new FolderError(folder, error);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

type FileAccess =
  | { readonly state: 'absent' | 'readable' }
  | { readonly state: 'forbidden'; readonly detail: string; readonly advice: string };

/** Tells a file that this user may not see from an absent one. */
export function accessTo(file: string): FileAccess {
  try {
    accessSync(file, constants.R_OK);
    return { state: 'readable' };
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (!['EACCES', 'EPERM'].includes(code)) return { state: 'absent' };
    return {
      state: 'forbidden',
      detail: `this user (id ${process.getuid?.()}) may not read it (${code})`,
      advice: `Run the command as its owner, the user with the id ${ownerOf(resolve(file))}.`,
    };
  }
}

/** The owner of the file, or of the innermost folder that can be seen. */
function ownerOf(path: string): number {
  try {
    return statSync(path).uid;
  } catch (error) {
    if (path === dirname(path)) throw error;
    return ownerOf(dirname(path));
  }
}
