/** In place of what is not there yet. It fades in after a moment, so that what is quick does not flicker. */
export function Loading({ what, rows = 3 }: { readonly what: string; readonly rows?: number }) {
  return (
    <div class="loading" role="status">
      <span class="hidden">Loading {what}…</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="bone" />
      ))}
    </div>
  );
}

/** A whole page of waiting. */
export function Curtain({ text }: { readonly text: string }) {
  return (
    <main class="curtain" aria-busy="true">
      <div class="door" aria-hidden="true" />
      <p role="status">{text}</p>
    </main>
  );
}
