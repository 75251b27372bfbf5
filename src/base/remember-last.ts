/** A pure function that answers at once when it is asked again what it was asked last. */
export function rememberLast<K, V>(compute: (key: K) => V): (key: K) => V {
  let last: { readonly key: K; readonly value: V } | null = null;
  return (key) => {
    if (last === null || last.key !== key) last = { key, value: compute(key) };
    return last.value;
  };
}
