import type { HttpServer } from '../http/server.ts';
import type { WriteQueue } from '../records/write-queue.ts';
import type { BaseParts } from './base-parts.ts';
import type { Callers } from './callers.ts';
import type { Certificate } from './certificate.ts';
import type { createEventParts } from './events.ts';

interface Watched {
  readonly service: HttpServer;
  readonly events: ReturnType<typeof createEventParts>;
  readonly writes: WriteQueue;
  readonly tokenCache: Callers['tokenCache'];
  readonly standing: Callers['standing'];
  readonly certificate: Certificate;
  readonly logOutput: { readonly dropped: number };
}

/** Has the metrics tell how these parts are whenever somebody asks for them. */
export function watch({ metrics, storage, clock }: BaseParts, watched: Watched): void {
  const { service, events, writes, tokenCache, standing, certificate, logOutput } = watched;
  metrics.watchConnections(() => service.connections.size);
  metrics.watchEvents(events.status);
  metrics.watchWebhooks(events.webhookStatus);
  metrics.watchLog(() => logOutput.dropped);
  metrics.watchWriteQueue(() => writes);
  metrics.watchTokenCache(tokenCache);
  metrics.watchRevocations(() => standing.revocations);
  if (storage.sessionStatus !== null) metrics.watchSessions(storage.sessionStatus);
  if (certificate.tls !== null) metrics.watchCertificate(() => certificate.endsAt, clock);
}
