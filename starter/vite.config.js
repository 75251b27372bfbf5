/** The page is a folder of its own, and what lies beside it (settings, the data of "dev") is handed to nobody. */
export default {
  root: 'page',
  server: {
    // The address in CORS_ORIGINS. Were Vite to take the next port when this one is taken, nobody could sign in there.
    port: 5173,
    strictPort: true,
    fs: { allow: ['.', '../node_modules'] },
  },
};
