import assert from 'node:assert/strict';
import { type Commands, first, installed, inTheClone, secretOf } from './commands.ts';

/** With an address of this machine, where the example has one of the internet. */
const onLoopback = {
  'npx vestibule': 'WEBHOOK_ALLOW=loopback npx vestibule',
  'https://hooks.example.org/vestibule': 'http://127.0.0.1:9/hook',
};
const ofWebhook = ({ webhook }: { readonly webhook: string }) => ({ ...onLoopback, 'whk_...': webhook });

const ofCaller = ({ pseudonym }: { readonly pseudonym: string }) => ({ 'usr_...': pseudonym });
const ofDevClient = () => ({ '<id>': 'dev-client' });

/** A second service beside the one that runs, on a database of its own. */
const elsewhere = 'PORT=0 OPS_PORT=0 DATABASE_URL=sqlite:./data/elsewhere.db';

/** The file that the test has written beside the project. */
const ofFile = () => ({ '/etc/vestibule/settings': 'settings.env' });

const signsFrom = (output: string) => Date.parse(first(/signs from (\S+) on/, output));

/** Every command of docs that is run but those of api-commands.ts. */
export const docsCommands: Commands = {
  'curl -N -H "Authorization: Bearer $TOKEN" -H \'Accept: text/event-stream\' http://127.0.0.1:8080/api/consumer/v1/events':
    { says: /^event: start$/m, keepsRunning: true },
  'curl -H "Authorization: Bearer $TOKEN" "http://127.0.0.1:8080/api/consumer/v1/events?after=41&wait=20"': {
    says: /"next":\d+,"reset":true/,
  },
  [`curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"operations":[{"create":"notes","fields":{"text":"Oil the drill"}},{"create":"items","fields":{"title":"Drill"}}]}' http://127.0.0.1:8080/api/consumer/v1/batch`]:
    { says: /^\{"results":\[\{"status":201,.*"title":"Drill"/ },
  'npx vestibule check': { says: /^The settings are in order\.$/m },
  'npx vestibule check collections': { says: /^The collections are in order\.$/m },
  'npx vestibule check examples/class/collections --matrix': { says: /^teacher +return +- +yes/m },
  'npx vestibule check collections --matrix': { says: /^owner +lend +- +yes/m },
  'npx vestibule types --out collections.d.ts': { says: /^The types are in "collections\.d\.ts"\.$/m },
  'npx vestibule types --check collections.d.ts': { says: /matches the declarations\.$/m },
  'npx vestibule schema': { says: /^ {2}"title": "A collection of Vestibule",$/m },
  'npx vestibule schema > collection.schema.json': { says: /^$/ },
  'npx vestibule --settings /etc/vestibule/settings check': {
    says: /^LOG_LEVEL +set +warn$/m,
    instead: ofFile,
  },
  'npx vestibule --settings /etc/vestibule/settings doctor': { says: /No check failed/, instead: ofFile },
  'npx vestibule --settings /etc/vestibule/settings explain < token.txt': {
    says: /^Accepted\.$/m,
    instead: ofFile,
  },
  [`${installed} --settings /etc/vestibule/settings serve`]: {
    says: /"msg":"listening"/,
    keepsRunning: true,
    instead: () => ({ ...ofFile(), [installed]: `LOG_LEVEL=info ${elsewhere} ${inTheClone}` }),
  },
  [`${installed} serve --processes auto`]: {
    says: /"processes":\d+,.*"msg":"listening"/,
    keepsRunning: true,
    instead: () => ({ [installed]: `${elsewhere} ${inTheClone}` }),
  },
  'npx vestibule check --against': { says: /^bookings: unchanged$/m },
  'npx vestibule consumer of-record <collection> <id>': {
    says: /^npx vestibule consumer suspend usr_\S+$/m,
    instead: ({ note }) => ({ '<collection>': 'notes', '<id>': note.id }),
  },
  'npx vestibule consumer suspend usr_...': { says: /^Caller "usr_\S+" is suspended\.$/m, instead: ofCaller },
  'npx vestibule consumer sign-out usr_...': {
    says: /^Caller "usr_\S+" is signed out: tokens issued up to \S+ are refused\.$/m,
    instead: ofCaller,
  },
  "curl -si -u 'reports:vsec_...' -d token=$TOKEN http://127.0.0.1:8080/revoke": {
    says: /^HTTP\/1\.1 200 OK\r?$/m,
    instead: secretOf('reports'),
  },
  'npx vestibule client disable <id>': { says: /^Client "dev-client" is disabled\.$/m, instead: ofDevClient },
  'npx vestibule client enable <id>': { says: /^Client "dev-client" is active\.$/m, instead: ofDevClient },
  'npx vestibule consumer top': { says: /^usr_\S+ +\d+ +\d+$/m },
  'npx vestibule consumer show usr_...': { says: /^usr_\S+ +\w+ +suspended /m, instead: ofCaller },
  'npx vestibule client rotate billing-service --retire-after 7d': { says: /^client_secret {2}vsec_/m },
  'npx vestibule keys rotate --now': {
    says: /is published and signs from/,
    take: (output) => assert.ok(signsFrom(output) <= Date.now(), 'at once'),
  },
  'npx vestibule keys rotate': {
    says: /is published and signs from/,
    take: (output) => assert.ok(signsFrom(output) > Date.now(), 'later'),
  },
  'npx vestibule keys list': { says: /^\S+ +RS256 +signs [\s\S]*^\S+ +RS256 +next /m },
  "npx vestibule webhook add https://hooks.example.org/vestibule --events 'bookings.*,consumer.erased'": {
    says: /^secret {6}whsec_/m,
    instead: () => onLoopback,
    take: (output, hand) => {
      hand.webhook = first(/(whk_\S+)/, output);
    },
  },
  'npx vestibule webhook list': { says: /^whk_\w+ +active +bookings/m },
  'npx vestibule webhook show whk_...': { says: /active/, instead: ofWebhook },
  'npx vestibule webhook deliveries whk_... --dead': {
    says: /^There are no pending deliveries/m,
    instead: ofWebhook,
  },
  'npx vestibule webhook replay whk_... --dead': {
    says: /are sent again to webhook .*: 0\.$/m,
    instead: ofWebhook,
  },
  'npx vestibule webhook replay whk_... --since 2h': {
    says: /are sent again to webhook .*: \d+\.$/m,
    instead: ofWebhook,
  },
  'npx vestibule webhook rotate whk_...': { says: /^secret {6}whsec_/m, instead: ofWebhook },
  'npx vestibule webhook rotate whk_... --now': { says: /^secret {6}whsec_/m, instead: ofWebhook },
  'npx vestibule webhook disable whk_...': { says: /is disabled\.$/m, instead: ofWebhook },
  'npx vestibule webhook enable whk_...': { says: /is active\.$/m, instead: ofWebhook },
  'npx vestibule webhook remove whk_... --yes': { says: /is removed\.$/m, instead: ofWebhook },
  'npx vestibule consumer erase usr_... --yes': {
    says: /^Caller "usr_\S+" is erased, with \d+ records/m,
    instead: ofCaller,
  },
  'npx vestibule scrub': { says: /^(The file is rewritten|There is nothing to do)/m },
  'npx vestibule migrate --plan': { says: /^nothing to do: / },
  'npx vestibule migrate': { says: /^There is nothing to do\.$/m },
  'npx vestibule migrate --contract': { says: /^There is nothing to do\.$/m },
  'npx vestibule audit': { says: /client\.added +reports/ },
  'npx vestibule audit --json --since 2026-01-31': { says: /"action": "client\.added"/ },
};
