import type { Sample } from './exposition.ts';

/** How often values fell between bounds, in plain numbers: to count one costs a few comparisons. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** Values at most as large as the bound of the same index and larger than the one before it; at the end all others. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index += 1;
    (this.#counts[index] as number) += 1;
    this.#sum += value;
  }

  samples(labels: Sample['labels'] = {}): Sample[] {
    let upTo = 0;
    const cumulative = [...this.#bounds, '+Inf'].map((le, index) => {
      upTo += this.#counts[index] as number;
      return { suffix: '_bucket', labels: { le, ...labels }, value: upTo };
    });
    return [
      ...cumulative,
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: upTo },
    ];
  }
}
