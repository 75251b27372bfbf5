import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type DevProvider, startDevProvider } from '../../src/cli/dev/provider.ts';
import { freePort } from '../support/run/ports.ts';
import { surroundings } from '../support/run/surroundings.ts';
import type { Settings } from '../support/services/service.ts';
import { BrowserSite, siteSettings } from './browser-site.ts';

/** The entries of the file in their order. The third has no sign-in at the frontend. */
export const titles = { first: 'Harbour School', second: 'City Library' } as const;
const programsOrigin = 'https://programs.example.org';

/** The same frontend with a choice: two real providers, each with a client of its own for it. */
export class TwoProviderSite extends BrowserSite {
  readonly #second: DevProvider;

  constructor(settings: Settings, providerPort: number, second: DevProvider) {
    super(settings, providerPort);
    this.#second = second;
  }

  get secondOrigin(): string {
    return this.#second.origin;
  }

  override get origins(): readonly string[] {
    return [...super.origins, this.secondOrigin];
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#second.stop();
  }
}

export async function startTwoProviderSite(): Promise<TwoProviderSite> {
  const [providerPort, secondPort] = [await freePort(), await freePort()];
  const file = `${surroundings().runDirectory}/providers-${randomUUID()}.yaml`;
  const settings = await siteSettings({ IDPS_FILE: file });
  const firstOrigin = `http://127.0.0.1:${providerPort}`;
  const secondOrigin = `http://127.0.0.1:${secondPort}`;
  writeFileSync(
    file,
    `- { name: school, title: ${titles.first}, origin: "${firstOrigin}", jwks_path: /jwks, web_client_id: web }
- { name: library, title: ${titles.second}, origin: "${secondOrigin}", jwks_path: /jwks, web_client_id: reader }
- { name: programs, origin: "${programsOrigin}" }
`,
  );
  const homes = [`${settings.BASE_URL}/`];
  const second = await startDevProvider({
    port: secondPort,
    audience: surroundings().audience,
    webClient: { id: 'reader', redirectUris: homes, postLogoutRedirectUris: homes },
  });
  const site = new TwoProviderSite(settings, providerPort, second);
  await site.startProvider();
  await site.startService();
  return site;
}
