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
  const [path = ''] = hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/');
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

/** What stands behind `?` in the address: how the page is shown. A change of it is no new page. */
export function useAddressOption(name: string): [string | null, (value: string) => void] {
  const read = () => new URLSearchParams(location.hash.split('?')[1] ?? '').get(name);
  const [value, setValue] = useState(read);
  useEffect(() => {
    const update = () => setValue(read());
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, [name]);
  const set = (next: string) => {
    const [path = '', query = ''] = location.hash.split('?');
    const options = new URLSearchParams(query);
    options.set(name, next);
    history.replaceState(null, '', `${path}?${options}`);
    setValue(next);
  };
  return [value, set];
}
