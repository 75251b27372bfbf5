/** What the id of a client looks like: it is added as one, and no other is ever looked up. */
export const clientIdForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
