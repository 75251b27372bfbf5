import { t } from './words.ts';
/** A placeholder while something loads. It fades in after a moment, so that a quick answer does not flicker. */
export function Loading({ what, rows = 3 }: { readonly what: string; readonly rows?: number }) {
  return (
    <div class="loading" role="status">
      <span class="hidden">{t.loading(what)}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="bone" />
      ))}
    </div>
  );
}

/** A placeholder for the whole page. */
export function Curtain({ text }: { readonly text: string }) {
  return (
    <main class="curtain" aria-busy="true">
      <div class="door" aria-hidden="true" />
      <p role="status">{text}</p>
    </main>
  );
}
