/** Whose a token is. What else it says, such as its scopes, may differ from one token of a caller to the next. */
const identity = ['iss', 'sub', 'azp', 'client_id'];

/**
 * For whom a token speaks, and what else is asked of it: a list as JSON. Nothing is verified here, and nothing is believed:
 * a token that lies gets what the service has for it. One that cannot be read speaks for nobody but itself.
 */
export function callerOf(token: string, more: readonly string[] = []): string {
  try {
    const claims = JSON.parse(atob((token.split('.')[1] as string).replace(/-/g, '+').replace(/_/g, '/')));
    return JSON.stringify([...identity, ...more].map((name) => claims[name]));
  } catch {
    return token;
  }
}
