import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';

const lowest = 19;

/**
 * Lets the thread that calls this give way to others: the lower its priority, the more. Linux has a priority for each
 * thread; elsewhere it would be that of the whole process, so everything stays as it is. With one core it also sleeps in
 * between: see `breathe`.
 */
export function giveWay(priority = lowest): void {
  if (process.platform !== 'linux') return;
  setPriorityOf(0, priority);
  breathes = availableParallelism() === 1;
}

/** How long a thread works before it sleeps for a moment: about as long as a request takes. */
const breathAfterMs = 0.5;
/** The kernel makes it 0.06. */
const breathMs = 0.01;
/** What the event loop must have slept to count as a breath: it also looks whether there is anything to wait for. */
const sleepMs = 0.03;
const nobodyWakesIt = new Int32Array(new SharedArrayBuffer(4));

let breathes = false;
/** Counted from the first call after it woke. */
let awakeSince = 0;
let sleptBefore = 0;

/**
 * To be called between two pieces of work. A thread that gives way, and shares one core with all others, sleeps for
 * a moment when it has long been awake. Its priority alone is not enough: the kernel lets whoever has just begun go on
 * until it sleeps or some milliseconds are over. Other threads never sleep here.
 */
export function breathe(): void {
  if (!breathes) return;
  const now = performance.now();
  const slept = performance.nodeTiming.idleTime;
  const hasJustSlept = slept - sleptBefore > sleepMs;
  sleptBefore = slept;
  if (hasJustSlept) awakeSince = now;
  if (now - awakeSince < breathAfterMs) return;
  Atomics.wait(nobodyWakesIt, 0, 0, breathMs);
  awakeSince = performance.now();
}

/**
 * The same for the threads of the engine that collect garbage and compile, where they have no other core to do it on:
 * they go on for milliseconds, and put aside whoever answers requests.
 */
export function letEngineGiveWay(priority: number): void {
  if (process.platform !== 'linux' || availableParallelism() > 1) return;
  for (const thread of readdirSync(threadFolder)) {
    if (nameOf(thread).endsWith('V8Worker')) setPriorityOf(Number(thread), priority);
  }
}

const threadFolder = '/proc/self/task';

function nameOf(thread: string): string {
  try {
    return readFileSync(`${threadFolder}/${thread}/comm`, 'utf8').trim();
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

function setPriorityOf(thread: number, priority: number): void {
  try {
    setPriority(thread, priority);
  } catch {
    // Where that is not allowed the priority stays as it is.
  }
}
