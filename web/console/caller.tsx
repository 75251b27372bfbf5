import { useState } from 'preact/hooks';
import { load, Refused } from './data.ts';
import { quoted } from './format.ts';
import { Card, Commands, Facts, Section } from './parts.tsx';

/** The output of `consumer show --json`. */
interface Held {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly registered_at: string;
  readonly signed_out_at: string | null;
  readonly session_ended_at: string | null;
  readonly records: readonly { readonly collection: string; readonly count: number }[];
}

/** There is no list of callers: the operator enters a pseudonym, for example from a report of the caller. */
export function CallerLookup({ token }: { readonly token: string }) {
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<Held | string | null>(null);
  const look = async (event: Event) => {
    event.preventDefault();
    const id = typed.trim();
    const path = `console/consumers/${encodeURIComponent(id)}`;
    setFound(
      await load<Held>(path, token).catch((error: unknown) =>
        error instanceof Refused && error.status === 404
          ? `There is no caller ${id}.`
          : `The service could not look it up: ${error instanceof Error ? error.message : 'no answer'}.`,
      ),
    );
  };
  return (
    <Section id="caller" title="A caller">
      <Card wide>
        <form class="lookup" onSubmit={(event) => void look(event)}>
          <label for="pseudonym">Pseudonym</label>
          <input
            id="pseudonym"
            placeholder="usr_..."
            required
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <button type="submit">Show</button>
        </form>
        <div role="status">
          {typeof found === 'string' && <p>{found}</p>}
          {found !== null && typeof found === 'object' && <HeldFacts {...found} />}
        </div>
      </Card>
    </Section>
  );
}

function HeldFacts({ id, kind, state, records, ...times }: Held) {
  const word = quoted(id);
  return (
    <>
      <Facts
        facts={[
          ['Caller', id],
          ['Kind', kind],
          ['State', state],
          ['Registered', times.registered_at],
          times.signed_out_at === null ? null : ['Tokens refused up to', times.signed_out_at],
          times.session_ended_at === null ? null : ['Session ended', times.session_ended_at],
          ...records.map(({ collection, count }) => [`Records in ${collection}`, String(count)] as const),
        ]}
      />
      <Commands
        of={id}
        all={[
          `consumer ${state === 'active' ? 'suspend' : 'resume'} ${word}`,
          `consumer sign-out ${word}`,
          `consumer erase ${word} --yes`,
        ]}
      />
    </>
  );
}
