/**
 * Loaded before a service by NODE_OPTIONS: throws an uncaught error when a test sends SIGUSR2. Its message must not be
 * written anywhere.
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
