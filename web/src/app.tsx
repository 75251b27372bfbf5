import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Announcement, Announcer } from './parts/announcer.tsx';
import { AppContext, type AppParts } from './parts/context.ts';
import { Curtain } from './parts/loading.tsx';
import { useOnline } from './parts/use-clock.ts';
import { useRoute } from './parts/use-route.ts';
import { t } from './parts/words.ts';
import { dateFormat } from './schema/display.ts';
import { Inside } from './screens/inside.tsx';
import { ProviderDown } from './screens/provider-down.tsx';
import { ReferenceSignIn } from './screens/reference-sign-in.tsx';
import { Welcome } from './screens/welcome.tsx';
import type { Session, Stage } from './session/session.ts';

export function App({ parts }: { readonly parts: Omit<AppParts, 'announce'> }) {
  const { session } = parts;
  const [latest, setLatest] = useState<Announcement | null>(null);
  const app: AppParts = useMemo(() => {
    const announce = (text: string) => setLatest((before) => ({ text, number: (before?.number ?? 0) + 1 }));
    return { ...parts, announce };
  }, [parts]);
  const isOnline = useOnline();
  const since = useMemo(() => new Date(), [isOnline]);
  return (
    <AppContext.Provider value={app}>
      {!isOnline && (
        <p class="offline" role="alert">
          {t.frame.offline(dateFormat({ timeStyle: 'short' }).format(since))}
        </p>
      )}
      <Staged stage={useStage(session)} session={session} />
      <Announcer latest={latest} />
    </AppContext.Provider>
  );
}

function Staged({ stage, session }: { readonly stage: Stage; readonly session: Session }) {
  switch (stage.name) {
    case 'starting':
      return <Curtain text={t.moment} />;
    case 'leaving':
      return <Curtain text={stage.isOut ? t.welcome.signingOut : t.welcome.signingIn} />;
    case 'provider-down':
      return <ProviderDown onRetry={() => void session.start()} />;
    case 'signed-out':
      return <Welcome because={stage.because} />;
    case 'signed-in':
      return <SignedIn />;
  }
}

function SignedIn() {
  const [page, word] = useRoute();
  return page === 'reference' && word !== undefined ? <ReferenceSignIn word={word} /> : <Inside />;
}

function useStage(session: Session): Stage {
  const [stage, setStage] = useState(session.stage);
  useEffect(() => {
    setStage(session.stage);
    return session.subscribe(() => setStage(session.stage));
  }, [session]);
  return stage;
}
