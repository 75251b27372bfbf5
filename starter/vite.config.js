/** Serves only the folder of the page, not the settings and the data of "dev" beside it. */
export default {
  root: 'page',
  server: {
    // The address in CORS_ORIGINS. Sign-in would fail on another port, so Vite must not choose one.
    port: 5173,
    strictPort: true,
    fs: { allow: ['.', '../node_modules'] },
  },
};
