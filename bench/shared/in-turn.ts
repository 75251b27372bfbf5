import { median } from './statistics.ts';

export interface Rate {
  readonly perSecond: number;
  /** Of one. */
  readonly cpuMicroseconds: number;
}

export type Slice<Name extends string> = Readonly<Record<Name, Rate>>;

/**
 * A short measurement of each, so many times: machines that are shared change their speed from one second to the next, and
 * only what was measured within seconds of each other can be compared.
 */
export async function measureInTurn<Name extends string>(
  measures: Readonly<Record<Name, () => Promise<Rate>>>,
  slices: number,
): Promise<readonly Slice<Name>[]> {
  const inOrder = Object.entries(measures) as [Name, () => Promise<Rate>][];
  const measured: Slice<Name>[] = [];
  for (let count = 0; count < slices; count += 1) {
    const slice = {} as Record<Name, Rate>;
    // Who is first is last the next time: a core that was idle starts slowly.
    for (const [name, measure] of count % 2 === 0 ? inOrder : inOrder.toReversed())
      slice[name] = await measure();
    measured.push(slice);
  }
  return measured;
}

export function medianRate<Name extends string>(slices: readonly Slice<Name>[], name: Name): Rate {
  const of = (figure: keyof Rate) => median(slices.map((slice) => slice[name][figure]));
  return { perSecond: of('perSecond'), cpuMicroseconds: of('cpuMicroseconds') };
}

/** The median of the slices' own ratios: how much of what another does one does, by rate and by the CPU that it takes. */
export function ratio<Name extends string>(slices: readonly Slice<Name>[], one: Name, other: Name) {
  return {
    byRate: median(slices.map((slice) => slice[one].perSecond / slice[other].perSecond)),
    byCpu: median(slices.map((slice) => slice[other].cpuMicroseconds / slice[one].cpuMicroseconds)),
  };
}
