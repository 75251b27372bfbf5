import { loadWords } from '../../web/src/parts/words.ts';

// The pages load their sentences before they are drawn; so does a test of what they say.
await loadWords(['en']);
