import { writeFileSync } from 'node:fs';
import { after, before, describe } from 'node:test';
import { first, newHand, runAll, takeSecret, takeSecretIds } from './commands.ts';
import { docsCommands } from './docs-commands.ts';
import { ProjectCopy } from './project-copy.ts';

describe('the commands of docs, as printed', () => {
  // api.release.ts runs its commands with the real npx.
  const project = new ProjectCopy({ quickNpx: true });
  const hand = newHand();
  before(async () => {
    await project.start();
    writeFileSync(`${project.folder}/settings.env`, 'LOG_LEVEL=warn\n');
    // The earlier steps of docs/tokens.md.
    const vestibule = async (text: string) =>
      (await project.run(`$NODE bin/vestibule.js ${text}`, {})).output;
    for (const client of ['billing-service', 'reports'])
      takeSecret(client)(await vestibule(`client add ${client}`), hand);
    takeSecretIds(await vestibule('client list'), hand);
    const me = await project.run(
      'curl -s -H "Authorization: Bearer $TOKEN" $BASE_URL/api/consumer/v1/me',
      {},
    );
    hand.pseudonym = first(/"id":"(usr_[^"]+)"/, me.output);
    const note = await project.run(
      `curl -s -X POST -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"text":"reported"}' $BASE_URL/api/consumer/v1/notes`,
      {},
    );
    hand.note = { id: first(/"id":"([0-9a-f-]{36})"/, note.output), etag: '' };
  });
  after(() => project.stop());
  runAll(docsCommands, project, hand);
});
