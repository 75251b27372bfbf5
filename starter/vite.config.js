import { page } from './page/addresses.js';

/** Serves only the folder of the page, not the settings and the data of "dev" beside it. */
export default {
  root: 'page',
  server: {
    // Sign-in would fail on another port, so Vite must not choose one.
    port: Number(new URL(page).port),
    strictPort: true,
    fs: { allow: ['.', '../node_modules'] },
  },
};
