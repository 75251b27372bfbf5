import { keyCredential, type RequestOrigin } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { logFailure } from '../base/plain-log.ts';
import type { ClientSecret, ClientStore, ClientWithSecrets } from '../storage/port.ts';
import type { CheckAssertion } from './assertion.ts';
import type { ClientDirectory } from './client-directory.ts';
import { digestSecret, findSecret } from './secrets.ts';
import type { Throttle } from './throttle.ts';
import type { ClientProof } from './token-request.ts';

/** The client and its credential; or only the claimed id. */
type Recognised =
  | { readonly client: ClientWithSecrets; readonly credentialId: string }
  | { readonly client: null; readonly claimedId: string };

/** Authenticates the client. An assertion counts as used even if the request is refused; a secret can be used again. */
export type RecogniseClient = (proof: ClientProof, from: RequestOrigin) => Promise<Recognised>;
type Check<T> = (client: ClientWithSecrets | null) => T | null | Promise<T | null>;

interface RecogniseClientOptions {
  readonly directory: Pick<ClientDirectory, 'find' | 'lookUp'>;
  readonly store: Pick<ClientStore, 'noteUse'>;
  readonly secretKey: Uint8Array;
  readonly checkAssertion: CheckAssertion;
  readonly throttle: Pick<Throttle, 'isReached' | 'origin'>;
  readonly clock: Clock;
  readonly log: Log;
}

const dayMs = 86_400_000;

/** Looks an unknown client up once. Does the same work for a wrong or expired secret and a disabled client (timing). */
export function createRecogniseClient(options: RecogniseClientOptions): RecogniseClient {
  const { directory, store, secretKey, checkAssertion, throttle, clock, log } = options;
  const noted = new Map<string, number>();

  /** Rounded to the day, which shows unused secrets but no habits. */
  const noteUse = ({ id, lastUsedOn }: ClientSecret) => {
    const today = Math.floor(clock.now() / dayMs) * dayMs;
    if (lastUsedOn === today || noted.get(id) === today) return;
    noted.set(id, today);
    store.noteUse(id, today).catch((error: unknown) => {
      noted.delete(id);
      logFailure(log, error, 'the last use of a client secret was not recorded');
    });
  };

  /** Checks the client in memory, then the one in the database. */
  const findClient = async <T>(id: string, from: RequestOrigin, check: Check<T>): Promise<T | null> => {
    const known = await check(directory.find(id));
    // A client that failed too often is refused from memory, so guesses do not reach the database.
    if (known !== null || throttle.isReached(id, from.address)) return known;
    return check(await directory.lookUp(id));
  };

  const bySecret = async (clientId: string, presented: string, from: RequestOrigin): Promise<Recognised> => {
    const digest = digestSecret(secretKey, presented);
    const check = (client: ClientWithSecrets | null): Recognised | null => {
      const now = clock.now();
      const live = client?.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now) ?? [];
      const secret = findSecret(digest, live);
      if (client?.state !== 'active' || secret === null) return null;
      noteUse(secret);
      return { client, credentialId: secret.id };
    };
    return (await findClient(clientId, from, check)) ?? { client: null, claimedId: clientId };
  };

  const byAssertion = async (
    claimed: string | null,
    assertion: string,
    from: RequestOrigin,
  ): Promise<Recognised> => {
    const { clientId, isSignedBy, use } = checkAssertion(assertion);
    const origin = throttle.origin(clientId, from);
    const check = async (client: ClientWithSecrets | null) => {
      const isClaimed = claimed === null || claimed === clientId;
      const isActive = client?.state === 'active' && isClaimed;
      return isActive && (await isSignedBy(client.publicKeys, origin)) ? client : null;
    };
    const client = await findClient(clientId, from, check);
    // Marked as used after the signature check: others cannot use up the assertions of a client.
    if (client === null || !(await use())) return { client: null, claimedId: clientId };
    return { client, credentialId: keyCredential(client.createdAt) };
  };

  return (proof, from) =>
    proof.kind === 'secret'
      ? bySecret(proof.clientId, proof.secret, from)
      : byAssertion(proof.clientId, proof.assertion, from);
}
