import {
  type Commands,
  first,
  installed,
  inTheClone,
  secretOf,
  takeSecret,
  takeSecretIds,
} from './commands.ts';

/** The commands of README.md, docs/api.md and docs/tokens.md, in an order in which a reader can type them. */
export const apiCommands: Commands = {
  'npx vestibule doctor': { says: /No check failed/ },
  'npx vestibule explain < token.txt': { says: /^Accepted\.$/m },
  'curl -i -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/api/consumer/v1/me': {
    says: /^HTTP\/1\.1 200 /,
    take: (output, hand) => {
      hand.pseudonym = first(/"id":"(usr_[^"]+)"/, output);
    },
  },
  'curl -i http://127.0.0.1:8080/api/consumer/v1/me': {
    says: /^HTTP\/1\.1 403 [\s\S]*www-authenticate: Bearer [\s\S]*"code":"token_missing"/i,
  },
  'npx vestibule client add billing-service': {
    says: /^client_secret {2}vsec_/m,
    take: takeSecret('billing-service'),
  },
  [`curl -s -H 'Content-Type: application/json' \\
  -d '{"client_id":"billing-service","client_secret":"vsec_..."}' http://127.0.0.1:8080/token`]: {
    says: /^\{"token":"eyJ[^"]+","token_type":"Bearer"\}$/,
    instead: secretOf('billing-service'),
  },
  'npx vestibule client add reports --scope reports.read': {
    says: /^client_secret {2}vsec_/m,
    take: takeSecret('reports'),
  },
  "curl -s -u 'reports:vsec_...' -d grant_type=client_credentials -d scope=reports.read http://127.0.0.1:8080/token":
    {
      says: /"access_token":"eyJ[^"]+","token_type":"Bearer","expires_in":600,"scope":"reports\.read"/,
      instead: secretOf('reports'),
    },
  'openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out private.pem': { says: /^$/ },
  'openssl pkey -in private.pem -pubout -out key.pem': { says: /^$/ },
  'npx vestibule client add archive --public-key key.pem': { says: /^Client "archive" is added\./ },
  'API=http://127.0.0.1:8080/api/consumer/v1': { says: /^$/ },
  'curl -i -H "Authorization: Bearer $TOKEN" -H \'Content-Type: application/json\' -d \'{"text":"buy milk"}\' $API/notes':
    {
      says: /^HTTP\/1\.1 201 [\s\S]*"text":"buy milk"/,
      take: (output, hand) => {
        hand.note = { id: first(/"id":"([^"]+)"/, output), etag: first(/^etag: "([^"]+)"/im, output) };
      },
    },
  'curl -H "Authorization: Bearer $TOKEN" "$API/notes?limit=10"': { says: /"items":\[\{"id"/ },
  [`curl -X PATCH -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -H 'If-Match: "wgC2cUOQXpSK0KZH"' -d '{"done":true}' $API/notes/01a1de60-...`]: {
    says: /"done":true/,
    instead: ({ note }) => ({ wgC2cUOQXpSK0KZH: note.etag, '01a1de60-...': note.id }),
  },
  'curl -H "Authorization: Bearer $TOKEN" $API/me/usage': { says: /"notes"/ },
  'curl -H "Authorization: Bearer $TOKEN" $API/me/export': { says: /buy milk/ },
  'curl -X DELETE -H "Authorization: Bearer $TOKEN" $API/me': { says: /"notes":1/ },
  [`curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"slot":"2026-12-24T18:00:00Z","seats":2}' $API/bookings`]: {
    says: /"state":"draft","actions":\["submit","cancel"\]/,
    take: (output, hand) => {
      hand.booking = first(/"id":"([^"]+)"/, output);
    },
  },
  'curl -X POST -H "Authorization: Bearer $TOKEN" $API/bookings/$ID/submit': {
    instead: ({ booking }) => ({ $ID: booking }),
    says: /"state":"submitted","actions":\["cancel"\]/,
  },
  [`CLIENT_TOKEN=$(curl -s -u 'billing-service:vsec_...' -d grant_type=client_credentials http://127.0.0.1:8080/token \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`]: { says: /^$/, instead: secretOf('billing-service') },
  'curl -H "Authorization: Bearer $CLIENT_TOKEN" "$API/bookings?state=submitted&sort=created_at"': {
    says: /"state":"submitted"/,
  },
  'curl -X POST -H "Authorization: Bearer $CLIENT_TOKEN" $API/bookings/$ID/approve': {
    instead: ({ booking }) => ({ $ID: booking }),
    says: /"state":"approved"/,
  },
  'curl -N -H "Authorization: Bearer $TOKEN" -H \'Accept: text/event-stream\' $API/events': {
    says: /^event: start$/m,
    keepsRunning: true,
  },
  'curl -H "Authorization: Bearer $TOKEN" "$API/events?after=0"': { says: /"type":"bookings\.approved"/ },
  'npx vestibule client rotate billing-service': {
    says: /^client_secret {2}vsec_/m,
    take: takeSecret('billing-service'),
  },
  'npx vestibule client list': {
    says: /^reports +active +\S+ +reports\.read$[\s\S]*^billing-service +[0-9a-f]{12} +\S+ +never +20/m,
    take: takeSecretIds,
  },
  'npx vestibule client remove-secret billing-service 7e5fb8abd1cb': {
    says: /Secret "[0-9a-f]{12}" of client "billing-service" is removed\./,
    instead: ({ secrets }) => ({ '7e5fb8abd1cb': secrets.get('billing-service')?.firstId ?? '' }),
  },
  [`IDP_ORIGIN=https://tenant.eu.auth0.com \\
API_AUDIENCE=https://api.example.org \\
BASE_URL=https://api.example.org \\
TLS_CERT_FILE=/etc/vestibule/tls.crt TLS_KEY_FILE=/etc/vestibule/tls.key \\
HOST=0.0.0.0 PORT=443 \\
${installed} serve`]: {
    says: /"msg":"listening"/,
    keepsRunning: true,
    // The provider beside it, a certificate of this test, and an address that only this machine can reach.
    instead: () => ({
      'IDP_ORIGIN=https://tenant.eu.auth0.com': 'IDP_ORIGIN=$IDP_ORIGIN',
      [installed]: inTheClone,
      '/etc/vestibule/tls': './tls',
      'HOST=0.0.0.0 PORT=443': 'HOST=127.0.0.1 PORT=0 OPS_PORT=0 DATABASE_URL=sqlite:./data/real.db',
    }),
  },
};
