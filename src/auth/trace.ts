import { Refusal } from '../base/errors.ts';

/** The steps of a verification, in the order in which they run. */
export type StepName =
  | 'shape'
  | 'header'
  | 'issuer'
  | 'algorithm'
  | 'type'
  | 'key'
  | 'signature'
  | 'purpose'
  | 'binding'
  | 'times'
  | 'use'
  | 'audience'
  | 'subject'
  | 'scopes'
  | 'credentials'
  // The steps after the verification.
  | 'caller'
  | 'standing';

/** Null for a step that passed. */
export type Outcomes = Map<StepName, Refusal | null>;

/** Runs one step. `fallback` stands in for the result of a step that failed, so that the next steps can run. */
export type RunStep = <T>(step: StepName, check: () => T, fallback: Awaited<T>) => T;

/** Without a trace, the first refusal ends the verification. */
export const untraced: RunStep = (_step, check) => check();

/** Notes the outcome of each step and goes on after a refusal. So a result with a trace verifies nothing. */
export function createTrace() {
  const outcomes: Outcomes = new Map();
  const run: RunStep = (step, check, fallback) => {
    const noted = (error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      outcomes.set(step, outcomes.get(step) ?? error);
      return fallback;
    };
    outcomes.set(step, outcomes.get(step) ?? null);
    try {
      const result = check();
      return (result instanceof Promise ? result.catch(noted) : result) as typeof result;
    } catch (error) {
      return noted(error) as ReturnType<typeof check>;
    }
  };
  return { run, outcomes };
}
