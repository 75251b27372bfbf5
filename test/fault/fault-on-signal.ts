/**
 * Loaded before a service by NODE_OPTIONS: a mistake of ours that nobody catches, at the moment when a test sends SIGUSR2.
 * Its message is what must not be written anywhere.
 */
export const payload = 'payload-of-a-mistake-mulberryfinch';

if (process.env.TEST_FAULT !== undefined)
  process.on('SIGUSR2', () => {
    if (process.env.TEST_FAULT === 'exception') setImmediate(() => raise());
    else void Promise.resolve().then(raise);
  });

function raise(): never {
  throw new Error(payload);
}
