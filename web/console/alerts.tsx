import type { Alert, Data } from './data.ts';
import { duration } from './format.ts';
import { Card, Mark, type Mood, Prose, Section } from './parts.tsx';

export function Alerts({ alerts, alerts_elsewhere: elsewhere }: Data) {
  const active = alerts.filter(({ state }) => state !== 'ok');
  const quiet = alerts.filter(({ state }) => state === 'ok');
  return (
    <Section id="alerts" title="Alerts">
      <Card wide>
        {active.length === 0 && <Mark mood="good">No alert fires</Mark>}
        <ul class="rows">
          {active.map((alert) => (
            <AlertRow key={alert.name} {...alert} />
          ))}
        </ul>
        <details>
          <summary>{quiet.length} that do not fire</summary>
          <ul class="rows">
            {quiet.map((alert) => (
              <AlertRow key={alert.name} {...alert} />
            ))}
          </ul>
          <p class="soft">
            The rules of deploy/prometheus/alerts.yaml, evaluated by this service. {elsewhere.join(', ')} need
            Prometheus.
          </p>
        </details>
      </Card>
    </Section>
  );
}

function AlertRow({ name, severity, state, for_seconds: forSeconds, subjects, advice }: Alert) {
  const mood: Mood = state === 'ok' ? 'good' : state === 'firing' && severity === 'critical' ? 'bad' : 'warn';
  return (
    <li>
      <Mark mood={mood}>
        <b>{name}</b> {state === 'pending' ? `pending, and fires after ${duration(forSeconds)}` : state} (
        {severity})
      </Mark>
      {subjects.map(({ about, seconds }) => (
        <span key={about} class="soft">
          {about} for {duration(seconds)}
        </span>
      ))}
      <details open={state === 'firing'}>
        <summary>
          What to do<span class="hidden"> about {name}</span>
        </summary>
        {advice !== null && <Prose text={advice} />}
        <p class="soft small">docs/operations.md, "Alerts"</p>
      </details>
    </li>
  );
}
