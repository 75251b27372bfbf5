import type { TokenBinding } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json-object.ts';

/** Which bound tokens are taken (`cnf`). Whoever takes any sees to it that they are proven. */
export interface BindingPolicy {
  readonly methods: readonly TokenBinding['method'][];
  /** Tokens that are bound to nothing are refused. */
  readonly required: boolean;
}

/** How a token may say that it is bound: RFC 9449 section 6, RFC 8705 section 3.1. */
const confirmations: Readonly<Record<string, TokenBinding['method']>> = { jkt: 'dpop', 'x5t#S256': 'mtls' };
/** A SHA-256 in base64url. */
const thumbprintForm = /^[A-Za-z0-9_-]{43}$/;

/** RFC 7800: a token with `cnf`, whatever is in it, is worth something only beside a proof. Exactly one that we can check is taken. */
export function readBinding({ cnf }: JsonObject, { methods, required }: BindingPolicy): TokenBinding | null {
  if (cnf === undefined) {
    if (required) throw new Refusal('proof_required');
    return null;
  }
  const [[name, thumbprint] = ['', null], ...others] = isJsonObject(cnf) ? Object.entries(cnf) : [];
  const method = Object.hasOwn(confirmations, name) ? confirmations[name] : undefined;
  const isUsable = typeof thumbprint === 'string' && thumbprintForm.test(thumbprint);
  if (method === undefined || !methods.includes(method) || !isUsable || others.length > 0)
    throw new Refusal('token_bound');
  return { method, thumbprint };
}
