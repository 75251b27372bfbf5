import { useApp } from '../parts/context.ts';
import { Notice } from '../parts/notice.tsx';

/** Explains a token that is bound to a key, and how to try it. */
export function BoundToken() {
  const { settings } = useApp();
  return (
    <section class="card" aria-labelledby="bound">
      <h2 id="bound">A copy of it does not work</h2>
      <Notice tone="good" title="Bound to a key that never leaves this browser">
        <p>
          The browser made the key when you signed in. No program can read it, not even this page, and it is
          deleted when the page is closed. With every request the page sends a proof that it made with the
          key.
        </p>
      </Notice>
      <p>To see this, copy the token and send it from a shell without a proof.</p>
      <pre>{`TOKEN='paste it here'
curl -i -H "Authorization: Bearer $TOKEN" ${location.origin}${settings.api}/me`}</pre>
      <p>
        The answer is <code>403 token_bound</code>: the token is valid, but the proof is missing.
      </p>
    </section>
  );
}
