import type { en } from '../words/en.ts';
import { type Forms, formsOf, localeOf } from './language.ts';

/** All sentences of one language. A sentence that is missing does not compile. */
export type Words = ReturnType<typeof en>;

/** The sentences in the language of the browser. There are none before `loadWords`. */
export let t: Words;

/** For dates and numbers: the language of the sentences, in the region of the browser. */
export let locale = 'en';

/** A file in words/. It imports types alone, so that each language is one request. */
interface Language {
  readonly words: (forms: Forms) => Words;
}

/** Loads the first language of the browser that there is a file for; English otherwise. */
export async function loadWords(languages: readonly string[] = navigator.languages): Promise<void> {
  const names = languages.map((language) => language.toLowerCase().split('-')[0] ?? '');
  for (const name of [...names, 'en']) {
    const found: Language | null = await import(`../words/${name}.ts`).catch(() => null);
    if (found === null) continue;
    locale = localeOf(name);
    t = found.words(formsOf(locale));
    return;
  }
}
