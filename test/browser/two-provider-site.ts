import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { startDevProvider } from '../../src/cli/dev/provider.ts';
import { freePort } from '../support/run/ports.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { BrowserSite, siteSettings } from './browser-site.ts';

/** The entries of the file in their order. The third has no sign-in at the frontend. */
export const titles = { first: 'Harbour School', second: 'City Library' } as const;

/** The same frontend with a choice: two real providers, each with a client of its own for it. */
export async function startTwoProviderSite(): Promise<BrowserSite> {
  const [firstPort, secondPort] = [await freePort(), await freePort()];
  const file = `${surroundings().runDirectory}/providers-${randomUUID()}.yaml`;
  const settings = await siteSettings({ IDPS_FILE: file });
  const homes = [`${settings.BASE_URL}/`];
  const second = await startDevProvider({
    port: secondPort,
    audience: surroundings().audience,
    webClient: { id: 'reader', redirectUris: homes, postLogoutRedirectUris: homes },
  });
  const site = new BrowserSite(settings, firstPort, second);
  writeFileSync(
    file,
    `- { name: school, title: ${titles.first}, origin: "${site.providerOrigin}", jwks_path: /jwks, web_client_id: web }
- { name: library, title: ${titles.second}, origin: "${second.origin}", jwks_path: /jwks, web_client_id: reader }
- { name: programs, origin: "https://programs.example.org" }
`,
  );
  await site.startProvider();
  await site.startService();
  return site;
}
