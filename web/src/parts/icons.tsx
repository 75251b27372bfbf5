import type { ComponentChildren } from 'preact';

/** Drawn on a field of 20 by 20. */
const drawings = {
  search: 'M9 4a5 5 0 1 0 0 10a5 5 0 0 0 0-10M13 13l4 4',
  plus: 'M10 4v12M4 10h12',
  back: 'M12.5 4.5L7 10l5.5 5.5',
  list: 'M3.5 5.5h13M3.5 10h13M3.5 14.5h13',
  table: 'M3.5 4.5h13v11h-13zM3.5 8.5h13M9 8.5v7',
  board: 'M3.5 4h3.5v12H3.5zM8.5 4H12v8H8.5zM13.5 4H17v5h-3.5z',
  agenda: 'M10 3.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13M10 6.5V10l2.5 1.5',
  share: 'M10 12V3.5M7 6l3-2.5L13 6M5.5 9.5v6.5h9V9.5',
  note: 'M4.5 3.5h11v9l-4 4h-7zM11.5 16.5v-4h4',
  day: 'M3.5 5h13v11.5h-13zM3.5 8.5h13M7 3v3M13 3v3',
  people:
    'M7 4a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5M2.5 16c.3-3 2-4.5 4.5-4.5s4.2 1.5 4.5 4.5M13 5.5a2 2 0 1 1 0 4M14 11.5c2 .2 3.2 1.7 3.5 4',
  close: 'M5 5l10 10M15 5L5 15',
  clock: 'M10 3.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13M10 6.5V10h3',
} as const;

export type IconName = keyof typeof drawings | 'dots';

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <Drawing size={size}>
      {name === 'dots' ? (
        <path d="M4.5 10h.01M10 10h.01M15.5 10h.01" stroke-width="3.2" />
      ) : (
        <path d={drawings[name]} />
      )}
    </Drawing>
  );
}

function Drawing({ size, children }: { readonly size: number; readonly children: ComponentChildren }) {
  return (
    <svg
      class="icon-drawing"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}
