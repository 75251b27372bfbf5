import type { Problem } from './client.ts';

/** What a problem means for the person in front of the page, and what can be done about it. */
interface Words {
  readonly heading: string;
  readonly advice: string;
}

/** Without advice of its own: the sentence of the service. */
const words: Readonly<Record<string, Omit<Words, 'advice'> & Partial<Words>>> = {
  service_unreachable: {
    heading: 'No answer from the service',
    advice: 'It may be starting anew, or your connection is down. What you typed is kept.',
  },
  provider_unreachable: {
    heading: 'No answer from the provider',
    advice: 'Your token has to be renewed there. Try again in a moment; what you typed is kept.',
  },
  export_incomplete: {
    heading: 'The file is not whole',
    advice: 'The connection ended half-way. Nothing was saved; try again.',
  },
  quota_exceeded: {
    heading: 'This collection is full',
    advice:
      'You have as many records here as you may have. Delete one, leave one, or give one back, to make room.',
  },
  write_budget_spent: {
    heading: 'That was a lot at once',
    advice: 'You have written as much as you may for now. It can be saved when the time below is over.',
  },
  newcomer_budget_spent: {
    heading: 'Slowly at first',
    advice: 'Who is new here may write a little at first. It can be saved when the time below is over.',
  },
  newcomers_paused: {
    heading: 'Many people are new here right now',
    advice: 'For a while those who are new can only read.',
  },
  read_limit_reached: {
    heading: 'That was a lot at once',
    advice: 'You have read as much as you may for now.',
  },
  validation_failed: {
    heading: 'Some of it does not fit',
    advice: 'The fields below say what is wrong.',
  },
  record_too_large: { heading: 'The record is too large', advice: 'Make it shorter and save it again.' },
  not_found: { heading: 'It is not there any more', advice: 'It was deleted, or it has expired.' },
  'shared.not_found': {
    heading: 'It is not there any more',
    advice: 'It was deleted, it has expired, or it is not shared with you any more.',
  },
  invitation_invalid: {
    heading: 'This invitation does not work',
    advice:
      'It was used or ended, it has expired, or the link is not complete. Ask for a new one where you got it.',
  },
  already_member: {
    heading: 'You are in it already',
    advice: 'You have a role in this record, so there is nothing to accept. You find it under “Your data”.',
  },
  role_full: {
    heading: 'There is no room at the moment',
    advice: 'As many people as may have this role have it. Ask the owner to make room, then try again.',
  },
  'invitation.read_limit_reached': {
    heading: 'Too many codes that do not work',
    advice: 'Wait until the time below is over, then try again with a link that you have just been sent.',
  },
  'invitation.write_budget_spent': {
    heading: 'That was a lot at once',
    advice: 'You have written as much as you may for now. Try again when the time below is over.',
  },
  'invitation.newcomer_budget_spent': {
    heading: 'Slowly at first',
    advice: 'Who is new here may do a little at first. Try again when the time below is over.',
  },
  'invitations.quota_exceeded': {
    heading: 'There are too many open invitations',
    advice: 'A record can have 100 at once. End one under “Members”, then try again.',
  },
  parent_closed: { heading: 'It is closed' },
  no_capacity: { heading: 'All places are taken' },
  not_unique: {
    heading: 'There is one already',
    advice: 'Only one like this can be here. Look for it in the list, and change that one.',
  },
  has_children: {
    heading: 'There is something in it',
    advice:
      'Open it and delete what is in it first. Other people may have something in it that you do not see.',
  },
  'under.quota_exceeded': {
    heading: 'There is no room for more',
    advice: 'You, or all people together, have as many here as there can be. Delete one to make room.',
  },
  precondition_failed: {
    heading: 'It was changed in the meantime',
    advice: 'Look at it as it is now before you go on.',
  },
  not_editable: {
    heading: 'It cannot be changed any more',
    advice: 'In the state that the record is in now its fields are fixed.',
  },
  invalid_transition: {
    heading: 'That is not possible any more',
    advice: 'The record has been moved to another state in the meantime. The list shows it as it is now.',
  },
  action_not_allowed: {
    heading: 'That is for somebody else to do',
    advice: 'In this state the action is not yours to take.',
  },
  role_required: {
    heading: 'That is for somebody else to do',
    advice: 'You have no role in the record that allows it.',
  },
  not_owner: { heading: 'It belongs to somebody else', advice: 'You can read it, and that is all.' },
  consumer_suspended: {
    heading: 'You are shut out',
    advice: 'The operator of this service has suspended you. Ask them why.',
  },
  insufficient_scope: {
    heading: 'The token does not allow that',
    advice: 'The provider gave a token without a scope that is needed here. Sign out, sign in and allow it.',
  },
  token_expired: {
    heading: 'The token has expired',
    advice: 'It was good once. A new one is fetched as soon as one is needed.',
  },
  token_malformed: {
    heading: 'The token is not a JWT',
    advice:
      'The provider gave an opaque token. Most do when they are not told which API it is for: check API_AUDIENCE.',
  },
  audience_mismatch: {
    heading: 'The token is for somebody else',
    advice: 'Its "aud" is not the audience of this API. Compare it with API_AUDIENCE.',
  },
  issuer_mismatch: {
    heading: 'The token is from somebody else',
    advice:
      'Its "iss" is not the provider that this service trusts, to the letter. Compare it with IDP_ISSUER.',
  },
  key_unknown: {
    heading: 'The key of the token is not known',
    advice: 'The provider does not publish it where the service looks. Check IDP_JWKS_PATH.',
  },
  token_bound: {
    heading: 'The token is bound to a key',
    advice: 'It was sent without a proof that is made with that key.',
  },
  proof_invalid: {
    heading: 'The proof for the token does not hold',
    advice:
      'Check that the clock of this machine is right, and that the page is open at the address by which the service knows itself (BASE_URL).',
  },
  token_inactive: {
    heading: 'The provider does not know the token any more',
    advice: 'It has expired or was taken back. Sign in again.',
  },
  keys_unavailable: {
    heading: 'Nothing can be verified at the moment',
    advice: 'The service cannot get the keys of the provider.',
  },
};

/** What a code means depends on what was done where there are words for both (`invitations.quota_exceeded`). */
export function wordsFor({ code, status, title }: Problem, context = ''): Words {
  const known = words[`${context}.${code}`] ?? words[code];
  if (known !== undefined) return { advice: title, ...known };
  if (status >= 500) return { heading: 'The service is in trouble', advice: title };
  return { heading: 'That did not work', advice: title };
}
