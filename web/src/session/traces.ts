/**
 * What a tab remembers of a person between two pages: who was signed in here, so that a reload tries to bring them
 * back, and what they had typed. All of it goes when they sign out or somebody else signs in.
 */
const personKey = 'vestibule.person';
const triedKey = 'vestibule.tried';
const draftPrefix = 'vestibule.draft.';

/** A subject is somebody at one provider, and at another it is somebody else. */
interface Remembered {
  readonly issuer: string;
  readonly subject: string;
}

export function rememberPerson({ issuer, subject }: Remembered): void {
  const person = JSON.stringify({ issuer, subject });
  if (sessionStorage.getItem(personKey) !== person) forgetDrafts();
  sessionStorage.setItem(personKey, person);
  sessionStorage.removeItem(triedKey);
}

/** Which provider a reload should ask if its session is still there: once, and not again when that failed. */
export function whereToComeBackSilently(): string | null {
  const person = sessionStorage.getItem(personKey);
  if (person === null || sessionStorage.getItem(triedKey) !== null) return null;
  return (JSON.parse(person) as Remembered).issuer;
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
