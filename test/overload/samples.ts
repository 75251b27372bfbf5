export class Samples {
  readonly #values: number[] = [];

  add(milliseconds: number): void {
    this.#values.push(milliseconds);
  }

  get count(): number {
    return this.#values.length;
  }

  /** In a text: how many, and the times. */
  toString(): string {
    if (this.count === 0) return 'none';
    const sorted = this.#values.toSorted((one, other) => one - other);
    const at = (part: number) => Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0);
    return `${this.count}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
  }
}
