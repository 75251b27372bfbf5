export const notesPath = '/api/consumer/v1/notes';

/** A record of a third of a kilobyte, as in the benchmark of records. */
export const note = { text: 'a word and another '.repeat(15), stars: 3 };
