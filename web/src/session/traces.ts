/**
 * What a tab remembers of a person between two pages: who was signed in here, so that a reload tries to bring them
 * back, and what they had typed. All of it goes when they sign out or somebody else signs in.
 */
const personKey = 'vestibule.person';
const triedKey = 'vestibule.tried';
const draftPrefix = 'vestibule.draft.';

export function rememberPerson(subject: string): void {
  if (sessionStorage.getItem(personKey) !== subject) forgetDrafts();
  sessionStorage.setItem(personKey, subject);
  sessionStorage.removeItem(triedKey);
}

/** Whether a reload should ask the provider if its session is still there: once, and not again when that failed. */
export function mayComeBackSilently(): boolean {
  return sessionStorage.getItem(personKey) !== null && sessionStorage.getItem(triedKey) === null;
}

export function markSilentTry(): void {
  sessionStorage.setItem(triedKey, 'once');
}

export function forgetEverything(): void {
  sessionStorage.clear();
}

export function keepDraft(name: string, draft: unknown): void {
  sessionStorage.setItem(draftPrefix + name, JSON.stringify(draft));
}

export function findDraft<T>(name: string): T | null {
  const text = sessionStorage.getItem(draftPrefix + name);
  return text === null ? null : JSON.parse(text);
}

export function dropDraft(name: string): void {
  sessionStorage.removeItem(draftPrefix + name);
}

function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(draftPrefix)) sessionStorage.removeItem(key);
  }
}
