import { enableCompileCache } from 'node:module';

// As bin/vestibule.js does for the main thread: with what is compiled already this thread needs no compiler of its own,
// which would hold 15 MB for as long as it lives.
enableCompileCache();
await import('./worker.ts');
