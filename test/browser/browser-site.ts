import { type DevProvider, startDevProvider } from '../../src/cli/dev/provider.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { freePort } from '../support/run/ports.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import {
  addClient,
  newSettings,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';

/** The frontend has no code for these collections: it knows them from their schema only. */
const declarations = {
  lendings: `
title: Lendings
description: What the house lends, and to whom it has gone.
schema:
  required: [thing, from, count]
  properties:
    thing: { type: string, minLength: 1, maxLength: 80 }
    from: { type: string, format: date-time }
    count: { type: integer, minimum: 1, maximum: 5 }
    fragile: { type: boolean }
    condition: { enum: [new, used, worn] }
    remark: { type: string, maxLength: 400 }
    labels: { type: array, maxItems: 3, items: { type: string, minLength: 2, maxLength: 20 } }
    size:
      properties:
        width: { type: number, minimum: 0 }
        height: { type: number, minimum: 0 }
index: [from, count]
states:
  wanted: { hand_out: lent, withdraw: withdrawn }
  lent: { bring_back: returned }
  returned: {}
  withdrawn: {}
editable: [wanted]
concurrency: required
limits: { per_user: 40, writes: 1000/min }
`,
  sparks: `
title: Sparks
schema: { required: [idea], properties: { idea: { type: string, minLength: 1, maxLength: 60 } } }
limits: { writes: 2/min }
`,
  stones: `
title: Stones
schema: { required: [colour], properties: { colour: { type: string, minLength: 1, maxLength: 60 } } }
limits: { per_user: 2, writes: 1000/min }
`,
  visits: `
title: Visits
schema: { required: [guest], properties: { guest: { type: string, minLength: 1, maxLength: 60 } } }
states: { asked_for: { approve: { to: approved, by: client }, call_off: called_off }, approved: {}, called_off: {} }
access: { clients: any }
limits: { writes: 1000/min }
`,
  boards: `
title: Boards
description: What hangs in the hall.
schema:
  required: [text, size]
  properties: { text: { type: string, minLength: 1, maxLength: 60 }, size: { type: integer, minimum: 1 } }
index: [size]
states:
  pinned: { take_down: taken_down, mark: marked }
  marked: { unmark: pinned, take_down: taken_down }
  taken_down: {}
access: { read: everyone }
limits: { writes: 1000/min }
`,
};

export const tokenSeconds = 600;

/** The service asks for keys that it does not know only now and then. */
const unknownKeyCoolDownMs = 30_000;

export const minuteMs = 60_000;

/** The frontend as it is in the world: a service that serves it, and a provider on another origin. Both can go down. */
export class BrowserSite {
  readonly #settings: Settings;
  readonly #providerPort: number;
  readonly #second: DevProvider | undefined;
  #provider: DevProvider | null = null;
  #service: Service | null = null;
  #aheadMs = 0;

  /** `second`: another provider to choose, which runs until the end. */
  constructor(settings: Settings, providerPort: number, second?: DevProvider) {
    this.#settings = settings;
    this.#providerPort = providerPort;
    this.#second = second;
  }

  get origin(): string {
    return String(this.#settings.BASE_URL);
  }

  get providerOrigin(): string {
    return `http://127.0.0.1:${this.#providerPort}`;
  }

  get secondOrigin(): string {
    return String(this.#second?.origin);
  }

  get origins(): readonly string[] {
    const second = this.#second === undefined ? [] : [this.secondOrigin];
    return [this.origin, this.providerOrigin, ...second];
  }

  get service(): Service {
    if (this.#service === null) throw new Error('The service is down.');
    return this.#service;
  }

  /**
   * Starts the provider again at the same address, without sessions and with new keys; enough time passes that the service
   * fetches them. A provider without refresh tokens makes the frontend come back with prompt=none.
   */
  async startProvider({ refreshTokens = true } = {}): Promise<void> {
    const homes = [`${this.origin}/`];
    this.#provider = await startDevProvider({
      port: this.#providerPort,
      audience: surroundings().audience,
      accessTokenSeconds: tokenSeconds,
      machineClient: { id: 'machine', secret: 'not used by any test' },
      webClient: { id: 'web', redirectUris: homes, postLogoutRedirectUris: homes, refreshTokens },
    });
    await this.pass(unknownKeyCoolDownMs);
  }

  async stopProvider(): Promise<void> {
    await this.#provider?.stop();
    this.#provider = null;
  }

  /** At the address it had before, with the records it had before. */
  async startService(): Promise<void> {
    this.#service = await startService(this.#settings, { aheadMs: this.#aheadMs });
  }

  /** Accepts changed declarations that records do not fit, while the service is down. */
  async acceptBreaking(): Promise<void> {
    const options = { TEST_SERVE_OPTIONS: '--allow-breaking-schemas' };
    await (await startService({ ...this.#settings, ...options })).stop();
  }

  async machine(): Promise<ApiCaller> {
    const secret = await addClient(this.#settings, 'house');
    return new ApiCaller(this.origin, await tokenOf(this.origin, { id: 'house', secret }));
  }

  async pass(milliseconds: number): Promise<void> {
    this.#aheadMs += milliseconds;
    await this.#service?.advance(milliseconds);
  }

  /** To the beginning of a minute by the clock of the service, so that none ends while a test counts on it. */
  async nextMinute(): Promise<void> {
    await this.pass(minuteMs - ((Date.now() + this.#aheadMs) % minuteMs));
  }

  async stopService(): Promise<void> {
    await this.#service?.stop();
    this.#service = null;
  }

  async stop(): Promise<void> {
    await this.stopService();
    await this.stopProvider();
    await this.#second?.stop();
  }
}

export async function startBrowserSite(further: Settings = {}): Promise<BrowserSite> {
  const providerPort = await freePort();
  const settings = await siteSettings({
    IDP_ORIGIN: `http://127.0.0.1:${providerPort}`,
    IDP_JWKS_PATH: '/jwks',
    WEB_CLIENT_ID: 'web',
    ...further,
  });
  const site = new BrowserSite(settings, providerPort);
  await site.startProvider();
  await site.startService();
  return site;
}

/** Those of the service, without its providers. */
export async function siteSettings(providers: Settings): Promise<Settings> {
  const port = await freePort();
  return newSettings('sqlite', {
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    WEB: 'on',
    WEB_SCOPES: 'consumer',
    COLLECTIONS_DIR: declarationsFolder(declarations),
    ...providers,
  });
}
