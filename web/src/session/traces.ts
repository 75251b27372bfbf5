/**
 * The storage of the tab: who was signed in, so that a reload signs them in again, what they had typed, and an invitation.
 * It is deleted when the person signs out or another one signs in.
 */
const personKey = 'vestibule.person';
const triedKey = 'vestibule.tried';
const invitationKey = 'vestibule.invitation';
const draftPrefix = 'vestibule.draft.';

/** A subject identifies a person at one provider only. */
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

/** The provider to ask silently after a reload: once, and not again if that failed. */
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

/**
 * Moves the code of an invitation from the address to the storage of the tab before anything else happens, so that the
 * history of the browser does not keep it.
 */
export function takeInvitation(): void {
  const [, code] = /^#\/invitation\/(.+)$/.exec(location.hash) ?? [];
  if (code === undefined) return;
  sessionStorage.setItem(invitationKey, code);
  history.replaceState(null, '', '#/invitation');
}

export function findInvitation(): string | null {
  return sessionStorage.getItem(invitationKey);
}

export function dropInvitation(): void {
  sessionStorage.removeItem(invitationKey);
}

/** How this device shows lists. It says nothing about a person, and stays when the person signs out. */
const [lastKey, viewPrefix, keysKey] = ['vestibule.last', 'vestibule.view.', 'vestibule.keys'];

export function rememberCollection(name: string): void {
  localStorage.setItem(lastKey, name);
}

export function lastCollection(): string | null {
  return localStorage.getItem(lastKey);
}

export function keepView(collection: string, view: string): void {
  localStorage.setItem(viewPrefix + collection, view);
}

export function findView(collection: string): string | null {
  return localStorage.getItem(viewPrefix + collection);
}

/** Single letters act in lists, unless the person has switched them off. */
export function hasKeys(): boolean {
  return localStorage.getItem(keysKey) !== 'off';
}

export function setKeys(isOn: boolean): void {
  localStorage.setItem(keysKey, isOn ? 'on' : 'off');
}
