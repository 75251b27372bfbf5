import type { Keyring } from '../../auth/keyring.ts';
import { doubtful, type Finding, failed, passed } from '../../base/finding.ts';
import type { Config } from '../../config/settings.ts';
import { EgressError } from '../../events/webhooks/egress.ts';
import type { Storage } from '../../storage/port.ts';
import { webhookEgress } from '../administration.ts';
import { type ListedWebhook, listedWebhooks } from '../lists.ts';

const name = 'webhooks';

/** Whether each webhook may be sent to, and whether its receiver works. Nothing is sent to find out. */
export async function webhookFindings(config: Config, storage: Storage, keyring: Keyring) {
  const egress = webhookEgress(config);
  const webhooks = await listedWebhooks(storage, keyring);
  return Promise.all(
    webhooks.map(async (webhook) => {
      const fault = await egress.check(webhook.url).then(
        () => null,
        (error: unknown) => {
          if (error instanceof EgressError) return error.message;
          throw error;
        },
      );
      return webhookFinding(webhook, fault);
    }),
  );
}

function webhookFinding(webhook: ListedWebhook, fault: string | null): Finding {
  const { id, isGenuine, state, disabledBecause, failingSince, lastFailure, lastSuccessAt, dead } = webhook;
  if (!isGenuine)
    return failed(name, {
      expected: 'a webhook that was written by this service',
      found: `${id} is none`,
      advice: `It was changed in the database without the master secret, and nothing is sent to it. Find out by whom; then remove it with "npx vestibule webhook remove ${id} --yes" and add it again.`,
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
