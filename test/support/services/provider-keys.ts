import assert from 'node:assert/strict';
import { atOnce, type Deployment } from './deployment.ts';

/** The distinct statuses of /me for new tokens of this many simultaneous callers. */
export async function statusesOfNew(deployment: Deployment, count: number): Promise<number[]> {
  const replies = await atOnce(count, async (index) =>
    deployment.me(await deployment.provider.token({ sub: `caller ${index}` })),
  );
  return [...new Set(replies.map(({ status }) => status))];
}

/** Moves ten minutes ahead, the default interval between key fetches. */
export async function refreshKeys(deployment: Deployment): Promise<void> {
  const before = deployment.provider.fetches;
  await deployment.advance(600_000);
  assert.equal(deployment.provider.fetches, before + 1, 'the keys are fetched again after ten minutes');
}

/** A metric about the keys of the one provider. Labels may follow its name in braces. */
export async function keysMetric({ service }: Deployment, name: string): Promise<number> {
  const start = `${name.replace(/^(vestibule_jwks_\w+)\{?(.*?)\}?$/, ofTheProvider)} `;
  const line = (await service.metrics()).split('\n').find((text) => text.startsWith(start));
  return line === undefined ? 0 : Number(line.slice(start.length));
}

function ofTheProvider(_: string, metric: string, labels: string): string {
  return `${metric}{provider="provider"${labels === '' ? '' : `,${labels}`}}`;
}

/** The faults of every fetch so far, by the log, and how long each waited for the next try. */
export function failedFetches({ service }: Deployment): { fault: string; retryInSeconds: number }[] {
  return service
    .logLines()
    .filter(({ msg }) => msg === 'provider keys not fetched')
    .map((line) => ({ fault: String(line.fault), retryInSeconds: Number(line.retry_in_seconds) }));
}
