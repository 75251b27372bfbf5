import type { Data, Webhook } from './data.ts';
import { ago, ahead, number, since } from './format.ts';
import { Card, Commands, Facts, Mark, type Mood, Section } from './parts.tsx';

export function Delivery({ at, database }: Data) {
  const stored = database?.value ?? null;
  const webhooks = stored?.webhooks ?? [];
  const left = (stored?.webhooks_in_all ?? 0) - webhooks.length;
  return (
    <Section id="delivery" title="Delivery">
      {webhooks.map((webhook) => (
        <WebhookCard key={webhook.id} at={at} last={stored?.events.last ?? 0} {...webhook} />
      ))}
      {webhooks.length === 0 && (
        <Card title="Webhooks">
          <p class="soft">There are no webhooks yet.</p>
          <Commands of="webhooks" all={["webhook add https://hooks.example.org/ --events '*'"]} />
        </Card>
      )}
      {left > 0 && <p class="soft">{left} more: npx vestibule webhook list</p>}
    </Section>
  );
}

function moodOf({
  state,
  failing_since: failing,
  dead,
  paused_until: paused,
}: Webhook): readonly [Mood, string] {
  if (state === 'not genuine') return ['bad', 'Changed without the master secret: nothing is sent'];
  if (state === 'disabled') return ['quiet', 'Disabled'];
  if (paused !== null) return ['bad', 'Paused: the circuit is open, or the receiver asked for it'];
  if (failing !== null) return ['warn', 'Failing'];
  return dead > 0 ? ['warn', 'Delivers, with dead letters'] : ['good', 'Delivers'];
}

function WebhookCard({ at, last, ...webhook }: Webhook & { readonly at: string; readonly last: number }) {
  const { id, failing_since: failing, paused_until: paused, disabled_at: disabledAt } = webhook;
  const [mood, text] = moodOf(webhook);
  return (
    <Card title={id}>
      <Mark mood={mood}>{text}</Mark>
      <Facts
        facts={[
          ['Receiver', webhook.origin],
          ['Events', webhook.events],
          [
            'Oldest undelivered',
            webhook.oldest_undelivered_at === null ? 'none' : ago(webhook.oldest_undelivered_at, at),
          ],
          ['Delivered', `${number(webhook.delivered)}, last ${ago(webhook.last_success_at, at)}`],
          ['Dead letters', number(webhook.dead)],
          ['Events behind', `${number(Math.max(last - webhook.position, 0))} positions`],
          webhook.last_failure === null ? null : ['Last failure', webhook.last_failure],
          failing === null
            ? null
            : ['Failing', `for ${since(failing, at)}, ${number(webhook.failures)} in a row`],
          paused === null ? null : ['Next try', `in ${ahead(paused, at)}`],
          disabledAt === null ? null : ['Disabled unless a delivery succeeds', `in ${ahead(disabledAt, at)}`],
          webhook.disabled_because === null ? null : ['Disabled because', webhook.disabled_because],
        ]}
      />
      <Commands
        of={id}
        all={[
          `webhook show ${id}`,
          `webhook test ${id}`,
          `webhook deliveries ${id} --dead`,
          `webhook replay ${id} --dead`,
          `webhook ${webhook.state === 'disabled' ? 'enable' : 'disable'} ${id}`,
        ]}
      />
    </Card>
  );
}
