export const notesPath = '/api/consumer/v1/notes';
export const eventsPath = '/api/consumer/v1/events';

/** A record of a third of a kilobyte, as in the benchmark of records. */
export const note = { text: 'a word and another '.repeat(15), stars: 3 };
