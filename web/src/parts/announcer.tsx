import { useEffect, useState } from 'preact/hooks';

export interface Announcement {
  readonly text: string;
  readonly number: number;
}

const shownForMs = 5000;

/** What has just been done, for eyes and for screen readers. The region is always there, or nobody would hear of it. */
export function Announcer({ latest }: { readonly latest: Announcement | null }) {
  const [shown, setShown] = useState<Announcement | null>(null);
  useEffect(() => {
    setShown(latest);
    const timer = setTimeout(() => setShown(null), shownForMs);
    return () => clearTimeout(timer);
  }, [latest]);
  return (
    <div class="announcer" role="status" aria-live="polite">
      {shown !== null && shown.text !== '' && (
        <p key={shown.number} class="toast">
          {shown.text}
        </p>
      )}
    </div>
  );
}
