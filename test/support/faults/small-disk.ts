import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { newSqliteFile } from '../databases/databases.ts';

export class SmallDisk {
  readonly folder: string;
  #isMounted = true;

  constructor(megabytes: number) {
    this.folder = `${dirname(newSqliteFile())}/disk`;
    mkdirSync(this.folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', this.folder]);
    // A disk that stays mounted keeps the next run from deleting its folder.
    process.once('exit', () => this.remove());
  }

  fill(): void {
    for (const bytes of [64_000_000, 4096, 1]) {
      try {
        for (;;) writeFileSync(`${this.folder}/filler-${bytes}`, Buffer.alloc(bytes), { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  }

  free(): void {
    for (const bytes of [64_000_000, 4096, 1]) rmSync(`${this.folder}/filler-${bytes}`, { force: true });
  }

  remove(): void {
    if (!this.#isMounted) return;
    this.#isMounted = false;
    execFileSync('umount', ['--lazy', this.folder]);
  }
}
