import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { BrandLinks, BrandMark } from '../parts/brand.tsx';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Notice } from '../parts/notice.tsx';
import { t } from '../parts/words.ts';
import type { Parting } from '../session/session.ts';
import type { ProviderSettings } from '../session/settings.ts';
import { findInvitation } from '../session/traces.ts';

/** The page for a person who is not signed in. */
export function Welcome({ because }: { readonly because: Parting | null }) {
  const { brand } = useApp().settings;
  useEffect(() => {
    document.title = brand.title;
  }, [brand.title]);
  return (
    <main class="welcome">
      <div class="welcome-picture" aria-hidden="true">
        <BrandMark size={160} />
      </div>
      <div class="welcome-text">
        <p class="brand">{brand.title}</p>
        <h1>{t.welcome.title}</h1>
        <p class="lead">{t.welcome.lead}</p>
        <PartingNotice because={because} />
        {findInvitation() !== null && (
          <Said tone="plain" title={t.invitation.title} text={t.welcome.invited} />
        )}
        <WaysIn />
        <BrandLinks />
      </div>
    </main>
  );
}

/** One button, or one for each provider. */
function WaysIn() {
  const { session, settings } = useApp();
  const [first, ...others] = settings.providers;
  if (others.length > 0) return <Choice providers={settings.providers} />;
  return (
    <>
      <SignInButton onPress={() => session.signIn(first)}>{t.welcome.signIn}</SignInButton>
      <p class="soft">
        {t.welcome.at(new URL(first.issuer).host)} <ApiLink />
      </p>
    </>
  );
}

function Choice({ providers }: { readonly providers: readonly ProviderSettings[] }) {
  const { session } = useApp();
  return (
    <>
      <ul class="choice">
        {providers.map((provider) => (
          <li key={provider.issuer}>
            <SignInButton onPress={() => session.signIn(provider)}>
              {t.welcome.signInWith(provider.title)}
            </SignInButton>
            <p class="soft">{t.welcome.at(new URL(provider.issuer).host)}</p>
          </li>
        ))}
      </ul>
      <p class="soft">
        {t.welcome.others} <ApiLink />
      </p>
    </>
  );
}

/** For developers only. */
function ApiLink() {
  return useApp().settings.dev ? <a href="/docs">{t.welcome.docs}</a> : null;
}

interface SignInButtonProps {
  readonly children: ComponentChildren;
  onPress(): Promise<void>;
}

function SignInButton({ children, onPress }: SignInButtonProps) {
  return (
    <BusyButton class="primary large" busyLabel={t.welcome.signingIn} onPress={onPress}>
      {children}
    </BusyButton>
  );
}

function PartingNotice({ because }: { readonly because: Parting | null }) {
  switch (because) {
    case null:
      return null;
    case 'signed-out':
      return <Said tone="good" title={t.welcome.signedOut} text={t.welcome.forgotten} />;
    case 'signed-out-here':
      return <Said tone="bad" title={t.welcome.signedOutHere} text={t.welcome.stillThere} />;
    case 'ended':
      return <Said tone="plain" title={t.welcome.again} text={t.welcome.ended} />;
    case 'denied':
      return <Said tone="bad" title={t.welcome.denied} text={t.welcome.consent} />;
    default:
      return <Said tone="bad" title={t.welcome.failed} text={because.failed} />;
  }
}

interface SaidProps {
  readonly tone: 'plain' | 'good' | 'bad';
  readonly title: string;
  readonly text: string;
}

function Said({ tone, title, text }: SaidProps) {
  return (
    <Notice tone={tone} title={title}>
      <p>{text}</p>
    </Notice>
  );
}
