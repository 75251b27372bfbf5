// Plain JavaScript, as bin/vestibule.js and for its reason: what Node made of the TypeScript is kept for the next start.
// A thread has to ask for that by itself; without it the start of this one takes twice the time.
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./worker.ts');
