/** What stands in a JWT, to be looked at; whether any of it is true is for the service to say. Null when it is none. */
export function readClaims(token: string): Record<string, unknown> | null {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return null;
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
      letter.charCodeAt(0),
    );
    const claims = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' && claims !== null ? claims : null;
  } catch {
    return null;
  }
}
