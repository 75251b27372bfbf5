import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Child } from './child.ts';

const askEveryMs = 10_000;
/** More than one: where all processes stood still, as on a machine that was suspended, the first answer comes late, too. */
const mostUnanswered = 3;

/**
 * Kills a process that takes connections and has not answered for 30 seconds: the system goes on giving it callers, and
 * nobody serves them. Another takes its place. Settles when there is no more to look after.
 */
export async function killWhenSilent(
  child: Pick<Child, 'process' | 'isListening' | 'ask' | 'signal'>,
  clock: Clock,
  log: Log,
): Promise<void> {
  let unanswered = 0;
  while (child.isListening && unanswered < mostUnanswered) {
    if ((await child.ask('live', askEveryMs)) === null) unanswered += 1;
    else {
      unanswered = 0;
      await new Promise<void>((resolve) => clock.after(askEveryMs, resolve));
    }
  }
  if (!child.isListening) return;
  const silentForSeconds = (mostUnanswered * askEveryMs) / 1000;
  log.error({ process: child.process, seconds: silentForSeconds }, 'a process does not answer and is killed');
  child.signal('SIGKILL');
}
