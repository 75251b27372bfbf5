import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const signedBy = `--certificate-identity https://github.com/vestibule/vestibule/.github/workflows/release.yml@refs/tags/v${version} --certificate-oidc-issuer https://token.actions.githubusercontent.com`;
const image = `ghcr.io/vestibule/vestibule:${version}`;

/** The command of README.md that starts the service. The test runs it without "npm ci" and with free ports. */
export const startCommand = 'npm ci && npm start';

const afterRelease = 'needs what the release workflow has published';
const byFrontend = 'is run by test/docs/frontend.release.ts, in a folder of its own';

export const notRun: Readonly<Record<string, string>> = {
  'npm ci && npm test': 'is what runs this test',
  'npm ci': 'has been run, else there would be no test',
  'npm install --omit=optional ./vestibule-server-*.tgz': 'is run by test/packages/server.release.ts',
  'npm test': 'is what runs this test',
  'npm test -- test/http/me.403.test.ts': 'is a part of what runs this test',
  'npm test -- test/browser/trip.test.ts': 'is a part of what runs this test',
  'npm run test:drills': 'is run by .ci/run',
  'npm run test:release': 'is what runs this test',
  'npm run check': 'is run by .ci/run',
  'npm run format': 'changes the files that are tested; what it repairs is found by npm run check',
  'npm run docs':
    'changes the files that are tested; test/rules/documents.test.ts makes the same and compares',
  'npx vestibule webhook test whk_...': 'is run by test/cli/webhook.test.ts, where there is a receiver',
  "NODE_OPTIONS='--import ./telemetry.js' node node_modules/@vestibule/server/bin/vestibule.js serve":
    'is run by test/http/traces.test.ts, where there is an SDK',
  'npx vestibule webhook': 'is a group of commands, each of which is printed and run',
  'npx vestibule backup vestibule-backup.db': 'is run by test/cli/backup.test.ts',
  'npx vestibule restore vestibule-backup.db --dry-run': 'is run by test/cli/restore.test.ts',
  'npx vestibule restore vestibule-backup.db': 'is run by test/cli/restore.test.ts, into an empty place',
  'npx vestibule restore': 'is run by test/cli/restore.test.ts',
  'npx vestibule move --to postgres://vestibule@db.example.org/vestibule?sslmode=verify-full':
    'is run by test/cli/move.drill.ts, with a database that is there',
  'npx vestibule --settings /etc/vestibule/settings backup <file>': 'is run by test/cli/backup.test.ts',
  'npx vestibule dev --dpop': 'is run by test/cli/dev.test.ts, with ports that are free',
  'npx vestibule dev': 'is run by test/packages/server.release.ts, with ports that are free',
  'npx vestibule client scopes <id> ...': 'is run by test/http/token.revoked.test.ts, with scopes',
  'npx vestibule dev token --user ada': 'is run by test/cli/dev.running.test.ts',
  'npx vestibule dev token --user ada --scope bookings.read': 'is run by test/cli/dev.users.test.ts',
  'npm run image -- --base local': 'is run by test/image/image.release.ts',
  'npm run pack': 'is run by test/packages/tarball.release.ts, in a copy of the project',
  'npm run release -- --dry-run': 'is run by test/packages/dry-run.release.ts, in a copy of the project',
  'npm audit signatures': afterRelease,
  [`cosign verify-blob --bundle SHA256SUMS.sigstore.json ${signedBy} SHA256SUMS`]: afterRelease,
  'sha256sum --check --ignore-missing SHA256SUMS':
    'is run by test/packages/dry-run.release.ts, on the files of a dry run',
  [`cosign verify ${signedBy} ${image}`]: afterRelease,
  [`docker buildx imagetools inspect ${image} --format '{{ json .Provenance }}'`]: afterRelease,
  'npm run bench': 'takes twelve minutes and two idle cores',
  'npm run chaos -- --kills 100 --database postgres --processes 2':
    'takes ten minutes; test/fault/short-forms.drill.ts does the same with a few kills',
  'npm run soak -- --minutes 60 --database sqlite':
    'takes an hour; test/fault/short-forms.drill.ts does the same for seconds',
  'npm run turns -- --database sqlite':
    'takes five minutes and two idle cores; test/turns/turns.test.ts runs a short form',
  'npm run overload -- --database sqlite':
    'measures, and wants two idle cores; test/fault/overload-http.drill.ts holds what can be counted',
  'npm run scale -- --rows 10000000':
    'takes an hour and 40 GB; test/contract/partitions.test.ts runs the statements of docs/scale.md',
  'npm install @vestibule/client': afterRelease,
  'npm install @vestibule/verify': afterRelease,
  'npx vestibule types > collections.d.ts':
    'is what typesDocument writes, which test/packages/client.readme.release.ts compiles',
  'npm init --yes': byFrontend,
  'npm install ./vestibule-server-*.tgz ./vestibule-client-*.tgz': byFrontend,
  'npm install --save-dev vite@7.3.8 typescript@7.0.2': byFrontend,
  'npm install react@19.3.1 react-dom@19.3.1': byFrontend,
  'npm install --save-dev @types/react@19.3.0 @types/react-dom@19.3.0': byFrontend,
  'cp -r node_modules/@vestibule/server/examples/class/. .': 'is run by test/packages/class-page.release.ts',
  'npx vestibule init': byFrontend,
  'npx vestibule init --port 9000': 'is run by test/cli/init.test.ts',
  'npx vestibule --settings vestibule.env dev': byFrontend,
  'npx vite': byFrontend,
  'npx vestibule types --out page/collections.d.ts': byFrontend,
  'npx tsc': byFrontend,
  'npx tsc -p page': 'is run by test/packages/class-page.release.ts',
  'npx vite build': byFrontend,
  'TOKEN=$(npx vestibule dev token --user ada)': byFrontend,
  'curl -s -H "Authorization: Bearer $TOKEN" -H \'Content-Type: application/json\' -d \'{"text":"from a shell"}\' http://127.0.0.1:8080/api/consumer/v1/notes':
    byFrontend,
};
