import { consumerPrefix, tokenPath } from '../../base/addresses.ts';
import type { Collection } from '../../collections/collection.ts';
import type { App } from '../../compose/app.ts';
import type { Config } from '../../config/settings.ts';
import { usersFile, webClientId } from './environment.ts';
import type { DevProvider } from './provider.ts';

/** Prints what runs where, and commands that can be pasted as they are. */
export function welcome(
  app: App,
  provider: DevProvider,
  config: Config,
  client: { readonly id: string; readonly secret: string },
): string {
  return `
Vestibule runs for development, on this machine only.

  Open       ${config.baseUrl}/

  service    ${config.baseUrl}
  provider   ${provider.origin}   (any user name; the password is "dev")
  scopes     every user has those of "access"; give a user others with a line such as "grace: [notes.moderate]" in ${usersFile}
  frontends  ${frontendsOf(config)}
  console    ${app.opsAddress}/
  health     ${app.opsAddress}/readyz   metrics ${app.opsAddress}/metrics
  audience   ${config.apiAudience}
  data       ${config.databaseUrl.engine === 'sqlite' ? config.databaseUrl.file : 'PostgreSQL'}

"dev" reloads changed collections. Unlike "serve", it does not limit newcomers: it ignores NEWCOMERS_PER_HOUR and
"newcomer" in the limits of collections.

Get a token of Ada, or of any other user (in another shell, in this folder):

  TOKEN=$(npx vestibule dev token --user ada)
  curl -i -H "Authorization: Bearer $TOKEN" ${config.baseUrl}${consumerPrefix}/me

Get a token of a machine client of this service:

  TOKEN=$(curl -s -H 'Content-Type: application/json' -d '{"client_id":"${client.id}","client_secret":"${client.secret}"}' ${config.baseUrl}${tokenPath} | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -i -H "Authorization: Bearer $TOKEN" ${config.baseUrl}${consumerPrefix}/me

Follow the changes of records live, with the same token:

  curl -N -H "Authorization: Bearer $TOKEN" -H 'Accept: text/event-stream' ${config.baseUrl}${consumerPrefix}/events

While "dev" runs, the other commands in this folder, such as "npx vestibule doctor" and "npx vestibule client list", use its settings.
"npx vestibule serve" does not, and has another database. To give other programs the settings:

  export IDP_ORIGIN=${config.idpOrigin} IDP_JWKS_PATH=${config.idpJwksPath} API_AUDIENCE=${config.apiAudience} BASE_URL=${config.baseUrl} PORT=${config.port} OPS_PORT=${new URL(app.opsAddress).port}

Stop with Ctrl-C.

`;
}

function frontendsOf({ corsOrigins }: Config): string {
  if (corsOrigins.length === 0) {
    return 'the page above; for your own frontend, for example: CORS_ORIGINS=http://localhost:5173 npx vestibule dev';
  }
  return `${corsOrigins.join(', ')}   (sign in as client "${webClientId}", back to / or /callback)`;
}

export function reloadedText(collections: readonly Collection[]): string {
  const names = collections.map(({ name }) => name).join(', ');
  return `The collections have changed and are served: ${names === '' ? 'none' : names}.\n`;
}

/** The levels. Pino writes 10 for the first, 20 for the second and so on. */
const names = ['trace', 'debug', 'info', 'warning', 'error', 'fatal'];

/** A log line for people: time of day, level, message, then the other fields; a stack trace below. */
export function logText(line: string): string {
  const { level, time, msg, stack, ...fields } = JSON.parse(line);
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const head = [new Date(time).toTimeString().slice(0, 8), `${names[level / 10 - 1]}:`, msg, ...rest].join(
    ' ',
  );
  const frames = Array.isArray(stack) ? stack.map((frame) => `    ${frame}`) : [];
  return [head, ...frames, ''].join('\n');
}

/** A word is printed as it is. Everything else is JSON, so that a value never looks like the end of a line. */
function shown(value: unknown): string {
  return typeof value === 'string' && /^[\w./:+-]+$/.test(value) ? value : JSON.stringify(value);
}
