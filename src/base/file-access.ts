import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

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
