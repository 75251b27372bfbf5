import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Arch } from '../parts/arch.tsx';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Notice } from '../parts/notice.tsx';
import type { Parting } from '../session/session.ts';
import type { ProviderSettings } from '../session/settings.ts';
import { findInvitation } from '../session/traces.ts';

/** The page for whoever is not signed in. */
export function Welcome({ because }: { readonly because: Parting | null }) {
  useEffect(() => {
    document.title = 'Vestibule';
  }, []);
  return (
    <main class="welcome">
      <div class="welcome-picture" aria-hidden="true">
        <Arch size={220} />
      </div>
      <div class="welcome-text">
        <p class="brand">Vestibule</p>
        <h1>Come in. Leave your name at the door.</h1>
        <p class="lead">
          You sign in with your provider. Your name and picture come straight to this page and go no further;
          the service behind it knows you by a pseudonym.
        </p>
        <PartingNotice because={because} />
        {findInvitation() !== null && (
          <Notice tone="plain" title="You are invited">
            <p>Sign in to accept it. The invitation waits in this tab.</p>
          </Notice>
        )}
        <WaysIn />
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
      <SignInButton onPress={() => session.signIn(first)}>Sign in</SignInButton>
      <p class="soft">
        At <strong>{new URL(first.issuer).host}</strong>. <a href="/docs">Read about the API</a>
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
              Sign in with {provider.title}
            </SignInButton>
            <p class="soft">
              At <strong>{new URL(provider.issuer).host}</strong>
            </p>
          </li>
        ))}
      </ul>
      <p class="soft">
        With each of them you have another pseudonym here: what you keep under one is not there under another.{' '}
        <a href="/docs">Read about the API</a>
      </p>
    </>
  );
}

interface SignInButtonProps {
  readonly children: ComponentChildren;
  onPress(): Promise<void>;
}

function SignInButton({ children, onPress }: SignInButtonProps) {
  return (
    <BusyButton class="primary large" busyLabel="On the way…" onPress={onPress}>
      {children}
    </BusyButton>
  );
}

function PartingNotice({ because }: { readonly because: Parting | null }) {
  if (because === null) return null;
  if (because === 'signed-out') {
    return (
      <Notice tone="good" title="You are signed out">
        <p>Everything that this page knew of you is gone from this browser.</p>
      </Notice>
    );
  }
  if (because === 'signed-out-here') {
    return (
      <Notice tone="bad" title="You are signed out here only">
        <p>The provider does not answer, so your session there goes on. Sign out there as well.</p>
      </Notice>
    );
  }
  if (because === 'ended') {
    return (
      <Notice tone="plain" title="Please sign in again">
        <p>Your session at the provider has ended. If you were typing, it is kept for you in this tab.</p>
      </Notice>
    );
  }
  if (because === 'denied') {
    return (
      <Notice tone="bad" title="You did not allow it">
        <p>That is your right. Without your consent at the provider nobody can come in.</p>
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title="The sign-in did not work">
      <p>{because.failed}</p>
    </Notice>
  );
}
