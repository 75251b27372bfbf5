import { Chart } from './chart.tsx';
import type { Data } from './data.ts';
import { bytes, milliseconds, number } from './format.ts';
import { Card, Section } from './parts.tsx';

const rate = (value: number | null) => `${number(value)}/s`;
const gauge = (name: string, line: readonly number[]) => [{ name, line, now: line.at(-1) ?? null }];

export function Traffic({ traffic }: Data) {
  const { requests, latency, refusals, loop, memory } = traffic;
  return (
    <Section id="traffic" title="Traffic">
      <Card>
        <Chart title="Requests by status" lines={requests} text={rate} empty="No requests in the last hour" />
      </Card>
      <Card>
        <Chart
          title="Refusals by reason"
          lines={refusals}
          text={rate}
          empty="Nothing was refused in the last hour"
        />
      </Card>
      <Card>
        <Chart title="Latency" lines={latency} text={milliseconds} empty="No requests in the last hour" />
      </Card>
      <Card>
        <Chart title="Event loop delay" lines={gauge('p99', loop)} text={milliseconds} empty="No delay yet" />
      </Card>
      <Card>
        <Chart
          title="Memory"
          lines={gauge('all processes', memory)}
          text={bytes}
          empty="The first value comes within 10 s"
        />
      </Card>
      <Card title="Counted">
        {traffic.by_status.length === 0 && <p class="soft">Nothing in the last hour</p>}
        <Counts caption="By status" rows={traffic.by_status} />
        <Counts caption="By reason" rows={traffic.by_refusal} />
      </Card>
    </Section>
  );
}

const maxRows = 8;

function Counts({
  caption,
  rows,
}: {
  readonly caption: string;
  readonly rows: Data['traffic']['by_status'];
}) {
  if (rows.length === 0) return null;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{caption}</th>
          <th scope="col">5 min</th>
          <th scope="col">1 h</th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, maxRows).map(({ name, recent, hour }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{number(recent)}</td>
            <td>{number(hour)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
