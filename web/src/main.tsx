import { render } from 'preact';
import { Api } from './api/api.ts';
import { App } from './app.tsx';
import { Curtain } from './parts/loading.tsx';
import { ServiceDown } from './screens/service-down.tsx';
import { Session } from './session/session.ts';
import { loadSettings } from './session/settings.ts';

const place = document.getElementById('app') as HTMLElement;

async function start(): Promise<void> {
  render(<Curtain text="One moment…" />, place);
  const settings = await loadSettings().catch(() => null);
  if (settings === null) return render(<ServiceDown onRetry={() => void start()} />, place);
  const session = new Session(settings);
  const api = new Api(settings.api, session);
  render(<App settings={settings} session={session} api={api} />, place);
  await session.start();
}

void start();
