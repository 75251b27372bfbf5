/**
 * The Content-Security-Policy of a page of ours: its own scripts and stylesheets, nothing inline, no text that becomes
 * markup, in nobody's frame. `directives` say what else it may reach.
 */
export function contentPolicy(...directives: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ...directives,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
