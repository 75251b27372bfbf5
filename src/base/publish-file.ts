import { closeSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';

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
