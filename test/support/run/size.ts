/**
 * What `npm test` does a part of, where that part shows as much, and `npm run test:large` all of: the same rule with so
 * many rows or rounds that they take minutes.
 */
export function sized(usual: number, large: number): number {
  return process.env.VESTIBULE_TEST_LARGE === 'yes' ? large : usual;
}
