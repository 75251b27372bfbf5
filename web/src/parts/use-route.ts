import { useEffect, useState } from 'preact/hooks';

/** The route: the parts of the address after `#/`. */
export function useRoute(): readonly string[] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return partsOf(hash);
}

function partsOf(hash: string): readonly string[] {
  const parts = hash.replace(/^#\/?/, '').split('/');
  try {
    return parts.filter((part) => part !== '').map(decodeURIComponent);
  } catch {
    // The person has typed an address that is not valid.
    return [hash];
  }
}

export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

export function goTo(...parts: readonly string[]): void {
  location.hash = linkTo(...parts);
}
