import { useEffect, useState } from 'preact/hooks';

/** The one breakpoint, as in the styles. */
const wide = matchMedia('(min-width: 900px)');

/** True on a desk, false on a phone. */
export function useWide(): boolean {
  const [isWide, setWide] = useState(wide.matches);
  useEffect(() => {
    const update = () => setWide(wide.matches);
    wide.addEventListener('change', update);
    return () => wide.removeEventListener('change', update);
  }, []);
  return isWide;
}
