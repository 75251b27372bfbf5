/** A user who signs in at the development provider, where all claims follow from the user name. */
export interface BrowserPerson {
  readonly userName: string;
  readonly name: string;
}

/** Data that must not reach the service: parts of every name, and so of e-mail and picture addresses. */
export const personalWords = ['Quixotella', 'Zanzibarnacle'];

/** A new user for each word. */
export function personNamed(word: string): BrowserPerson {
  return {
    userName: `quixotella zanzibarnacle ${word.toLowerCase()}`,
    name: `Quixotella Zanzibarnacle ${word}`,
  };
}

export const password = 'dev';
