import type { ListedWebhook } from '../../app/lists.ts';
import { OperatorError } from '../../base/errors.ts';
import { doubtful, type Finding, failed, passed } from '../../base/finding.ts';
import type { Config } from '../../config/settings.ts';

const name = 'webhooks';

/** Each webhook: may something be sent to it, and does it take it? Nothing is sent to find out. */
export async function examineWebhooks(config: Config): Promise<readonly Finding[]> {
  const { inspectWebhooks } = await import('../../app/doctor.ts');
  const webhooks = await inspectWebhooks(config).catch((error: unknown) => {
    // The findings on the database say it.
    if (error instanceof OperatorError) return null;
    throw error;
  });
  if (webhooks === null || webhooks.length === 0) return [];
  return webhooks.map(({ webhook, fault }) => webhookFinding(webhook, fault));
}

function webhookFinding(webhook: ListedWebhook, fault: string | null): Finding {
  const { id, isGenuine, state, disabledBecause, failingSince, lastFailure, lastSuccessAt, dead } = webhook;
  if (!isGenuine)
    return failed(name, {
      expected: 'a webhook that was written by this service',
      found: `${id} is none`,
      advice: `Somebody without the master secret has changed it in the database, and nothing is sent to it. Find out who; then remove it with "npx vestibule webhook remove ${id} --yes" and add it again.`,
    });
  if (state === 'disabled')
    return doubtful(name, {
      found: `${id} is disabled (${disabledBecause})`,
      advice: `Once its receiver works, run "npx vestibule webhook enable ${id}"; or remove it.`,
    });
  if (fault !== null) return failed(name, { found: `nothing can be sent to ${id}`, advice: fault });
  if (failingSince !== null)
    return doubtful(name, {
      expected: `the receiver of ${id} takes what is sent`,
      found: `it has failed since ${new Date(failingSince).toISOString()} (${lastFailure})`,
      advice: `Try it with "npx vestibule webhook test ${id}". After five days it is disabled.`,
    });
  if (dead > 0)
    return doubtful(name, {
      found: `${dead} deliveries to ${id} were given up`,
      advice: `Once its receiver can take them, run "npx vestibule webhook replay ${id} --dead".`,
    });
  const success = lastSuccessAt === null ? 'never' : new Date(lastSuccessAt).toISOString();
  return passed(name, `${id} has an address that may be sent to; last success: ${success}`);
}
