import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export class FolderError extends Error {
  constructor(folder: string, cause: unknown) {
    super(
      `the folder "${folder}" does not exist and cannot be created (${(cause as { code?: unknown }).code})`,
      {
        cause,
      },
    );
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
