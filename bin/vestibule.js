#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Most of a start goes into a few hundred small files of TypeScript. The platform keeps what came out of them for the
// next start, and with nothing left to strip of types it need not even load what strips them: so this file has none.
enableCompileCache();
await import('../src/main.ts');
