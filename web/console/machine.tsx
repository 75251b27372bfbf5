import type { Data, Process } from './data.ts';
import { bytes, milliseconds, number, since } from './format.ts';
import { Card, Commands, Facts, Mark, Section } from './parts.tsx';

export function Machine({ at, machine, settings }: Data) {
  const { processes, wanted, serving, ended, cpu } = machine;
  const isWhole = serving >= wanted && processes.every(({ answers }) => answers);
  return (
    <Section id="machine" title="Machine">
      <Card title="Processes" wide>
        <Mark mood={isWhole ? 'good' : 'bad'}>
          {serving} of {wanted} serving
        </Mark>
        <table>
          <thead>
            <tr>
              {['No.', 'Up', 'Memory', 'Delay', 'Sockets'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {processes.map((process) => (
              <ProcessRow key={process.process} at={at} {...process} />
            ))}
          </tbody>
        </table>
        <Facts
          facts={[
            ['Processor time', `${number(cpu * 100)} % of a core`],
            ['Live streams', number(processes.reduce((sum, { streams }) => sum + (streams ?? 0), 0))],
            ['Ended unexpectedly', number(ended)],
          ]}
        />
      </Card>
      <Card title="Settings in force" wide>
        <Settings settings={settings} />
        <Commands of="the settings" all={['check', 'check --all', 'doctor']} />
      </Card>
    </Section>
  );
}

function ProcessRow({ at, ...one }: Process & { readonly at: string }) {
  if (!one.answers)
    return (
      <tr>
        <th scope="row">{one.process}</th>
        <td colSpan={4}>
          <Mark mood="bad">does not answer</Mark>
        </td>
      </tr>
    );
  return (
    <tr>
      <th scope="row">{one.process}</th>
      <td>{one.started_at === null ? '–' : since(one.started_at, at)}</td>
      <td>{bytes(one.memory_bytes)}</td>
      <td>{milliseconds(one.loop_p99_seconds)}</td>
      <td>{number(one.connections)}</td>
    </tr>
  );
}

function Settings({ settings }: Pick<Data, 'settings'>) {
  const shown = (from: string) =>
    settings
      .filter((setting) => setting.from === from)
      .map(({ name, value }) => [name, value ?? 'none'] as const);
  return (
    <>
      <details>
        <summary>{shown('set').length} that are set</summary>
        <Facts facts={shown('set')} isLong />
      </details>
      <details>
        <summary>{shown('default').length} with their defaults</summary>
        <Facts facts={shown('default')} isLong />
      </details>
    </>
  );
}
