import { Chart } from './chart.tsx';
import type { Data } from './data.ts';
import { bytes, milliseconds, number } from './format.ts';
import { Card, Facts, Section } from './parts.tsx';

const rate = (value: number | null) => `${number(value)}/s`;
const gauge = (name: string, line: readonly number[]) => [{ name, line, now: line.at(-1) ?? null }];

export function Traffic(data: Data) {
  const { traffic } = data;
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
      <Card title="Counted by status">
        <Counts caption="Status" rows={traffic.by_status} />
      </Card>
      <Card title="Counted by reason">
        <Counts caption="Reason" rows={traffic.by_refusal} />
      </Card>
      <Writes {...data} />
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
  if (rows.length === 0) return <p class="soft">Nothing in the last hour</p>;
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

function Writes({ write_queue: queue, sessions }: Data) {
  return (
    <Card title="Write queue">
      <Facts
        facts={[
          ['Waiting writes', number(queue.length)],
          ['Longest wait', milliseconds(queue.oldest_seconds)],
          ['Committed', `${number(queue.records_per_second)}/s`],
          sessions.limit === null
            ? null
            : [
                'PostgreSQL sessions',
                `${number(sessions.in_use)} of ${number(sessions.limit)} in use, ${number(sessions.waiting)} wait`,
              ],
        ]}
      />
    </Card>
  );
}
