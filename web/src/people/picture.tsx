import { digitsOf } from './person.ts';

type Digit = (place: number) => number;

/** A picture of a person, drawn from the alias: one of six plants and places in the person's own colours. */
export function Picture({ alias, size = 22 }: { readonly alias: string; readonly size?: number }) {
  const digit = digitsOf(alias);
  const hue = digit(2) * 5.625;
  const isDark = digit(3) % 2 === 0;
  const tones = {
    ground: `hsl(${hue} 40% ${isDark ? 30 : 84}%)`,
    main: `hsl(${hue + 20} 45% ${isDark ? 84 : 30}%)`,
    accent: `hsl(${hue + 120 + (digit(4) % 4) * 40} 65% ${isDark ? 70 : 45}%)`,
  };
  const Drawing = drawings[digit(5) % drawings.length] as (typeof drawings)[number];
  return (
    <svg class="picture" width={size} height={size} viewBox="-20 -20 40 40" aria-hidden="true">
      <circle r="20" fill={tones.ground} />
      <Drawing digit={digit} {...tones} />
    </svg>
  );
}

interface DrawingProps {
  readonly digit: Digit;
  readonly main: string;
  readonly accent: string;
}

const drawings = [Blossom, Tree, Sunrise, Shell, Fish, Stars] as const;

function Blossom({ digit, main, accent }: DrawingProps) {
  const petals = 4 + (digit(6) % 5);
  return (
    <>
      {Array.from({ length: petals }, (_, n) => (
        <circle
          key={n}
          r={4 + (digit(7) % 3)}
          cy={-9}
          fill={accent}
          transform={`rotate(${(360 / petals) * n + digit(8)})`}
        />
      ))}
      <circle r={4 + (digit(9) % 2)} fill={main} />
    </>
  );
}

function Tree({ digit, main, accent }: DrawingProps) {
  const tiers = 2 + (digit(6) % 2);
  const lean = (digit(7) % 5) * 3 - 6;
  return (
    <g transform={`rotate(${lean} 0 15)`}>
      <rect x="-1.5" y="4" width="3" height="12" fill={accent} />
      {Array.from({ length: tiers }, (_, n) => (
        <path key={n} d={`M0 ${-15 + n * 6}l${6 + n * 2} 10h${-12 - n * 4}z`} fill={main} />
      ))}
      {digit(8) % 2 === 0 && <circle cx="3" cy="0" r="2" fill={accent} />}
    </g>
  );
}

function Sunrise({ digit, main, accent }: DrawingProps) {
  const high = digit(6) % 7;
  const wide = 8 + (digit(7) % 6);
  return (
    <>
      <circle cx={(digit(8) % 13) - 6} cy={-2 - high} r={5 + (digit(9) % 3)} fill={accent} />
      <path d={`M-19.4 5Q${-wide} -4 0 5T19.4 5A20 20 0 0 1 -19.4 5z`} fill={main} />
    </>
  );
}

function Shell({ digit, main, accent }: DrawingProps) {
  const ribs = 3 + (digit(6) % 3);
  return (
    <g transform={`rotate(${(digit(7) % 9) * 10 - 40})`}>
      <path d="M0 12L-12 -4A13 13 0 0 1 12 -4z" fill={accent} />
      {Array.from({ length: ribs }, (_, n) => (
        <path
          key={n}
          d="M0 11V-9"
          stroke={main}
          stroke-width="1.8"
          transform={`rotate(${-36 + (72 / (ribs - 1)) * n} 0 12)`}
        />
      ))}
    </g>
  );
}

function Fish({ digit, main, accent }: DrawingProps) {
  const long = 9 + (digit(6) % 4);
  return (
    <g transform={`rotate(${(digit(7) % 7) * 12 - 36}) scale(${digit(8) % 2 === 0 ? 1 : -1} 1)`}>
      <path d={`M${long - 2} 0l6 -6v12z`} fill={accent} />
      <ellipse rx={long} ry={5 + (digit(9) % 3)} fill={main} />
      <circle cx={-long / 2} cy="-1" r="1.5" fill={accent} />
    </g>
  );
}

function Stars({ digit, main, accent }: DrawingProps) {
  const count = 3 + (digit(6) % 3);
  return (
    <>
      {Array.from({ length: count }, (_, n) => (
        <path
          key={n}
          d="M0 -5L1.4 -1.4L5 0L1.4 1.4L0 5L-1.4 1.4L-5 0L-1.4 -1.4z"
          fill={n % 2 === 0 ? accent : main}
          transform={`rotate(${(360 / count) * n + digit(7)}) translate(0 -10) scale(${0.8 + (digit(8 + n) % 4) / 5})`}
        />
      ))}
      <circle r="3.5" fill={main} />
    </>
  );
}
