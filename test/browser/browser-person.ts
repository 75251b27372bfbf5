/** Somebody who signs in at the development provider, where all that is known about people follows from their user name. */
export interface BrowserPerson {
  readonly userName: string;
  readonly name: string;
}

/** What must not reach the service: parts of everybody's name, and with it of their e-mail address and their picture's. */
export const personalWords = ['Quixotella', 'Zanzibarnacle'];

/** A person whom nobody has seen yet, one for each word. */
export function personNamed(word: string): BrowserPerson {
  return {
    userName: `quixotella zanzibarnacle ${word.toLowerCase()}`,
    name: `Quixotella Zanzibarnacle ${word}`,
  };
}

export const password = 'dev';
