import { enableCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';

// As bin/vestibule.js does for the main thread: with what is compiled already this thread needs no compiler of its own,
// which would hold 15 MB for as long as it lives.
enableCompileCache();
await import(workerData.module);
