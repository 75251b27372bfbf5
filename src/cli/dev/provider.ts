import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
// Not the main export of the package: all it adds is a warning at import about every Node release that is not LTS yet.
import { Provider } from 'oidc-provider/lib/provider.js';
import { apiResource } from './api-resource.ts';
import { createConfiguration, createSigningKey, type DevProviderOptions } from './configuration.ts';
import { addControl } from './control.ts';
import { addInteractions } from './interactions.ts';
import { addPictures } from './pictures.ts';

const host = '127.0.0.1';

export type DevProvider = Awaited<ReturnType<typeof startDevProvider>>;

/**
 * A real OpenID Connect provider on loopback, for development and tests. Rejects with the system's error if the port is
 * taken. The origin is also the issuer, exactly as in the tokens; `stop` cuts off open connections.
 */
export async function startDevProvider(options: DevProviderOptions) {
  const signingKey = await createSigningKey();
  const server = createServer();
  server.listen(options.port, host);
  await once(server, 'listening');

  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  try {
    // The issuer contains the port, so the provider is created after listening; no request gets in between.
    const { port } = server.address() as AddressInfo;
    const origin = `http://${host}:${port}`;
    const api = apiResource(options);
    const provider = new Provider(origin, createConfiguration(options, api, signingKey));
    addInteractions(provider, api);
    addPictures(provider);
    const { controlSecret: secret, webClient } = options;
    if (secret !== undefined) addControl(provider, api, webClient.id, secret);
    server.on('request', onlyAtOwnHosts([host, 'localhost'], port, provider.callback()));
    return { origin, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Refuses other host names, against DNS rebinding: a foreign page could sign in as any user and read the tokens. */
function onlyAtOwnHosts(names: readonly string[], port: number, listener: RequestListener): RequestListener {
  // The Host as browsers send it: without port 80.
  const hosts = new Set(names.map((name) => new URL(`http://${name}:${port}`).host));
  return (request, response) => {
    if (hosts.has(request.headers.host?.toLowerCase() ?? '')) return listener(request, response);
    const text = `This provider answers at ${[...hosts].join(' and ')} only.\n`;
    response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(text);
  };
}
