import { audience, clientId, issuer, scope } from './addresses.js';

/**
 * Signs people in at an OpenID Connect provider: Authorization Code with PKCE. Tokens are kept in the memory of this page
 * only; after a reload the page asks the provider for new ones, without a login page while the session lasts.
 */

const home = `${location.origin}/`;

/** @type {{ access_token: string, refresh_token?: string, id_token?: string } | null} */
let tokens = null;
/** @type {Promise<void> | null} */
let renewal = null;

/** Call this first: it finishes a sign-in that returns from the provider. True if a person is signed in. */
export async function resume() {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state')) {
    if (sessionStorage.getItem('signed-in') !== null) await leaveForProvider({ prompt: 'none' });
    return false;
  }
  history.replaceState(null, '', location.pathname);
  const begun = JSON.parse(sessionStorage.getItem('begun') ?? '{}');
  sessionStorage.removeItem('begun');
  if (begun.state !== answer.get('state'))
    throw new Error('This sign-in was not begun in this tab. Sign in again.');
  if ((answer.get('iss') ?? issuer) !== issuer)
    throw new Error('The answer is from another provider. Sign in again.');
  if (answer.has('error')) {
    const wasSignedIn = sessionStorage.getItem('signed-in') !== null;
    sessionStorage.removeItem('signed-in');
    // The request with prompt=none found no session.
    if (wasSignedIn) return false;
    throw new Error(answer.get('error_description') ?? String(answer.get('error')));
  }
  await askForTokens({
    grant_type: 'authorization_code',
    code: String(answer.get('code')),
    code_verifier: begun.verifier,
    redirect_uri: home,
  });
  sessionStorage.setItem('signed-in', 'yes');
  return true;
}

/** Goes to the provider, which redirects back to this page. */
export function signIn() {
  return leaveForProvider({});
}

export async function signOut() {
  const { end_session_endpoint } = await discover();
  const parameters = {
    client_id: clientId,
    id_token_hint: tokens?.id_token ?? '',
    post_logout_redirect_uri: home,
  };
  tokens = null;
  sessionStorage.clear();
  location.assign(`${end_session_endpoint}?${new URLSearchParams(parameters)}`);
}

/**
 * The access token; a new one if it is the given expired one.
 * @param {string} [expired]
 */
export async function accessToken(expired) {
  if (tokens === null) throw new Error('You are not signed in.');
  if (expired === tokens.access_token) {
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    renewal ??= askForTokens(refresh).finally(() => {
      renewal = null;
    });
    await renewal;
  }
  return tokens.access_token;
}

/** @param {Record<string, string>} further */
async function leaveForProvider(further) {
  const [state, verifier] = [randomText(), randomText()];
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  sessionStorage.setItem('begun', JSON.stringify({ state, verifier }));
  const { authorization_endpoint } = await discover();
  const parameters = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: home,
    scope,
    audience,
    state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...further,
  };
  location.assign(`${authorization_endpoint}?${new URLSearchParams(parameters)}`);
  // The browser is leaving this page.
  await new Promise(() => {});
}

/** @param {Record<string, string>} parameters */
async function askForTokens(parameters) {
  const { token_endpoint } = await discover();
  const body = new URLSearchParams({ client_id: clientId, ...parameters });
  const answer = await fetch(token_endpoint, { method: 'POST', body });
  const given = await answer.json();
  if (!answer.ok) throw new Error(given.error_description ?? given.error);
  tokens = { ...tokens, ...given };
}

async function discover() {
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`);
  return answer.json();
}

function randomText() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
