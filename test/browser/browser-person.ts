/** Data that must not reach the service: parts of every name, and so of e-mail and picture addresses. */
export const personalWords = ['Quixotella', 'Zanzibarnacle'];

/** A user of the development provider, where all claims follow from the user name. Each word gives another user. */
export function personNamed(word: string) {
  const name = `Quixotella Zanzibarnacle ${word}`;
  return { name, userName: name.toLowerCase() };
}

export const password = 'dev';
