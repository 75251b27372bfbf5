import type { Client, Data, Provider } from './data.ts';
import { ahead, duration, number, quoted, since } from './format.ts';
import { Card, Commands, Facts, Mark, Section } from './parts.tsx';

export function Identity({ at, providers, signing_keys: keys, database, ...data }: Data) {
  const clients = database?.value?.clients ?? [];
  const left = (database?.value?.clients_in_all ?? 0) - clients.length;
  return (
    <Section id="identity" title="Identity">
      {providers?.map((provider) => (
        <ProviderCard key={provider.name} {...provider} />
      ))}
      <Card title="Tokens of this service">
        {keys !== undefined && (
          <Facts
            facts={keys.map(({ kid, algorithm, signs_from: from, retires_at: retires }) => [
              `${kid.slice(0, 8)}… ${algorithm}`,
              Date.parse(from) > Date.parse(at)
                ? `signs in ${ahead(from, at)}`
                : retires === null
                  ? `signs for ${since(from, at)}`
                  : `retires in ${ahead(retires, at)}`,
            ])}
          />
        )}
        <Facts
          facts={[
            ['Signatures waiting', number(data.signatures_waiting)],
            [
              'Sign-outs, 1 h',
              `${number(data.sign_outs.logout ?? 0)} by a provider, ${number(data.sign_outs.client ?? 0)} by clients`,
            ],
            ['Revocations kept', number(data.revocations)],
          ]}
        />
        <Commands of="signing keys" all={['keys list', 'keys rotate', 'consumer sign-out usr_...']} />
      </Card>
      <Card title="Machine clients" wide>
        {clients.length === 0 && <p class="soft">There are no clients yet.</p>}
        <ul class="rows">
          {clients.map((client) => (
            <ClientRow key={client.id} at={at} {...client} />
          ))}
        </ul>
        {left > 0 && <p class="soft">{left} more: npx vestibule client list</p>}
        {clients.length === 0 && <Commands of="clients" all={['client add billing']} />}
      </Card>
    </Section>
  );
}

function ProviderCard(provider: Provider) {
  const { name, usable, last_fault: fault, age_seconds: age } = provider;
  return (
    <Card title={name === 'provider' ? 'Provider' : `Provider ${name}`}>
      <Mark mood={!usable ? 'bad' : fault === null ? 'good' : 'warn'}>
        {usable ? (fault === null ? 'Keys available' : 'Older keys in use') : 'No keys'}
      </Mark>
      <Facts
        facts={[
          ['Usable keys', number(provider.keys)],
          ['Fetched', age === null ? 'never' : `${duration(age)} ago`],
          ['Next fetch', `in ${duration(provider.next_fetch_seconds)}`],
          ['Usable for', duration(provider.stale_seconds_left)],
          fault === null ? null : ['Last failure', fault],
          provider.alarming_keys === 0
            ? null
            : ['Keys that must not be used', number(provider.alarming_keys)],
        ]}
      />
      <Commands of={name} all={['doctor', 'explain < token.txt']} />
    </Card>
  );
}

function ClientRow({ at, id, label, state, secrets }: Client & { readonly at: string }) {
  const uses = secrets.map(({ last_used_on: day }) => day).filter((day) => day !== null);
  const ends = secrets.map(({ expires_at: end }) => end).filter((end) => end !== null);
  const word = quoted(id);
  const toggle = state === 'disabled' ? 'enable' : 'disable';
  return (
    <li>
      <b>{id}</b> {label !== '' && <span class="soft">{label}</span>}
      <Mark mood={state === 'active' ? 'good' : state === 'disabled' ? 'quiet' : 'bad'}>{state}</Mark>
      <span class="soft">
        {secrets.length === 0
          ? 'signs with its own key'
          : `${secrets.length} ${secrets.length === 1 ? 'secret' : 'secrets'}`}
        {uses.length > 0 && `, last used on ${uses.toSorted().at(-1)?.slice(0, 10)}`}
        {ends.map((end) => `, one ends in ${ahead(end, at)}`)}
      </span>
      <Commands of={id} all={[`client rotate ${word} --retire-after 7d`, `client ${toggle} ${word}`]} />
    </li>
  );
}
