// The health check of the image, which has no curl: whether the service takes requests, by its own port for health.
const port = process.env.OPS_PORT ?? '8081';
const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => ({ ok: false }));
process.exit(ok ? 0 : 1);
