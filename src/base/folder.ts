import { mkdirSync } from 'node:fs';

export class FolderError extends Error {
  constructor(folder: string, cause: unknown) {
    super(`the folder "${folder}" is not there and cannot be made (${(cause as { code?: unknown }).code})`, {
      cause,
    });
  }
}

/** Makes a folder for its owner only, with missing ones above it. */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new FolderError(folder, error);
  }
}
