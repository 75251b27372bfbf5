import * as addresses from '../base/addresses.ts';
import type { Caller } from '../base/caller.ts';
import type { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import { pageHeaders } from '../base/content-policy.ts';
import type { BearerHandler, PublicHandler } from '../base/handler.ts';
import type { Collection } from '../collections/collection.ts';
import { type Lineage, lineageOf } from '../collections/lineage.ts';
import { deprecationHeaders } from '../collections/normalise.ts';
import { isWrittenByPeople } from '../collections/roles.ts';
import { describeErasure, eraseAll } from '../consumer/erase.ts';
import { describeExport, exportAll } from '../consumer/export.ts';
import { describeEvents } from '../consumer/feed/describe.ts';
import { type EventParts, readEvents } from '../consumer/feed/read-events.ts';
import type { ConsumerParts } from '../consumer/handler-parts.ts';
import { describeMe, me } from '../consumer/me.ts';
import { describeOverview, overview } from '../consumer/overview.ts';
import { describeLogout, logOut } from '../consumer/sign-out/logout.ts';
import { describeUsage, usage } from '../consumer/usage.ts';
import {
  asset,
  type BuiltFiles,
  type FrontendSettings,
  frontendConfig,
  page as frontendPage,
} from '../frontend/page.ts';
import type { Description } from '../openapi/description.ts';
import { apiVersion, documentInSteps } from '../openapi/document.ts';
import * as openapi from '../openapi/serve.ts';
import type { TokenTerms } from '../openapi/token-terms.ts';
import { describeBatch } from '../records/describe/batch.ts';
import * as describePeople from '../records/describe/people.ts';
import { describeCount, describeHistory, describeList, describeRead } from '../records/describe/reads.ts';
import * as writing from '../records/describe/writes.ts';
import { runBatch } from '../records/requests/batch.ts';
import { largestBatchBody } from '../records/requests/batch-body.ts';
import type { RecordParts } from '../records/requests/handler-parts.ts';
import { listHistory } from '../records/requests/history.ts';
import * as people from '../records/requests/people.ts';
import { countList, listRecords, readRecord } from '../records/requests/read.ts';
import * as write from '../records/requests/write.ts';
import { batchName } from '../records/rules/operation.ts';
import { describeIssue, issueToken } from '../tokens/issue.ts';
import * as metadata from '../tokens/metadata.ts';
import { describeRevoke, type RevokeParts, revokeToken } from '../tokens/revoke.ts';

export type Route = RouteBase &
  /** Who may call it. `signed` takes documents signed by a provider. */
  (
    | { readonly access: 'public' | 'client_credentials' | 'signed' | 'ops'; readonly handle: PublicHandler }
    | { readonly access: 'bearer'; readonly handle: BearerHandler }
  );

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Instead of MAX_BODY_BYTES. */
  readonly maxBodyBytes?: number;
  /** Throws when the service is overloaded, before a body is read. */
  readonly admit?: (caller: Caller | null) => void;
  /** For the OpenAPI document; null for what is not part of the API. */
  readonly describe: (() => Description) | null;
  readonly cors: boolean;
  /** Sends the nonce for DPoP proofs although the route takes none. */
  readonly sendsNonce?: boolean;
  readonly contentPolicy?: string;
  /** On every answer of the route, refusals too. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type ServiceParts = Parameters<typeof issueToken>[0] & {
  readonly issuer: string;
  readonly signing: Pick<ConcurrencyLimit, 'checkRoom'>;
  readonly protectedResource: Parameters<typeof metadata.protectedResource>[0];
  readonly tokens: TokenTerms;
  readonly signingKeys: Parameters<typeof metadata.publishedKeys>[0];
  readonly collections: readonly Collection[];
  /** Whether they change while a browser has the page that describes them. */
  readonly collectionsMayChange: boolean;
  readonly records: RecordParts;
  readonly consumer: ConsumerParts;
  readonly events: EventParts;
  readonly signOut: {
    readonly logout: Parameters<typeof logOut>[0];
    readonly revoke: Omit<RevokeParts, 'recognise' | 'throttle'>;
  };
  readonly frontend: FrontendParts | null;
};

interface FrontendParts extends Omit<FrontendSettings, 'api'> {
  readonly files: BuiltFiles;
  readonly contentPolicy: string;
}

/** All routes of the service, in the order of the OpenAPI document. */
export function serviceRoutes(parts: ServiceParts): readonly Route[] {
  const { issuer, signingKeys, collections, records, consumer, events, signOut, frontend, tokens } = parts;
  const document = () => documentInSteps(routes, { version: apiVersion, baseUrl: issuer, tokens });
  const caching = parts.collectionsMayChange ? openapi.noCache : undefined;
  const token = { access: 'client_credentials', cors: false } as const;
  const myself = `${addresses.consumerPrefix}/me`;
  const page = { cors: false, contentPolicy: openapi.pageContentPolicy, headers: pageHeaders };
  const takesCodes = collections.some((collection) => people.invitedRoles(collection).length > 0);
  const lineages = collections.map((collection) =>
    lineageOf(collection, (name) => collections.find((one) => one.name === name)),
  );
  const routes: readonly Route[] = [
    ...lineages.flatMap((lineage) => collectionRoutes(lineage, records)),
    ...(collections.some(isWrittenByPeople) ? [batchRoute(lineages, records)] : []),
    ...(takesCodes ? invitationRoutes(collections, records) : []),
    open(addresses.consumerPrefix, overview(collections), describeOverview),
    bearer('GET', myself, me(consumer.registry), describeMe),
    bearer('DELETE', myself, eraseAll(collections, consumer), describeErasure),
    bearer('GET', `${myself}/usage`, usage(collections, consumer), describeUsage),
    bearer('GET', `${myself}/export`, exportAll(collections, consumer), describeExport),
    bearer('GET', `${addresses.consumerPrefix}/events`, readEvents(collections, events), () =>
      describeEvents(collections),
    ),
    {
      ...token,
      method: 'POST',
      path: addresses.tokenPath,
      handle: issueToken(parts),
      admit: () => parts.signing.checkRoom(),
      describe: () => describeIssue(tokens),
    },
    {
      ...token,
      method: 'POST',
      path: addresses.revokePath,
      handle: revokeToken({ ...parts, ...signOut.revoke }),
      describe: describeRevoke,
    },
    signed(addresses.logoutPath, logOut(signOut.logout), describeLogout),
    open(addresses.keysPath, metadata.publishedKeys(signingKeys), metadata.describeKeys),
    open(
      addresses.serverMetadataPath,
      metadata.authorizationServer(issuer, parts.protectedResource.dpop),
      () => metadata.describeAuthorizationServer(tokens),
    ),
    open(addresses.resourceMetadataPath, metadata.protectedResource(parts.protectedResource), () =>
      metadata.describeProtectedResource(tokens),
    ),
    open(addresses.openapiPath, openapi.openapi(document, caching), openapi.describeOpenapi),
    open(addresses.docsPath, openapi.referenceFile('index.html'), openapi.describePage, page),
    ...openapi.referenceAssets.map((asset) =>
      open(
        `${addresses.docsPath}/${asset.name}`,
        openapi.referenceFile(asset.name),
        () => openapi.describeAsset(asset),
        page,
      ),
    ),
    ...(frontend ? frontendRoutes(frontend) : []),
  ];
  return routes;
}

type Describe = Route['describe'];

function open(path: string, handle: PublicHandler, describe: Describe, more: Partial<RouteBase> = {}): Route {
  return { method: 'GET', path, access: 'public', cors: true, handle, describe, ...more };
}

function signed(path: string, handle: PublicHandler, describe: Describe): Route {
  return { method: 'POST', path, access: 'signed', cors: false, handle, describe };
}

function bearer(method: Route['method'], path: string, handle: BearerHandler, describe: Describe): Route {
  return { method, path, access: 'bearer', cors: true, handle, describe };
}

function invitationRoutes(collections: readonly Collection[], records: RecordParts): readonly Route[] {
  const path = `${addresses.consumerPrefix}/invitations`;
  const accept = people.acceptInvitation(collections, records);
  const preview = people.previewInvitation(collections, records);
  return [
    { ...bearer('POST', path, accept, describePeople.describeAccept), admit: write.admitWrites(records) },
    bearer('POST', `${path}/preview`, preview, describePeople.describePreview),
  ];
}

function batchRoute(lineages: readonly Lineage[], records: RecordParts): Route {
  const describe = () => describeBatch(lineages.map(([collection]) => collection));
  return {
    ...bearer('POST', `${addresses.consumerPrefix}/${batchName}`, runBatch(lineages, records), describe),
    admit: write.admitWrites(records),
    maxBodyBytes: largestBatchBody,
  };
}

function collectionRoutes(lineage: Lineage, records: RecordParts): readonly Route[] {
  const [collection] = lineage;
  const path = `${addresses.consumerPrefix}/${collection.name}`;
  const one = `${path}/:id`;
  const parts = { ...records, collection, lineage, path };
  // Lazy: validating the examples takes a while.
  const said = (describe: (of: Collection) => Description) => () => describe(collection);
  const routes = [
    bearer('GET', path, listRecords(parts), said(describeList)),
    bearer('POST', path, write.createRecord(parts), said(writing.describeCreate)),
    bearer('GET', `${path}/count`, countList(parts), said(describeCount)),
    bearer('GET', one, readRecord(parts), said(describeRead)),
    bearer('PUT', one, write.replaceRecord(parts), said(writing.describeReplace)),
    bearer('PATCH', one, write.patchRecord(parts), said(writing.describePatch)),
    bearer('DELETE', one, write.removeRecord(parts), said(writing.describeRemove)),
    ...(collection.machine?.actions ?? []).map((action) => {
      const describe = () => writing.describeAction(collection, action);
      return bearer('POST', `${one}/${action}`, write.takeAction(parts, action), describe);
    }),
  ];
  if (people.invitedRoles(collection).length > 0) {
    const invitations = `${one}/invitations`;
    routes.push(
      bearer('POST', invitations, people.invite(parts), said(describePeople.describeInvite)),
      bearer('GET', invitations, people.listInvitations(parts), said(describePeople.describeInvitations)),
      bearer(
        'DELETE',
        `${invitations}/:invitation`,
        people.endInvitation(parts),
        said(describePeople.describeEndInvitation),
      ),
      bearer(
        'PATCH',
        `${one}/members/:alias`,
        people.changeMember(parts),
        said(describePeople.describeChangeMember),
      ),
      bearer(
        'DELETE',
        `${one}/members/:alias`,
        people.removeMember(parts),
        said(describePeople.describeRemoveMember),
      ),
    );
  }
  if (people.hasMembers(collection))
    routes.push(
      bearer('GET', `${one}/members`, people.listMembers(parts), said(describePeople.describeMembers)),
    );
  if (collection.history)
    routes.push(bearer('GET', `${one}/history`, listHistory(parts), said(describeHistory)));
  const admit = write.admitWrites(records);
  return routes.map((route) => ({
    ...route,
    headers: deprecationHeaders(collection),
    ...(route.method === 'GET' ? {} : { admit }),
  }));
}

function frontendRoutes({ files, contentPolicy, ...settings }: FrontendParts): readonly Route[] {
  const own = (path: string, handle: PublicHandler, more = {}) =>
    open(path, handle, null, { cors: false, ...more });
  return [
    own('/', frontendPage(files.page), { contentPolicy, headers: pageHeaders }),
    own('/web/config.json', frontendConfig({ ...settings, api: addresses.consumerPrefix }), {
      sendsNonce: settings.dpop,
    }),
    ...files.assets.map((file) => own(`/web/${file.name}`, asset(file))),
  ];
}
