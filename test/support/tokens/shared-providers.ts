import { randomUUID } from 'node:crypto';
import { OAuth2Server } from 'oauth2-mock-server';
import { startDevProvider } from '../../../src/cli/dev/provider.ts';
import { audience } from '../run/surroundings.ts';

/** What test files are told of them. */
export type SharedProviders = Omit<Awaited<ReturnType<typeof startSharedProviders>>, 'stop'>;

/** The providers of the conformance suite: the specification's mock on port 3000, and a certified real one. */
export async function startSharedProviders() {
  const mock = new OAuth2Server();
  await mock.issuer.keys.generate('RS256');
  await mock.start(3000, '127.0.0.1').catch((error: { code?: string }) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(
      'Port 3000 is taken, and the specification puts the test provider there. Stop what listens on it.',
    );
  });
  const oidcClient = { id: 'conformance', secret: randomUUID() };
  const oidc = await startDevProvider({
    port: 0,
    audience,
    machineClient: oidcClient,
    webClient: { id: 'web', redirectUris: ['http://127.0.0.1:9/'], postLogoutRedirectUris: [] },
  });
  return {
    mockOrigin: mock.issuer.url as string,
    oidcOrigin: oidc.origin,
    oidcClient,
    async stop() {
      await mock.stop();
      await oidc.stop();
    },
  };
}
