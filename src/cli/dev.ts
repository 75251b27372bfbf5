import type { Command } from 'commander';
import { integer } from '../config/kinds.ts';
import { type DevOptions, usersFile } from './dev/environment.ts';
import { requestUserToken } from './dev/running.ts';
import { optionOf } from './options.ts';
import { write } from './output.ts';
import { allowBreakingOption, runUntilSignal } from './serve.ts';
import type { CommandSettings } from './settings.ts';

export function addTo(program: Command, settings: CommandSettings): void {
  const dev = program
    .command('dev')
    .description('run the service with its own provider on loopback, for development')
    .option('--port <number>', 'the port of the service (default: PORT, else 8080)')
    .option('--provider-port <number>', 'the port of the provider', '3000')
    .option(
      '--token-seconds <number>',
      'the lifetime of the access tokens of the provider',
      optionOf(integer(1, 86400)),
      600,
    )
    .option('--no-refresh-tokens', 'issue no refresh tokens to the frontend')
    .option('--dpop', 'bind the tokens of the page to a key that never leaves the browser (DPoP)')
    .option(...allowBreakingOption)
    .addHelpText('after', helpText)
    .action((options: DevOptions) =>
      runUntilSignal(async () => {
        const { startDevelopment } = await import('./dev/start.ts');
        return startDevelopment(settings.given(), options);
      }),
    );
  dev
    .command('token')
    .description('print the access token of a user of the "dev" that runs in this folder')
    .requiredOption('--user <name>', 'the user; every name exists, such as ada')
    .option('--scope <names...>', 'the scopes of the token (default: all scopes of the user)')
    .action(async ({ user, scope = [] }: { user: string; scope?: readonly string[] }) => {
      write(`${await requestUserToken(user, scope)}\n`);
    });
}

const helpText = `
"dev" uses the settings PORT, OPS_PORT, LOG_LEVEL, COLLECTIONS_DIR, the limits
(MAX_BODY_BYTES, MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, READS_PER_MINUTE,
REFUSALS_PER_MINUTE, REQUEST_TIMEOUT_SECONDS, KEEP_ALIVE_SECONDS) and
CORS_ORIGINS (users can sign in from these origins, too). It names other
settings that are set. Its database is always ./data/dev.db, not that of
DATABASE_URL or of "serve". Unless DATABASE_URL is set, other commands in this
folder use the database of the running "dev", and print a line about it. "dev"
reloads changed collections. A user has every scope, or those of a line in
./${usersFile}, such as "ada: [notes.read]".
"dev" logs warnings and errors as text; with LOG_LEVEL=info every request.`;
