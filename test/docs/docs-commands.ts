import assert from 'node:assert/strict';
import { type Commands, first } from './commands.ts';

const signsFrom = (output: string) => Date.parse(first(/signs from (\S+) on/, output));

/** Every command of docs that is run and does not stand in README.md, too. */
export const docsCommands: Commands = {
  'npx vestibule check': { says: /^The settings are in order\.$/m },
  'npx vestibule check --against': { says: /^bookings: unchanged$/m },
  'npx vestibule consumer suspend usr_...': {
    says: /^Caller "usr_\S+" is suspended\.$/m,
    instead: ({ pseudonym }) => ({ 'usr_...': pseudonym }),
  },
  'npx vestibule client disable <id>': {
    says: /^Client "dev-client" is disabled\.$/m,
    instead: () => ({ '<id>': 'dev-client' }),
  },
  'npx vestibule consumer show usr_...': {
    says: /^usr_\S+ +\w+ +suspended /m,
    instead: ({ pseudonym }) => ({ 'usr_...': pseudonym }),
  },
  'npx vestibule client rotate <id> --retire-after 7d': {
    says: /^client_secret {2}vsec_/m,
    instead: () => ({ '<id>': 'billing-service' }),
  },
  'npx vestibule client rotate <id>': {
    says: /^client_secret {2}vsec_/m,
    instead: () => ({ '<id>': 'reports' }),
  },
  'npx vestibule client remove-secret <id> <secret-id>': {
    says: /^Secret "[0-9a-f]{12}" of client "reports" is removed\.$/m,
    instead: ({ secrets }) => ({
      '<id>': 'reports',
      '<secret-id>': secrets.get('reports')?.firstId ?? '',
    }),
  },
  'npx vestibule keys rotate --now': {
    says: /is published and signs from/,
    take: (output) => assert.ok(signsFrom(output) <= Date.now(), 'at once'),
  },
  'npx vestibule keys rotate': {
    says: /is published and signs from/,
    take: (output) => assert.ok(signsFrom(output) > Date.now(), 'later'),
  },
  'npx vestibule keys list': { says: /^\S+ +RS256 +signs [\s\S]*^\S+ +RS256 +next /m },
  'npx vestibule scrub': { says: /^(The file is written anew|There is nothing to do)/m },
  'npx vestibule audit': { says: /client\.added +reports/ },
  'npx vestibule audit --json --since 2026-01-31': { says: /"action": "client\.added"/ },
};
