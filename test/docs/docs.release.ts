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
    const output = async (text: string) => (await project.run(text, {})).stdout;
    const vestibule = (text: string) => output(`$NODE bin/vestibule.js ${text}`);
    for (const client of ['billing-service', 'reports'])
      takeSecret(client)(await vestibule(`client add ${client}`), hand);
    takeSecretIds(await vestibule('client list'), hand);
    const curl = (rest: string) => output(`curl -s -H "Authorization: Bearer $TOKEN" ${rest}`);
    hand.pseudonym = first(/"id":"(usr_[^"]+)"/, await curl('$BASE_URL/api/consumer/v1/me'));
    const json = `-H 'Content-Type: application/json' -d '{"text":"reported"}'`;
    const note = await curl(`${json} $BASE_URL/api/consumer/v1/notes`);
    hand.note = { id: first(/"id":"([0-9a-f-]{36})"/, note), etag: '' };
  });
  after(() => project.stop());
  runAll(docsCommands, project, hand);
});
