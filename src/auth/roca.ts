/**
 * Keys of a well-known faulty library (CVE-2017-15361, "ROCA") can be factored. Their primes are powers of 65537 modulo
 * many small primes, and so are their moduli: a modulus that is one for all of these is such a key, but for one chance
 * in some hundred million.
 */
const smallPrimes = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157];
const generator = 65_537;

export function isFactorable(modulus: Uint8Array): boolean {
  return smallPrimes.every((prime) => powersModulo(prime).has(remainder(modulus, prime)));
}

function powersModulo(prime: number): ReadonlySet<number> {
  const powers = new Set<number>();
  for (let power = 1; !powers.has(power); power = (power * generator) % prime) powers.add(power);
  return powers;
}

/** Of a big-endian number. */
function remainder(number: Uint8Array, divisor: number): number {
  return number.reduce((rest, byte) => (rest * 256 + byte) % divisor, 0);
}
