/**
 * All addresses of the page. "vestibule.env" has the ports of the service, and the address of the page as CORS_ORIGINS;
 * "npx vestibule init --port" writes both files.
 */

// This page. Vite serves it here.
export const page = 'http://localhost:5173';
// The service.
export const api = 'http://127.0.0.1:8080';
// The provider of "npx vestibule dev". For your own: its issuer, your client there, and API_AUDIENCE.
export const issuer = 'http://127.0.0.1:3000';
export const clientId = 'dev-web';
export const audience = `${api}/api/consumer`;
export const scope = 'openid consumer';
