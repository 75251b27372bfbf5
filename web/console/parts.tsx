import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

export type Mood = 'good' | 'warn' | 'bad' | 'quiet';

/** Moods differ in shape, too, for people who cannot see the colours. */
const shapes: Readonly<Record<Mood, string>> = {
  good: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z',
  warn: 'M8 1.5 15 14H1z',
  bad: 'M2 2h12v12H2z',
  quiet: 'M2 7h12v2H2z',
};

export function Mark({ mood, children }: { readonly mood: Mood; readonly children: ComponentChildren }) {
  return (
    <span class={`mark ${mood}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={shapes[mood]} />
      </svg>
      <span>{children}</span>
    </span>
  );
}

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Section({ id, title, children }: SectionProps) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <div class="cards">{children}</div>
    </section>
  );
}

interface CardProps {
  readonly title?: ComponentChildren;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

export function Card({ title, wide = false, children }: CardProps) {
  return (
    <article class={wide ? 'card wide' : 'card'}>
      {title !== undefined && <h3>{title}</h3>}
      {children}
    </article>
  );
}

export type Fact = readonly [name: string, value: ComponentChildren];

interface FactsProps {
  readonly facts: readonly (Fact | null)[];
  /** In columns if there is room. */
  readonly isLong?: boolean;
}

export function Facts({ facts, isLong = false }: FactsProps) {
  return (
    <dl class={isLong ? 'facts long' : 'facts'}>
      {facts
        .filter((fact) => fact !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Commands for the operator. The page itself changes nothing. */
export function Commands({ of, all }: { readonly of: string; readonly all: readonly string[] }) {
  return (
    <details class="commands">
      <summary>
        Commands<span class="hidden"> for {of}</span>
      </summary>
      {all.map((command) => (
        <Command key={command} text={`npx vestibule ${command}`} />
      ))}
    </details>
  );
}

function Command({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const code = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    } catch {
      // Without TLS a browser offers the clipboard on loopback only.
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
    }
  };
  return (
    <p class="command">
      <code ref={code}>{text}</code>
      <button type="button" onClick={() => void copy()}>
        <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
        <span class="hidden"> {text}</span>
      </button>
    </p>
  );
}

/** Text of a document, with the parts in backticks as code. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <p>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}</p>
  );
}
