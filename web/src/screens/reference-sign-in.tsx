import { useEffect } from 'preact/hooks';
import { useApp } from '../parts/context.ts';
import { t } from '../parts/words.ts';

/**
 * Gives the access token to the reference page (/docs) that opened this window. The message reaches pages of this origin
 * only, and that with this word takes it.
 */
export function ReferenceSignIn({ word }: { readonly word: string }) {
  const { session } = useApp();
  useEffect(() => {
    document.title = t.reference.signedIn;
    void session.accessToken().then((token) => {
      const channel = new BroadcastChannel('vestibule.reference');
      channel.postMessage({ word, token });
      channel.close();
      window.close();
    });
  }, [session, word]);
  return (
    <main class="down">
      <h1>{t.reference.signedIn}</h1>
      <p>{t.reference.closeWindow}</p>
    </main>
  );
}
