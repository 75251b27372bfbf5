/**
 * Signs people in at an OpenID Connect provider: Authorization Code with PKCE. Tokens are kept in the memory of this page
 * only; after a reload the provider is asked again, which still knows who is signed in.
 */

// The provider of "npx vestibule dev". For your own: its issuer, your client there, and API_AUDIENCE.
const issuer = 'http://127.0.0.1:3000';
const clientId = 'dev-web';
const audience = 'http://127.0.0.1:8080/api/consumer';
const scope = 'openid consumer';
const home = `${location.origin}/`;

/** @type {{ access_token: string, refresh_token?: string, id_token?: string } | null} */
let tokens = null;
/** @type {Promise<void> | null} */
let renewal = null;

/** To be called first: takes up a sign-in that comes back from the provider. Says whether somebody is signed in. */
export async function resume() {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state')) {
    if (sessionStorage.getItem('signed-in') !== null) await leaveForProvider({ prompt: 'none' });
    return false;
  }
  history.replaceState(null, '', location.pathname);
  const begun = JSON.parse(sessionStorage.getItem('begun') ?? '{}');
  sessionStorage.removeItem('begun');
  if (begun.state !== answer.get('state')) throw new Error('This sign-in was not begun in this tab.');
  if ((answer.get('iss') ?? issuer) !== issuer) throw new Error('Another provider has answered.');
  if (answer.has('error')) {
    const wasSignedIn = sessionStorage.getItem('signed-in') !== null;
    sessionStorage.removeItem('signed-in');
    // Only asked whether the session is still there.
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

/** Leaves the page for the provider, which sends people back to it. */
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
 * The access token; another one, when this is the one that has expired.
 * @param {string} [expired]
 */
export async function accessToken(expired) {
  if (tokens === null) throw new Error('Nobody is signed in.');
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
  // The page is about to go.
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
