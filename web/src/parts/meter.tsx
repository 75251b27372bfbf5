import { useId } from 'preact/hooks';
import { displayNumber } from '../schema/display.ts';
import { t } from './words.ts';

interface MeterProps {
  readonly label: string;
  readonly used: number;
  readonly allowed: number;
  readonly note?: string;
}

/** Shows how much of a limit is used. */
export function Meter({ label, used, allowed, note }: MeterProps) {
  const id = useId();
  const share = allowed === 0 ? 1 : Math.min(1, used / allowed);
  const tone = share >= 1 ? 'full' : share >= 0.8 ? 'high' : '';
  return (
    <div class={`meter ${tone}`}>
      <div class="meter-head">
        <span id={id}>{label}</span>
        <span class="meter-count">{t.of(displayNumber(used), displayNumber(allowed))}</span>
      </div>
      <meter
        class="hidden"
        aria-labelledby={id}
        aria-valuetext={t.of(displayNumber(used), displayNumber(allowed))}
        min={0}
        max={allowed}
        value={used}
      />
      <div class="meter-bar" aria-hidden="true">
        <div class="meter-fill" style={{ width: `${share * 100}%` }} />
      </div>
      {note && <p class="meter-note">{note}</p>}
    </div>
  );
}
