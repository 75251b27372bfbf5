/** The logo: an arch with a door that is ajar. */
export function Arch({ size = 28 }: { readonly size?: number }) {
  return (
    <svg class="arch" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <path class="arch-wall" d="M4 30V15a12 12 0 0 1 24 0v15z" />
      <path class="arch-light" d="M9 30V16a7 7 0 0 1 14 0v14z" />
      <path class="arch-door" d="M14 30V18a5 5 0 0 1 7.5-4.3V30z" />
    </svg>
  );
}
