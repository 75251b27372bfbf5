import { type Credentials, credentialsBody } from './token-endpoint.ts';

/** A request to POST /token, apart from where it goes. */
export interface TokenPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type CredentialForm = 'JSON' | 'form' | 'Basic';
export const credentialForms: readonly CredentialForm[] = ['JSON', 'form', 'Basic'];

const formType = { 'content-type': 'application/x-www-form-urlencoded' };
const grant = 'grant_type=client_credentials';

/** An id and a secret in each of the ways in which a client can send them. */
export function postOf(form: CredentialForm, { id, secret }: Credentials): TokenPost {
  if (form === 'JSON') {
    return { headers: { 'content-type': 'application/json' }, body: credentialsBody({ id, secret }) };
  }
  const [user, password] = [encodeURIComponent(id), encodeURIComponent(secret)];
  if (form === 'form')
    return { headers: formType, body: `${grant}&client_id=${user}&client_secret=${password}` };
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return { headers: { ...formType, authorization }, body: grant };
}
