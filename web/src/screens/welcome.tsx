import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Arch } from '../parts/arch.tsx';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Notice } from '../parts/notice.tsx';
import type { Parting } from '../session/session.ts';
import type { ProviderSettings } from '../session/settings.ts';
import { findInvitation } from '../session/traces.ts';

/** The page for a person who is not signed in. */
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
        <h1>Sign in. Your name stays with your provider.</h1>
        <p class="lead">
          Your provider sends your name and picture to this page only. The service behind it never gets them:
          it knows you by a pseudonym.
        </p>
        <PartingNotice because={because} />
        {findInvitation() !== null && (
          <Notice tone="plain" title="You are invited">
            <p>Sign in to accept it. This tab keeps the invitation until then.</p>
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
        You have another pseudonym with each provider. Records that you make with one are not there with
        another. <a href="/docs">Read about the API</a>
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
        <p>This page has deleted all that it knew about you from this browser.</p>
      </Notice>
    );
  }
  if (because === 'signed-out-here') {
    return (
      <Notice tone="bad" title="You are signed out of this page only">
        <p>The provider does not answer, so you are still signed in there. Sign out there, too.</p>
      </Notice>
    );
  }
  if (because === 'ended') {
    return (
      <Notice tone="plain" title="Please sign in again">
        <p>Your session at the provider has ended. What you typed is kept in this tab.</p>
      </Notice>
    );
  }
  if (because === 'denied') {
    return (
      <Notice tone="bad" title="You did not allow it">
        <p>This page needs your consent at the provider. To use it, sign in again and allow it.</p>
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title="The sign-in did not work">
      <p>{because.failed}</p>
    </Notice>
  );
}
