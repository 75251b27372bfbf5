import { startApp } from '../../src/app.ts';
import { runUntilSignal } from '../../src/cli/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type Release, releases } from './future-steps.ts';

/** `vestibule serve` of another release: all that differs is which steps of the schema it knows. */
const steps = releases[process.env.TEST_RELEASE as Release];
await runUntilSignal(() => loadConfig(process.env).then((config) => startApp(config, { steps })));
