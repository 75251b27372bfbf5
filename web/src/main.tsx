import { render } from 'preact';
import { connect } from './api/connect.ts';
import { OwnWrites } from './api/own-writes.ts';
import { App } from './app.tsx';
import { attend } from './events/attend.ts';
import { Curtain } from './parts/loading.tsx';
import { loadWords, t } from './parts/words.ts';
import { ServiceDown } from './screens/service-down.tsx';
import { Session } from './session/session.ts';
import { loadSettings } from './session/settings.ts';
import { takeInvitation } from './session/traces.ts';

const place = document.getElementById('app') as HTMLElement;

async function start(): Promise<void> {
  const loading = loadSettings().catch(() => null);
  await loadWords();
  document.documentElement.lang = t.language;
  render(<Curtain text={t.moment} />, place);
  const settings = await loading;
  if (settings === null) return render(<ServiceDown onRetry={() => void start()} />, place);
  const session = new Session(settings);
  const quietApi = connect(session, false);
  attend(quietApi);
  const parts = { settings, session, api: connect(session, true), quietApi, writes: new OwnWrites() };
  render(<App parts={parts} />, place);
  await session.start();
}

takeInvitation();
addEventListener('hashchange', takeInvitation);
void start();
