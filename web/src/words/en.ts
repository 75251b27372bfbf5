import type { About, Forms } from '../parts/language.ts';

/** 64 of each: a person gets one by each of two digits of the alias. */
const qualities = (
  'Able Active Airy Alert Ardent Balmy Blithe Breezy Buoyant Candid Careful Cheery Civil Cordial Crisp ' +
  'Dapper Dear Deft Dewy Dreamy Dulcet Earnest Elegant Fabled Famous Festive Fine Fond Frank Free ' +
  'Frosty Funny Genial Giving Grand Handy Helpful Hopeful Jaunty Jovial Joyful Just Light Limber Lofty ' +
  'Lush Mighty Modest Nimble Open Peppy Perky Plucky Prime Pure Robust Sage Sincere Smart Spry Sturdy ' +
  'Tender Vivid Witty'
).split(' ');
const beings = (
  'anemone apple aster auk barley bat bee bison bunting camel carp cat coot coral crab crane crow ' +
  'cypress dahlia dragonfly drake eagle fennel fig flax gecko gull hemp heath hop ibex jackdaw kale ' +
  'kite koala lemon lilac lily lupin mallow mint mole myrtle newt oat olive panda peach pear pelican ' +
  'penguin plum puffin quail raven reed rose rook rye sage sloe sparrow swan teal'
).split(' ');

/** The sentences of the pages in English. Another language is another file of this form: see parts/words.ts. */
export const en = ({ plural, and, or }: Forms) => ({
  language: 'en',
  /** "Booking" for the title "Bookings", where a declaration has no `singular`. */
  singular: (title: string) =>
    title
      .replace(/ies$/, 'y')
      .replace(/(ss|sh|ch|x)es$/, '$1')
      .replace(/([^s])s$/, '$1'),
  newOne: (one: string) => `New ${uncapitalised(one)}`,
  editOne: (one: string) => `Edit ${uncapitalised(one)}`,
  saveOne: (one: string) => `Save ${uncapitalised(one)}`,
  deleteOne: (one: string) => `Delete ${uncapitalised(one)}`,
  saved: (one: string) => `${one} saved.`,
  entry: 'Entry',
  entries: 'Entries',
  /** How many of a collection: `one` and `many` are what one of them and all are called. */
  some: (count: number, one: string, many: string) =>
    plural(count, (n) => ({ one: `${n} ${uncapitalised(one)}`, other: `${n} ${uncapitalised(many)}` })),
  and,
  /** In the window that the reference page (/docs) has opened. */
  reference: {
    signedIn: 'You are signed in',
    closeWindow: 'Close this window, and go on in the API reference.',
  },
  yes: 'Yes',
  no: 'No',
  none: 'None',
  you: 'you',
  edit: 'Edit',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  saving: 'Saving…',
  retry: 'Try again',
  retryIn: (time: string) => `Try again in ${time}`,
  of: (part: string, all: string) => `${part} of ${all}`,
  /** The short names of units of time. */
  units: { day: 'd', hour: 'h', minute: 'min', second: 's' },
  moment: 'One moment…',
  loading: (what: string) => `Loading ${what}…`,
  more: (name: string) => `More for ${name}`,
  frame: {
    skip: 'Skip to the content',
    collections: 'Collections',
    more: 'More',
    account: (name: string) => `${name}: your data, sign out`,
    noCollections: 'There is nothing here yet',
    offline: (time: string) =>
      `You are offline. This page shows what was there at ${time}; you can save nothing until you are online again.`,
    part: 'this part of the page',
    partMissing: 'This part of the page could not be loaded',
    back: 'Back to',
    imprint: 'Imprint',
    privacy: 'Privacy',
    declareSome: 'The operator has declared no collections yet.',
    throughParent: (parent: string) =>
      `These belong to others. Open one of ${parent} to see them and to add some.`,
    notFound: 'This page does not exist',
    goHome: 'Go to the first page',
    live: {
      off: '',
      connecting: 'Connecting…',
      live: 'Live',
      polling: 'Updates every 15 seconds',
      lost: 'Not connected',
      ended: 'Not connected',
      erased: 'Everything was erased elsewhere',
    },
  },
  list: {
    search: (title: string) => `Search ${uncapitalised(title)}`,
    searchIn: (fields: readonly string[]) => `Search in ${and(fields.map(quoted))}`,
    fewerWords: (most: number) => `Search for ${most} words at most.`,
    longerWords: (fewest: number) => `Type at least ${fewest} letters of each word.`,
    shorterWords: (most: number) => `A word can have ${most} letters at most.`,
    views: 'Views',
    view: { list: 'List', table: 'Table', board: 'Board', agenda: 'Agenda' },
    filters: 'Filters',
    all: 'All',
    mine: 'Mine',
    sort: 'Order',
    newest: 'Newest first',
    oldest: 'Oldest first',
    upwards: (field: string) => `${field}, upwards`,
    downwards: (field: string) => `${field}, downwards`,
    count: (count: string, isLeast: boolean) => (isLeast ? `${count}+` : count),
    found: (count: number, isLeast: boolean) => {
      if (count === 0 && !isLeast) return 'Nothing found';
      return plural(count, (n) => ({ other: isLeast ? `At least ${n} found` : `${n} found` }));
    },
    empty: (title: string) => `No ${uncapitalised(title)} yet.`,
    emptyHere: (title: string) => `No ${uncapitalised(title)} in this list.`,
    showAll: 'Show all',
    showMore: 'Show more',
    searchOlder: 'Search older ones',
    onlyNewest: 'Only the newest were searched. You can search older ones, too.',
    nothingFor: (q: string) => `Nothing found for “${q}”.`,
    searchHint: (fields: readonly string[]) =>
      `Check the spelling, or type only the beginning of a word. The search looks in ${and(fields.map(quoted))}.`,
    clearSearch: 'Clear the search',
    reload: 'Load again',
    select: 'Select',
    selectOne: (name: string) => `Select ${name}`,
    ticks: (field: string, name: string) => `${field}: ${name}`,
    open: 'Open',
    copyLink: 'Copy link',
    linkCopied: 'The link is copied.',
    linkNotCopied: 'The browser does not allow to copy the link.',
    state: 'State',
    deprecated: 'This will be removed',
    noSunset: 'No date is set yet. Move what you have here in time.',
    sunset: (when: string) => `It ends on ${when}.`,
    readMore: 'Read more',
    underParent: (parent: string) => `To add one, open the ${uncapitalised(parent)} that it belongs to.`,
    creators: (roles: readonly string[]) =>
      `Only people with the role ${or(roles.map(quoted))} can add something here. You do not have this role.`,
    mayNotCreate: 'You cannot add anything here',
    /** Under a parent that accepts nothing in its present state, or not any more. */
    opensIn: (title: string, states: readonly string[]) =>
      `${title} can be added only while it is ${or(states.map(uncapitalised))}.`,
    closedSince: (title: string, when: string) => `No ${uncapitalised(title)} can be added since ${when}.`,
    changes: (count: number, title: string) =>
      plural(count, (n) => ({ one: `${n} change in ${title}.`, other: `${n} changes in ${title}.` })),
  },
  selection: {
    title: 'Selected',
    none: 'Nothing is selected.',
    count: (count: number, one: string, many: string) =>
      plural(count, (n) => ({
        one: `${n} ${uncapitalised(one)} selected.`,
        other: `${n} ${uncapitalised(many)} selected.`,
      })),
    most: (most: number) => `${most} is the most at once.`,
    nothingFits: 'There is no action that fits all of them: select fewer.',
    all: 'Select all',
    clear: 'Select none',
    /** `what`: "3 bookings". */
    askDelete: (what: string) => `Delete ${what}?`,
    ask: (action: string, what: string) => `${action}: ${what}?`,
    deleting: 'You cannot undo this.',
    final: (state: string) => `They are ${uncapitalised(state)} then, and no action leads back from there.`,
    allOrNone: 'All of them are changed, or none.',
    moreNames: (count: number) => plural(count, (n) => ({ other: `and ${n} more` })),
    nothingChanged: 'Nothing has changed',
    refused: (name: string) => `“${name}” was refused, so none of them has changed.`,
    leaveOut: 'Leave it out',
    deleted: (what: string) => `Deleted: ${what}.`,
    changed: (what: string) => `Changed: ${what}.`,
  },
  row: {
    done: (name: string) => `Done: ${name}.`,
    undone: (name: string) => `Not done: ${name}.`,
    marked: (state: string, name: string) => `Marked as ${uncapitalised(state)}: ${name}.`,
    deleted: (name: string) => `Deleted: ${name}.`,
    left: (name: string) => `You are no longer a member of ${name}.`,
    created: (one: string, name: string) => `New ${uncapitalised(one)}: ${name}.`,
    changed: (name: string) => `Changed: ${name}.`,
    expired: (name: string) => `Expired: ${name}.`,
    joined: (name: string) => `Shared with you: ${name}.`,
    gone: (name: string) => `Not there any more: ${name}.`,
    yours: 'yours',
    places: (taken: string, all: string) => `${taken} of ${all} places`,
    full: 'full',
    waiting: (count: string) => `${count} waiting`,
  },
  board: {
    pickedUp: (name: string, state: string) =>
      `Picked up: ${name}. In ${state}. Left and right choose a column, Escape puts it back.`,
    over: (state: string, count: number, action: string) =>
      plural(count, (n) => ({
        one: `Over ${state}, one card. Space: ${action}.`,
        other: `Over ${state}, ${n} cards. Space: ${action}.`,
      })),
    putBack: (state: string) => `Put back in ${state}.`,
    backIn: (state: string) => `Back in ${state}.`,
    space: 'Space',
    pickUp: 'pick up',
    putDown: 'put down',
    choose: 'choose a column',
    back: 'put back',
  },
  agenda: {
    over: (count: number) => plural(count, (n) => ({ one: 'One is over', other: `${n} are over` })),
    show: 'Show',
    hide: 'Hide',
    nothing: 'Nothing is planned.',
  },
  record: {
    more: 'More about it',
    details: 'Details',
    created: 'Created',
    changed: 'Changed',
    places: 'Places',
    taken: (taken: string, all: string) => `${taken} of ${all} taken`,
    inState: (count: string, state: string) => `${count} ${uncapitalised(state)}`,
    changedElsewhere: (one: string) => `This ${uncapitalised(one)} was changed elsewhere`,
    savedElsewhere: (when: string) =>
      `It was saved elsewhere (${when}). What you typed is kept. When you save it, you can choose between the two versions.`,
    loadOther: 'Load the other version',
    otherLoaded: 'This is how it is now.',
    cannotSave: 'You cannot save it any more. What you typed stays on this page until you leave it.',
    leftIt: 'Your role in it has ended. To come back you need a new invitation.',
    lost: {
      deleted: (one: string) => `This ${uncapitalised(one)} was deleted`,
      left: (one: string) => `You are no longer a member of this ${uncapitalised(one)}`,
      gone: (one: string) => `This ${uncapitalised(one)} is not there any more`,
    },
  },
  action: {
    ask: (action: string) => `${action}?`,
    final: (state: string) => `It is ${uncapitalised(state)} then, and no action leads back from there.`,
    kept: 'It stays in the list.',
    no: 'Leave it as it is',
    yes: (action: string) => `Yes, ${uncapitalised(action)}`,
  },
  deletion: {
    ask: (name: string) => `Delete “${name}”?`,
    final: 'You cannot undo this.',
    instead: (action: string, state: string) =>
      `“${action}” would keep it in your list, as ${uncapitalised(state)}.`,
    no: 'Keep it',
    yes: 'Delete',
    deleting: 'Deleting…',
  },
  form: {
    optional: 'optional',
    choose: 'Choose…',
    nothing: 'Nothing',
    add: 'Add',
    addTo: (field: string) => `to ${field}`,
    remove: 'Remove',
    item: (field: string, place: number) => `${field} ${place}`,
    kept: 'What you typed is still here',
    startOver: 'Start over',
    errors: (count: number) =>
      plural(count, (n) => ({ one: 'One thing needs attention.', other: `${n} things need attention.` })),
    /** `what`: the rest of the sentence, such as "must be a number". */
    error: (field: string, what: string) => `${field} ${what}`,
    number: 'must be a number',
    moment: 'must be a date and a time',
    json: 'must be JSON',
    /** What the service says of a value, which is in English; `limits`: what this page knows of it. */
    refused: (said: string, _limits: string | null) => said,
    missing: (said: string) => said,
    everybody: 'Everybody can read this',
    reads: {
      everyone: 'Everybody who signs in can read what you make here; only you can change it.',
      everyoneAndPrograms:
        'Everybody who signs in can read what you make here; only you and the programs of the operator can change it.',
      everyoneActs: 'Everybody who signs in can read what you make here, and act on it as its buttons allow.',
      you: 'What you make here stays between you and the operator.',
      youAndPrograms: 'Only you and the programs of the operator see what you make here.',
      members: 'Only you and the people with a role in it see what you make here.',
      membersAndPrograms:
        'Only you, the people with a role in it and the programs of the operator see what you make here.',
    },
  },
  /** What a value may be, and how long a text or a list. */
  limits: {
    values: {
      between: (min: number, max: number) => `From ${min} to ${max}.`,
      most: (max: number) => `At most ${max}.`,
      least: (min: number) => `At least ${min}.`,
    },
    characters: {
      between: (min: number, max: number) => `From ${min} to ${max} characters.`,
      most: (max: number) =>
        plural(max, () => ({ one: `At most ${max} character.`, other: `At most ${max} characters.` })),
      least: (min: number) => `At least ${min} characters.`,
    },
    items: {
      between: (min: number, max: number) => `From ${min} to ${max} items.`,
      most: (max: number) =>
        plural(max, () => ({ one: `At most ${max} item.`, other: `At most ${max} items.` })),
      least: (min: number) => `At least ${min} items.`,
    },
  },
  conflict: {
    title: 'It was changed in the meantime',
    lead: (when: string) =>
      `It was saved elsewhere after you opened it (${when}). Choose a version for each field.`,
    same: 'Both versions are the same. You can save yours or discard it.',
    yours: 'Yours',
    theirs: 'Saved in the meantime',
    save: 'Save what I chose',
    edit: 'Edit it again',
    discard: 'Discard mine',
  },
  history: {
    title: 'History',
    roles: 'The history names roles. It does not say which person it was.',
    create: 'Created',
    update: 'Changed',
    movedUp: 'Got a free place',
    from: 'From',
    to: 'to',
    byItself: 'by itself',
    byAnybody: 'by a person without a role',
    byProgram: 'by a program of the operator',
    /** `isSingle`: one person at a time has the role. */
    by: (role: string, isSingle: boolean) => `by ${withArticle(role, isSingle)}`,
  },
  roles: {
    owner: 'Owner',
    yours: 'Yours',
    from: (person: string) => `From ${person}`,
    /** `isSingle`: one person at a time has the role. */
    youAre: (roles: readonly { readonly role: string; readonly isSingle: boolean }[]) =>
      `You are ${and(roles.map(({ role, isSingle }) => withArticle(role, isSingle)))}`,
  },
  people: {
    members: 'Members',
    membersOf: (name: string) => `Members of ${name}`,
    aliases: 'Everybody has two words and a picture here, and others elsewhere.',
    remove: (person: string, from: string) => `Remove ${person} from ${from}?`,
    all: 'All members',
    invite: 'Invite…',
    leave: 'Leave',
    leaveOne: (name: string) => `Leave ${name}?`,
    leaving: 'Your role in it ends at once. To come back you need a new invitation.',
    stay: 'Stay',
    choose: 'By code, as “Members” shows it.',
    since: (role: string, when: string) => `${role} since ${when}`,
    changeRole: 'Change role…',
    changeRoleOf: (person: string) => `of ${person}`,
    askRole: 'Change the role?',
    endsInvitations: 'This also ends all open invitations.',
    changeIt: 'Change it',
    roleChanged: 'The role is changed.',
    removeOne: 'Remove…',
    removing: 'The role ends at once. All open invitations end, too.',
    removeIt: 'Remove',
    removed: (person: string) => `Removed: ${person}.`,
  },
  invite: {
    title: 'Invite',
    role: 'Role',
    handover: 'Owner: you hand it over, and have no role in it any more.',
    handoverAs: (role: string) => `Owner: you hand it over, and become ${withArticle(role, false)}.`,
    uses: 'People it admits',
    openFor: 'Open for',
    hour: '1 hour',
    day: '1 day',
    days: (count: number) => plural(count, (n) => ({ one: `${n} day`, other: `${n} days` })),
    make: 'Make a link',
    link: 'Link',
    admits: (count: number, role: string, until: string) =>
      plural(count, (n) => ({
        one: `It admits ${n} person as ${uncapitalised(role)} until ${until}.`,
        other: `It admits ${n} people as ${uncapitalised(role)} until ${until}.`,
      })),
    once: 'The link is shown only once. Everybody who has it can use it, so send it only to the people you want to invite.',
    notCopied: 'The link was not copied',
    copyByHand: 'The browser does not allow it. The link is selected: copy it with the keyboard.',
    copying: 'Copying…',
    copy: 'Copy the link',
    copied: 'Copied.',
    done: 'Done',
    open: 'Open invitations',
    none: 'There is none. Press “Invite” to make a link that you can send.',
    left: (count: number, until: string) =>
      plural(count, (n) => ({
        one: `For ${n} more person, until ${until}`,
        other: `For ${n} more people, until ${until}`,
      })),
    end: 'End',
    ending: 'Ending…',
    about: (role: string, until: string) => `for ${uncapitalised(role)}, until ${until}`,
    ended: 'The invitation has ended.',
  },
  invitation: {
    title: 'You are invited',
    none: 'There is no invitation to accept. Open the link again that was sent to you.',
    offer: (title: string, one: string, role: string) =>
      `${title}: join one ${uncapitalised(one)} as ${withArticle(role, false)}`,
    mayRead: 'You can read it',
    mayChange: 'You can change it',
    mayDelete: 'You can delete it',
    mayAct: (actions: readonly string[]) => `You can do this: ${and(actions)}`,
    mayInvite: 'You can invite others',
    seen: 'The others see that you joined, by two words and a picture. Your name stays with your provider.',
    ends: (when: string) => `The invitation ends on ${when}. You can leave at any time.`,
    join: (role: string) => `Join as ${uncapitalised(role)}`,
    later: 'Not now',
    joined: (name: string, role: string) => `You joined ${name} as ${uncapitalised(role)}.`,
  },
  keys: {
    title: 'Keys',
    groups: [
      {
        where: 'Everywhere',
        keys: [
          ['/', 'Search'],
          ['N', 'New'],
          ['G 1', 'The first collection; G 2 the second'],
          ['?', 'These keys'],
        ],
      },
      {
        where: 'In a list',
        keys: [
          ['↑ ↓', 'Row'],
          ['Home End', 'First and last row'],
          ['Enter', 'Open'],
          ['Space', 'Tick'],
          ['A', 'The action beside the row'],
          ['.', 'Menu'],
          ['E', 'Edit'],
          ['X', 'Select'],
          ['Delete', 'Delete, after a question'],
        ],
      },
      {
        where: 'On a board',
        keys: [
          ['↑ ↓ ← →', 'Card; with a card picked up, the column'],
          ['Space', 'Pick up, put down'],
          ['Esc', 'Put back'],
        ],
      },
    ] as readonly { readonly where: string; readonly keys: readonly (readonly [string, string])[] }[],
  },
  account: {
    title: 'You',
    signOut: 'Sign out',
    known: 'What is known of you',
    fromProvider: (host: string) =>
      `Your name and picture come from ${host} to this page alone. The service knows a pseudonym.`,
    pseudonym: 'Pseudonym',
    since: 'Since',
    limits: 'Limits',
    noProfile: 'Your provider did not send your name and picture.',
    stored: 'Stored',
    changesIn: (time: string) => `Changes in ${time}`,
    newChangesIn: (time: string) => `Changes by new people, in ${time}`,
    until: (when: string) => `Until ${when}`,
    token: 'Access token',
    keys: 'Single keys act in lists',
  },
  exporting: {
    title: 'Export your data',
    lead: 'You get one file with all that you have here and what is known of you. Programs can read it: each line is JSON.',
    button: 'Export as a file',
    fetching: 'Fetching…',
    lines: (count: number) =>
      plural(count, (n) => ({ one: `Fetching… ${n} line`, other: `Fetching… ${n} lines` })),
    done: (count: number) =>
      plural(count, (n) => ({
        one: `Saved as a file: ${n} entry.`,
        other: `Saved as a file: ${n} entries.`,
      })),
  },
  erasure: {
    title: 'Erase your data',
    lead: 'This erases all that you have here, your pseudonym and the date of your first visit. You cannot undo this.',
    button: 'Erase everything…',
    ask: 'Erase everything?',
    warning: 'You cannot undo this. If you want to keep a copy, export it first.',
    /** What has to be typed, and the sentence that asks for it. */
    words: 'erase everything',
    type: (words: string) => `Type “${words}” to go on`,
    no: 'Keep it',
    yes: 'Erase everything',
    erasing: 'Erasing…',
    done: 'Your data is erased',
    erasedOn: (when: string) => `Erased on ${when}.`,
    receipt: 'Receipt',
    repeats: 'Notes against saving twice',
    total: 'Total',
    after: 'Nothing is stored about you any more. If you go on using this, you begin anew.',
    budgets: (when: string) =>
      `Until ${when} it stays known, without your pseudonym, how much you have written: erasing does not reset these limits.`,
  },
  welcome: {
    title: 'Sign in. Your name stays with your provider.',
    lead: 'Your provider sends your name and picture to this page only. The service behind it never gets them: it knows you by a pseudonym.',
    signIn: 'Sign in',
    signInWith: (provider: string) => `Sign in with ${provider}`,
    at: (host: string) => `At ${host}`,
    signingIn: 'Signing in…',
    signingOut: 'Signing out…',
    others: 'You are somebody else with each provider. What you make with one is not there with another.',
    docs: 'Read about the API',
    invited: 'Sign in to accept it. This tab keeps the invitation until then.',
    signedOut: 'You are signed out',
    forgotten: 'This page has deleted all that it knew about you from this browser.',
    signedOutHere: 'You are signed out of this page only',
    stillThere: 'The provider does not answer, so you are still signed in there. Sign out there, too.',
    again: 'Please sign in again',
    ended: 'Your session at the provider has ended. What you typed is kept in this tab.',
    denied: 'You did not allow it',
    consent: 'This page needs your consent at the provider. To use it, sign in again and allow it.',
    failed: 'The sign-in did not work',
    otherTab: 'This sign-in was not begun in this tab. Sign in again here.',
    notOffered: 'The provider of this sign-in is no longer offered. Choose another one.',
    otherSignIn: 'The answer belongs to another sign-in. Sign in again in this tab.',
    otherProvider: 'The answer is from another provider than the one that you chose. Sign in again.',
    unusable:
      'The answer of the provider cannot be used. Sign in again. If it happens again, tell the operator.',
    unbound: 'The provider does not protect the sign-in as the operator requires. Tell the operator.',
  },
  down: {
    service: 'The service does not answer',
    serviceAdvice: 'It may be restarting, or your connection is down. Try again in a moment.',
    provider: 'The provider does not answer',
    providerAdvice: (host: string) =>
      `You sign in at ${host}, which does not answer. What you typed is kept. Try again in a moment.`,
    otherProvider: 'Use another provider',
  },
  /** By error code: what it means for the person, and what they can do about it. `context.code` is for one context. */
  problems: {
    service_unreachable: {
      heading: 'No answer from the service',
      advice:
        'The service may be restarting, or your connection is down. What you typed is kept. Try again in a moment.',
    },
    provider_unreachable: {
      heading: 'No answer from the provider',
      advice: 'Your sign-in must be renewed there. What you typed is kept. Try again in a moment.',
    },
    export_incomplete: {
      heading: 'The export is incomplete',
      advice: 'The connection ended before everything had arrived. No file was saved. Try again.',
    },
    quota_exceeded: {
      heading: ({ many }: About) => `You cannot have more ${uncapitalised(many)}`,
      advice: 'You have reached the limit. Delete one, leave one or give one back to make room.',
    },
    'under.quota_exceeded': {
      heading: ({ many }: About) => `There is no room for more ${uncapitalised(many)}`,
      advice: 'You, or all people together, have reached the limit. Delete one to make room.',
    },
    'invitations.quota_exceeded': {
      heading: 'There are too many open invitations',
      advice: 'There can be 100 of them. End one under “Members”, then try again.',
    },
    write_budget_spent: {
      heading: 'Too many changes in a short time',
      advice: 'What you typed is kept. Save it again when the time below is over.',
    },
    'invitation.write_budget_spent': {
      heading: 'Too many changes in a short time',
      advice: 'Try again when the time below is over.',
    },
    newcomer_budget_spent: {
      heading: 'New people can make only a few changes',
      advice: 'This limit ends after your first days here. Save it again when the time below is over.',
    },
    'invitation.newcomer_budget_spent': {
      heading: 'New people can make only a few changes',
      advice: 'This limit ends after your first days here. Try again when the time below is over.',
    },
    newcomers_paused: {
      heading: 'You can only read for now',
      advice: 'Many new people have come in the last hour. Try again when the time below is over.',
    },
    read_limit_reached: {
      heading: 'Too many requests in a short time',
      advice: 'Try again when the time below is over.',
    },
    'invitation.read_limit_reached': {
      heading: 'Too many invitations that do not work',
      advice: 'Wait until the time below is over. Then open a new link that was sent to you.',
    },
    query_invalid: {
      heading: 'This list cannot be shown',
      advice: 'This search or filter does not work here. Change it, or clear the search.',
    },
    validation_failed: {
      heading: 'Some fields are not valid',
      advice: 'The fields below say what is wrong.',
    },
    record_too_large: {
      heading: ({ one }: About) => `This ${uncapitalised(one)} is too large`,
      advice: 'Shorten it and save it again.',
    },
    not_found: {
      heading: ({ one }: About) => `This ${uncapitalised(one)} is not there any more`,
      advice: 'It was deleted, or it has expired.',
    },
    'shared.not_found': {
      heading: ({ one }: About) => `This ${uncapitalised(one)} is not there any more`,
      advice: 'It was deleted, it has expired, or it is no longer shared with you.',
    },
    invitation_invalid: {
      heading: 'This invitation does not work any more',
      advice:
        'It was used, it was ended, it has expired, or the link is incomplete. Ask the person who sent it for a new one.',
    },
    already_member: {
      heading: 'You have joined already',
      advice: 'There is nothing to accept: you have a role in it.',
    },
    role_full: {
      heading: 'This role is full',
      advice: 'No more people can have it at the moment. Ask the owner to make room, then try again.',
    },
    parent_closed: {
      heading: ({ many, parent }: About) =>
        parent === ''
          ? `No more ${uncapitalised(many)} can be added`
          : `This ${uncapitalised(parent)} takes no more ${uncapitalised(many)}`,
      advice: 'It was closed, or its time is over.',
    },
    no_capacity: {
      heading: 'All places are taken',
      advice: 'Try again when one is free.',
    },
    not_unique: {
      heading: ({ one, parent, isOwn }: About) =>
        isOwn && parent !== ''
          ? `You have one ${uncapitalised(one)} in this ${uncapitalised(parent)} already`
          : isOwn
            ? `You have one ${uncapitalised(one)} like this already`
            : `There is one ${uncapitalised(one)} like this already`,
      advice: ({ fields }: About) =>
        fields.length === 0
          ? 'There can be only one. Find it in the list and change it.'
          : `No two may have the same ${and(fields.map(quoted))}. Change it here, or find the other one in the list.`,
    },
    has_children: {
      heading: ({ child, children, count }: About) =>
        count === 0
          ? `Delete its ${uncapitalised(children)} first`
          : plural(count, (n) => ({
              one: `Delete its ${uncapitalised(child)} first`,
              other: `Delete its ${n} ${uncapitalised(children)} first`,
            })),
      advice: 'Other people may have some that you cannot see.',
    },
    precondition_failed: {
      heading: ({ one }: About) => `This ${uncapitalised(one)} was changed in the meantime`,
      advice: 'Read it as it is now, then try again.',
    },
    'batch.precondition_failed': {
      heading: 'It was changed in the meantime',
      advice: 'Close this question and read it before you go on.',
    },
    not_editable: {
      heading: ({ one }: About) => `This ${uncapitalised(one)} cannot be changed any more`,
      advice: 'In its present state it cannot be changed or deleted.',
    },
    invalid_transition: {
      heading: 'That is not possible any more',
      advice: 'Its state has changed by now. You see it as it is now.',
    },
    'batch.invalid_transition': {
      heading: 'That is not possible any more',
      advice: 'Its state has changed by now.',
    },
    action_not_allowed: {
      heading: 'You may not do that',
      advice: 'In this state another person takes this action.',
    },
    role_required: {
      heading: 'You may not do that',
      advice: 'You have no role in it that allows it. Ask the owner for one.',
    },
    not_owner: {
      heading: 'It belongs to another person',
      advice: 'You can read it, but you cannot change it.',
    },
    consumer_suspended: {
      heading: 'Your access is suspended',
      advice: 'The operator has suspended it. Ask the operator for the reason.',
    },
    insufficient_scope: {
      heading: 'Your sign-in does not allow that',
      advice: 'Sign out, sign in again and allow it.',
    },
    keys_unavailable: {
      heading: 'Your sign-in cannot be checked at the moment',
      advice: 'Try again in a moment.',
    },
    /** All codes of a token that the service refuses. */
    sign_in_refused: {
      heading: 'Your sign-in is not accepted',
      advice:
        'Check that the clock of this device is right, then sign out and sign in again. If that does not help, tell the operator.',
    },
    /** Every code that is not here, and every error of the service itself. */
    unknown: {
      heading: 'That did not work',
      advice: 'Try again. If it happens again, tell the operator what stands below.',
    },
    internal: {
      heading: 'The service has an error',
      advice: 'Try again in a moment. If it happens again, tell the operator what stands below.',
    },
  },
  person: {
    one: 'Person',
    name: (quality: number, being: number) => `${qualities[quality]} ${beings[being]}`,
  },
  date: { at: (day: string, time: string) => `${day}, ${time}` },
});

/** The same under the name by which parts/words.ts finds a language. */
export { en as words };

function quoted(text: string): string {
  return `“${text}”`;
}

/** "a member", "an owner", "the borrower". */
function withArticle(role: string, isSingle: boolean): string {
  const noun = uncapitalised(role);
  return isSingle ? `the ${noun}` : `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function uncapitalised(text: string): string {
  // "PDFs" and "IDs" stay as they are.
  return /^\p{Lu}(?!\p{Lu})/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
