// Plain JavaScript, like bin/vestibule.js and for the same reason: Node caches the compiled TypeScript for the next start.
// Each thread has to enable the cache; without it this thread starts in twice the time.
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./worker.ts');
