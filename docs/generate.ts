import { writeFileSync } from 'node:fs';
import { configDocument } from './config-document.ts';
import { errorsDocument } from './errors-document.ts';

/** `npm run docs`: writes the documents that are made from the source. test/rules holds them against it. */
writeFileSync(new URL('config.md', import.meta.url), configDocument());
writeFileSync(new URL('errors.md', import.meta.url), errorsDocument());
