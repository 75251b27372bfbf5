import { createOpenDocument } from '../auth/provider-document.ts';
import { FetchError, fetchDocument } from '../auth/provider-fetch.ts';
import { createVerifier } from '../auth/verifier.ts';
import { OperatorError } from '../base/errors.ts';
import type { Input } from '../base/handler.ts';
import type { JsonObject } from '../base/json-object.ts';
import type { Provider, Signals } from '../config/providers.ts';
import { ownIssuer } from '../config/rules.ts';
import { bearerTokenIn } from '../config/signals-entry.ts';
import { createPseudonym } from '../consumer/pseudonym.ts';
import { RevocationShares } from '../consumer/revocation-shares.ts';
import { EventPoll } from '../consumer/sign-out/event-poll.ts';
import { checkLogoutToken } from '../consumer/sign-out/logout-token.ts';
import { checkSecurityEvent } from '../consumer/sign-out/security-event.ts';
import { createTakeBack } from '../consumer/sign-out/take-back.ts';
import { ownRules } from '../issuer-rules.ts';
import type { RevokeParts } from '../tokens/revoke.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import type { BaseParts } from './base-parts.ts';
import type { Callers } from './callers.ts';

/** All by which tokens are taken back before their end: what providers tell, what they are asked for, and POST /revoke. */
export function createSignOut(base: BaseParts, callers: Callers, signingKeys: SigningKeys) {
  const { config, storage, keyring, metrics, clock } = base;
  const { names, providers, signatures } = callers;
  const pseudonymOf = createPseudonym(keyring.pseudonym);
  const takeBack = createTakeBack({
    pseudonymOf,
    names,
    store: storage.standing,
  });
  const shared = { takeBack, onTakenBack: metrics.countTakenBack };
  const now = () => clock.now();
  const nowSeconds = () => clock.now() / 1000;

  const asSource = (provider: Provider, issuers: readonly string[], audiences: readonly string[]) => ({
    name: provider.name,
    maxTokenLifetimeSeconds: provider.maxTokenLifetimeSeconds,
    keys: keysOf(providers, provider.name),
    algorithms: new Set<string>(provider.algorithms),
    claims: { issuers },
    audiences,
    tokenIssuers: provider.issuers,
  });
  const logoutSources = config.providers
    .filter(({ logoutAudiences }) => logoutAudiences.length > 0)
    .map((provider) => asSource(provider, provider.issuers, provider.logoutAudiences));
  const eventSources = config.providers.flatMap((provider) => {
    const { signals } = provider;
    return signals === null ? [] : [asSource(provider, signals.issuers, signals.audiences)];
  });

  const logout = {
    ...shared,
    documentDigest: (id: string) => names.document('logout', id),
    open: createOpenDocument(
      logoutSources,
      (claims, { audiences }, type) => checkLogoutToken(claims, audiences, type, nowSeconds()),
      signatures,
    ),
  };
  const events = {
    ...shared,
    documentDigest: (id: string) => names.document('event', id),
    now,
    open: createOpenDocument(
      eventSources,
      (claims, source, type) => checkSecurityEvent(claims, source, type, nowSeconds()),
      signatures,
    ),
  };
  const verify = createVerifier([{ ...ownRules(config), keys: signingKeys }], clock, signatures);
  const revoke: Omit<RevokeParts, 'recognise' | 'throttle'> = {
    verifyOwn: async (token: string, input: Input) => (await verify(token, input)).claims,
    notedAs(token) {
      const client = pseudonymOf(token);
      return {
        name: names.token(token.tokenId),
        coveredBy: client === null ? null : names.caller(client),
      };
    },
    store: storage.standing,
    onTakenBack: metrics.countTakenBack,
  };

  /** One for each provider that is asked. */
  const polls = (hold: () => Promise<boolean>): readonly EventPoll[] =>
    config.providers.flatMap(({ name, signals }) => {
      if (!signals?.poll) return [];
      const ask = askForEvents(signals.poll);
      const log = base.log.child({ provider: name });
      const onPolled = (error: unknown) => metrics.countEventPoll(name, resultOf(error));
      return [new EventPoll({ ask, events, hold, clock, log, onPolled })];
    });

  return {
    /** Null where no provider may tell. */
    logout: logoutSources.length > 0 ? logout : null,
    events: eventSources.length > 0 ? events : null,
    revoke,
    polls,
  };
}

/** How many tokens each provider and each client may take back one by one. */
export function createRevocationShares({ config, storage, keyring, log }: BaseParts, callers: Callers) {
  const { names, standing } = callers;
  const pseudonymOf = createPseudonym(keyring.pseudonym);
  const isOf = (coveredBy: string, clientId: string) => {
    const pseudonym = pseudonymOf({ issuer: ownIssuer(config), subject: clientId });
    return pseudonym !== null && names.caller(pseudonym) === coveredBy;
  };
  const describe = async (coveredBy: string) => {
    const provider = config.providers.find(({ issuers }) =>
      issuers.some((issuer) => names.issuer(issuer) === coveredBy),
    );
    if (provider !== undefined) return { provider: provider.name };
    const client = (await storage.clients.list()).find(({ id }) => isOf(coveredBy, id));
    return client === undefined ? {} : { client_id: client.id };
  };
  return new RevocationShares({ standing, store: storage.standing, describe, log });
}

function keysOf(providers: Callers['providers'], name: string) {
  const found = providers.find((provider) => provider.name === name);
  if (found === undefined) throw new Error(`no keys of "${name}"`);
  return found.keys;
}

/** A word of a closed list, because it becomes a metric label. */
function resultOf(error: unknown): string {
  if (error === null) return 'ok';
  return error instanceof FetchError ? error.fault : 'unexpected';
}

/** The file is read each time, so that a token that was renewed is used from then on. */
function askForEvents({ url, tokenFile }: NonNullable<Signals['poll']>) {
  return async (question: JsonObject, stopping: AbortSignal): Promise<unknown> => {
    const headers = {
      'content-type': 'application/json',
      ...(tokenFile === null ? {} : { authorization: `Bearer ${tokenOfStream(tokenFile)}` }),
    };
    return (await fetchDocument(url, stopping, headers, JSON.stringify(question))).document;
  };
}

function tokenOfStream(file: string): string {
  try {
    return bearerTokenIn(file);
  } catch (error) {
    throw new OperatorError(`events_token_file ${(error as Error).message}; found "${file}".`);
  }
}
