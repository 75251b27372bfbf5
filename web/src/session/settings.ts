/** What the service says of itself and of the provider, before anybody has signed in. */
export interface Settings {
  readonly issuer: string;
  readonly client_id: string;
  readonly audience: string;
  readonly scopes: readonly string[];
  /** Where the API begins. */
  readonly api: string;
}

export async function loadSettings(): Promise<Settings> {
  const answer = await fetch('/web/config.json');
  if (!answer.ok) throw new Error(`The settings cannot be had (${answer.status}).`);
  return answer.json();
}
