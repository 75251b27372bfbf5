/** What the service says of itself, before anybody has signed in. */
export interface Settings {
  /** Where people can sign in; more than one is a choice. */
  readonly providers: readonly [ProviderSettings, ...ProviderSettings[]];
  /** Whether tokens are to be bound to a key of this page (DPoP). */
  readonly dpop: boolean;
  /** For the first proof; null where none needs one. */
  readonly nonce: string | null;
  /** Where the API begins. */
  readonly api: string;
}

export interface ProviderSettings {
  /** By which the operator calls it. */
  readonly name: string;
  /** What people know it as. */
  readonly title: string;
  /** No two providers have the same, so the page tells them apart by it. */
  readonly issuer: string;
  readonly client_id: string;
  readonly audience: string;
  readonly scopes: readonly string[];
}

export async function loadSettings(): Promise<Settings> {
  const answer = await fetch('/web/config.json');
  if (!answer.ok) throw new Error(`The settings cannot be had (${answer.status}).`);
  return { ...(await answer.json()), nonce: answer.headers.get('dpop-nonce') };
}
