import type { Problem } from './client.ts';

/** What a problem means for the person who uses the page, and what they can do about it. */
interface Words {
  readonly heading: string;
  readonly advice: string;
}

/** By error code. An entry without advice shows the sentence of the service. */
const words: Readonly<Record<string, Omit<Words, 'advice'> & Partial<Words>>> = {
  service_unreachable: {
    heading: 'No answer from the service',
    advice:
      'The service may be restarting, or your connection is down. What you typed is kept. Try again in a moment.',
  },
  provider_unreachable: {
    heading: 'No answer from the provider',
    advice: 'Your access token must be renewed there. What you typed is kept. Try again in a moment.',
  },
  export_incomplete: {
    heading: 'The export is incomplete',
    advice: 'The connection ended before everything had arrived. No file was saved. Try again.',
  },
  quota_exceeded: {
    heading: 'This collection is full',
    advice:
      'You have reached the limit of records in this collection. Delete one, leave one or give one back to make room.',
  },
  write_budget_spent: {
    heading: 'Too many changes in a short time',
    advice: 'What you typed is kept. Save it again when the time below is over.',
  },
  newcomer_budget_spent: {
    heading: 'New people can make only a few changes',
    advice: 'This limit ends after your first days here. Save it again when the time below is over.',
  },
  newcomers_paused: {
    heading: 'You can only read for now',
    advice: 'Many new people have come in the last hour. Try again when the time below is over.',
  },
  read_limit_reached: {
    heading: 'Too many requests in a short time',
    advice: 'Try again when the time below is over.',
  },
  query_invalid: {
    heading: 'This list cannot be shown',
    advice: 'The service does not accept this search or filter. Change it, or clear the search.',
  },
  validation_failed: {
    heading: 'Some fields are not valid',
    advice: 'The fields below say what is wrong.',
  },
  record_too_large: { heading: 'The record is too large', advice: 'Shorten it and save it again.' },
  not_found: { heading: 'It is not there any more', advice: 'It was deleted, or it has expired.' },
  'shared.not_found': {
    heading: 'It is not there any more',
    advice: 'It was deleted, it has expired, or it is no longer shared with you.',
  },
  invitation_invalid: {
    heading: 'This invitation does not work',
    advice:
      'It was used, it was ended, it has expired, or the link is incomplete. Ask the person who sent it for a new one.',
  },
  already_member: {
    heading: 'You have a role in it already',
    advice: 'There is nothing to accept. You find the record under “Your data”.',
  },
  role_full: {
    heading: 'This role is full',
    advice: 'No more people can have it at the moment. Ask the owner to make room, then try again.',
  },
  'invitation.read_limit_reached': {
    heading: 'Too many invitations that do not work',
    advice: 'Wait until the time below is over. Then open a new link that was sent to you.',
  },
  'invitation.write_budget_spent': {
    heading: 'Too many changes in a short time',
    advice: 'Try again when the time below is over.',
  },
  'invitation.newcomer_budget_spent': {
    heading: 'New people can make only a few changes',
    advice: 'This limit ends after your first days here. Try again when the time below is over.',
  },
  'invitations.quota_exceeded': {
    heading: 'There are too many open invitations',
    advice: 'A record can have 100 open invitations. End one under “Members”, then try again.',
  },
  parent_closed: { heading: 'It is closed' },
  no_capacity: { heading: 'All places are taken' },
  not_unique: {
    heading: 'There is one already',
    advice: 'There can be only one like this. Find it in the list and change it.',
  },
  has_children: {
    heading: 'It is not empty',
    advice:
      'Open it and delete the records in it first. Other people may have records in it that you cannot see.',
  },
  'under.quota_exceeded': {
    heading: 'There is no room for more records',
    advice: 'You, or all people together, have reached the limit. Delete one to make room.',
  },
  precondition_failed: {
    heading: 'It was changed in the meantime',
    advice: 'Read it as it is now, then try again.',
  },
  not_editable: {
    heading: 'It cannot be changed any more',
    advice: 'In its present state the record cannot be changed or deleted.',
  },
  invalid_transition: {
    heading: 'That is not possible any more',
    advice: 'The record has another state by now. The list shows it as it is now.',
  },
  'batch.invalid_transition': {
    heading: 'That is not possible any more',
    advice: 'The record has another state by now.',
  },
  'batch.not_found': {
    heading: 'It is not there any more',
    advice: 'It was deleted, it has expired, or it is no longer shared with you.',
  },
  'batch.precondition_failed': {
    heading: 'It was changed in the meantime',
    advice: 'Close this question and read the record before you go on.',
  },
  action_not_allowed: {
    heading: 'You may not do that',
    advice: 'In this state another person takes this action.',
  },
  role_required: {
    heading: 'You may not do that',
    advice: 'You have no role in the record that allows it. Ask the owner for one.',
  },
  not_owner: {
    heading: 'It belongs to another person',
    advice: 'You can read it, but you cannot change it.',
  },
  consumer_suspended: {
    heading: 'Your access is suspended',
    advice: 'The operator of this service has suspended it. Ask the operator for the reason.',
  },
  insufficient_scope: {
    heading: 'The token does not allow that',
    advice: 'The token lacks a scope that is needed here. Sign out, sign in again and allow it.',
  },
  token_expired: {
    heading: 'The token has expired',
    advice: 'The page fetches a new one when it needs one.',
  },
  token_malformed: {
    heading: 'The token is not a JWT',
    advice:
      'The provider issued an opaque token. Many providers do so when the audience is missing or wrong: check API_AUDIENCE.',
  },
  audience_mismatch: {
    heading: 'The token is for another API',
    advice: 'Its "aud" is not the audience of this API. Compare it with API_AUDIENCE.',
  },
  issuer_mismatch: {
    heading: 'The token is from another issuer',
    advice: 'Its "iss" is not exactly an issuer that this service trusts. Compare it with IDP_ISSUER.',
  },
  key_unknown: {
    heading: 'The signing key of the token is unknown',
    advice:
      'The provider does not publish this key at the address that the service reads. Check IDP_JWKS_PATH.',
  },
  token_bound: {
    heading: 'The token is bound to a key',
    advice: 'The request came without a proof made with that key.',
  },
  proof_invalid: {
    heading: 'The proof for the token is not valid',
    advice:
      'Check that the clock of this machine is right, and that the page is open at the address of the service (BASE_URL).',
  },
  keys_unavailable: {
    heading: 'No token can be verified at the moment',
    advice: 'The service cannot fetch the keys of the provider. Try again in a moment.',
  },
};

/** The same code can mean different things: words for one context are under `context.code` (`invitations.quota_exceeded`). */
export function wordsFor({ code, status, title }: Problem, context = ''): Words {
  const known = words[`${context}.${code}`] ?? words[code];
  if (known !== undefined) return { advice: title, ...known };
  if (status >= 500) return { heading: 'The service has an error', advice: title };
  return { heading: 'That did not work', advice: title };
}
