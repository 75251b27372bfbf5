/** The settings that the service gives to the page before a sign-in. */
export interface Settings {
  /** The providers. With more than one the person chooses. */
  readonly providers: readonly [ProviderSettings, ...ProviderSettings[]];
  /** True if tokens must be bound to a key of this page (DPoP). */
  readonly dpop: boolean;
  /** The nonce for the first proof; null if proofs need none. */
  readonly nonce: string | null;
  /** The prefix of the API. */
  readonly api: string;
  /** What the pages are called, and whose they are. */
  readonly brand: Brand;
  /** The service runs for a developer, who may look at tokens. */
  readonly dev?: true;
}

export interface Brand {
  readonly title: string;
  /** The address of the logo; without one there is the first letter of the title. */
  readonly logo?: string;
  readonly imprint?: string;
  readonly privacy?: string;
}

export interface ProviderSettings {
  /** The operator's name for it. */
  readonly name: string;
  /** The name that people see. */
  readonly title: string;
  /** Unique: the page identifies a provider by it. */
  readonly issuer: string;
  readonly client_id: string;
  readonly audience: string;
  readonly scopes: readonly string[];
}

export async function loadSettings(): Promise<Settings> {
  const answer = await fetch('/web/config.json');
  if (!answer.ok) throw new Error(`The settings could not be loaded (${answer.status}).`);
  return { ...(await answer.json()), nonce: answer.headers.get('dpop-nonce') };
}
