import type { Forms } from '../parts/language.ts';
import type { Words } from '../parts/words.ts';

/** 64 of each: a person gets one by each of two digits of the alias. */
const qualities = (
  'still ruhig froh heiter munter flink klug kühn sanft mild hell klar frisch keck behänd zart fein bunt golden ' +
  'silbern rot grün blau gelb violett beschwingt lustig fröhlich freundlich herzlich ehrlich treu mutig tapfer ' +
  'wach schnell leicht stark geduldig fleißig geschickt gewandt neugierig pfiffig witzig sonnig luftig wild frei ' +
  'stolz sorgsam achtsam gelassen besonnen glücklich zufrieden redlich gütig sacht lebhaft vergnügt wendig ' +
  'rüstig höflich'
).split(' ');

/** By the ending that their gender gives to the word before: "Stiller Reiher", "Stille Eule", "Stilles Moos". */
const beings = Object.entries({
  er:
    'Reiher Kranich Sperling Fink Star Specht Dachs Luchs Biber Igel Otter Hirsch Delfin Pinguin Pelikan Ahorn ' +
    'Farn Flieder Lavendel Mohn Klee Apfel',
  e:
    'Eule Amsel Meise Lerche Schwalbe Möwe Taube Biene Hummel Libelle Grille Katze Robbe Birke Linde Buche Eiche ' +
    'Tanne Kiefer Weide Rose Tulpe Nelke Lilie Aster Dahlie Malve Minze Distel Birne Kirsche Pflaume',
  es: 'Moos Reh Rotkehlchen Lamm Fohlen Kitz Schilf Veilchen Edelweiß Gras',
}).flatMap(([ending, nouns]) => nouns.split(' ').map((noun) => ({ ending, noun })));

/** What a record is called where its declaration has no `singular`: no gender can be wrong then. */
const entry = 'Eintrag';

/** The sentences of the pages in German. The names of a declaration stand where any gender and number fits. */
export const words = ({ plural, and, or }: Forms): Words => ({
  language: 'de',
  singular: () => entry,
  newOne: (one) => (one === entry ? 'Neuer Eintrag' : `${one} anlegen`),
  editOne: (one) => `${one} bearbeiten`,
  saveOne: (one) => `${one} speichern`,
  deleteOne: (one) => `${one} löschen`,
  saved: (one) => `${one} gespeichert.`,
  entry,
  entries: 'Einträge',
  some: (count, one, many) =>
    plural(count, (n) => ({ one: `${n} ${one}`, other: `${n} ${manyOf(one, many)}` })),
  and,
  reference: {
    signedIn: 'Sie sind angemeldet',
    closeWindow: 'Schließen Sie dieses Fenster; weiter geht es in der API-Referenz.',
  },
  yes: 'Ja',
  no: 'Nein',
  none: 'Keine Angabe',
  you: 'Sie',
  edit: 'Bearbeiten',
  cancel: 'Abbrechen',
  close: 'Schließen',
  save: 'Speichern',
  saving: 'Wird gespeichert …',
  retry: 'Noch einmal versuchen',
  retryIn: (time) => `Neuer Versuch möglich in ${time}`,
  of: (part, all) => `${part} von ${all}`,
  units: { day: 'T', hour: 'h', minute: 'min', second: 's' },
  moment: 'Einen Moment …',
  loading: (what) => `Wird geladen: ${what} …`,
  more: (name) => `Mehr zu ${name}`,
  frame: {
    skip: 'Zum Inhalt springen',
    collections: 'Bereiche',
    more: 'Mehr',
    account: (name) => `${name}: Ihre Daten, Abmelden`,
    noCollections: 'Hier ist noch nichts',
    offline: (time) =>
      `Sie sind offline. Diese Seite zeigt den Stand von ${time}. Speichern können Sie erst wieder, wenn Sie online sind.`,
    part: 'dieser Teil der Seite',
    partMissing: 'Dieser Teil der Seite konnte nicht geladen werden',
    back: 'Zurück zu',
    imprint: 'Impressum',
    privacy: 'Datenschutz',
    declareSome: 'Es sind noch keine Bereiche eingerichtet.',
    throughParent: (parent) =>
      `Diese Einträge gehören zu anderen. Öffnen Sie einen Eintrag unter „${parent}“, um sie zu sehen und neue anzulegen.`,
    notFound: 'Diese Seite gibt es nicht',
    goHome: 'Zur ersten Seite',
    live: {
      off: '',
      connecting: 'Verbindung wird hergestellt …',
      live: 'Live',
      polling: 'Alle 15 Sekunden aktualisiert',
      lost: 'Nicht verbunden',
      ended: 'Nicht verbunden',
      erased: 'An anderer Stelle wurde alles gelöscht',
    },
  },
  list: {
    search: (title) => `${title} durchsuchen`,
    searchIn: (fields) => `Suche in ${and(fields.map(quoted))}`,
    fewerWords: (most) => `Suchen Sie nach höchstens ${most} Wörtern.`,
    longerWords: (fewest) => `Geben Sie von jedem Wort mindestens ${fewest} Buchstaben ein.`,
    shorterWords: (most) => `Ein Wort kann höchstens ${most} Buchstaben haben.`,
    views: 'Ansichten',
    view: { list: 'Liste', table: 'Tabelle', board: 'Tafel', agenda: 'Termine' },
    filters: 'Filter',
    all: 'Alle',
    mine: 'Meine',
    sort: 'Reihenfolge',
    newest: 'Neueste zuerst',
    oldest: 'Älteste zuerst',
    upwards: (field) => `${field}, aufsteigend`,
    downwards: (field) => `${field}, absteigend`,
    count: (count, isLeast) => (isLeast ? `${count}+` : count),
    found: (count, isLeast) => {
      if (count === 0 && !isLeast) return 'Nichts gefunden';
      return plural(count, (n) => ({ other: isLeast ? `Mindestens ${n} gefunden` : `${n} gefunden` }));
    },
    empty: (title) => `${title}: noch keine Einträge.`,
    emptyHere: (title) => `${title}: keine Einträge in dieser Liste.`,
    showAll: 'Alle zeigen',
    showMore: 'Mehr zeigen',
    searchOlder: 'Ältere durchsuchen',
    onlyNewest: 'Nur die neuesten wurden durchsucht. Sie können auch ältere durchsuchen.',
    nothingFor: (q) => `Nichts gefunden für „${q}“.`,
    searchHint: (fields) =>
      `Prüfen Sie die Schreibweise, oder geben Sie nur den Anfang eines Wortes ein. Gesucht wird in ${and(fields.map(quoted))}.`,
    clearSearch: 'Suche beenden',
    reload: 'Neu laden',
    select: 'Auswählen',
    selectOne: (name) => `${name} auswählen`,
    ticks: (field, name) => `${field}: ${name}`,
    open: 'Öffnen',
    copyLink: 'Link kopieren',
    linkCopied: 'Der Link ist kopiert.',
    linkNotCopied: 'Der Browser erlaubt es nicht, den Link zu kopieren.',
    state: 'Stand',
    deprecated: 'Dieser Bereich wird abgeschafft',
    noSunset: 'Ein Datum steht noch nicht fest. Sichern Sie rechtzeitig, was Sie hier haben.',
    sunset: (when) => `Er endet am ${when}.`,
    readMore: 'Mehr dazu',
    underParent: (parent) => `Neue Einträge legen Sie dort an, wo sie hingehören: ${parent}.`,
    creators: (roles) =>
      `Hier kann nur etwas anlegen, wer die Rolle ${or(roles.map(quoted))} hat. Sie haben diese Rolle nicht.`,
    mayNotCreate: 'Sie können hier nichts anlegen',
    opensIn: (title, states) =>
      `${title}: neue Einträge sind nur möglich im Stand ${or(states.map(quoted))}.`,
    closedSince: (title, when) => `${title}: seit ${when} sind keine neuen Einträge möglich.`,
    changes: (count, title) =>
      plural(count, (n) => ({ one: `${n} Änderung in ${title}.`, other: `${n} Änderungen in ${title}.` })),
  },
  selection: {
    title: 'Auswahl',
    none: 'Nichts ist ausgewählt.',
    count: (count) =>
      plural(count, (n) => ({ one: `${n} Eintrag ausgewählt.`, other: `${n} Einträge ausgewählt.` })),
    most: (most) => `Mehr als ${most} auf einmal sind nicht möglich.`,
    nothingFits: 'Keine Aktion passt zu allen: Wählen Sie weniger aus.',
    all: 'Alle auswählen',
    clear: 'Keine auswählen',
    askDelete: (what) => `${what} löschen?`,
    ask: (action, what) => `${action}: ${what}?`,
    deleting: 'Sie können das nicht rückgängig machen.',
    final: (state) => `Der neue Stand ist dann „${state}“. Von dort führt keine Aktion zurück.`,
    allOrNone: 'Es ändern sich alle oder keine.',
    moreNames: (count) => plural(count, (n) => ({ other: `und ${n} weitere` })),
    nothingChanged: 'Nichts hat sich geändert',
    refused: (name) => `„${name}“ wurde abgelehnt, deshalb hat sich nichts geändert.`,
    leaveOut: 'Weglassen',
    deleted: (what) => `Gelöscht: ${what}.`,
    changed: (what) => `Geändert: ${what}.`,
  },
  row: {
    done: (name) => `Erledigt: ${name}.`,
    undone: (name) => `Nicht erledigt: ${name}.`,
    marked: (state, name) => `Jetzt „${state}“: ${name}.`,
    deleted: (name) => `Gelöscht: ${name}.`,
    left: (name) => `Sie sind nicht mehr dabei: ${name}.`,
    created: (one, name) => (one === entry ? `Neuer Eintrag: ${name}.` : `Neu (${one}): ${name}.`),
    changed: (name) => `Geändert: ${name}.`,
    expired: (name) => `Abgelaufen: ${name}.`,
    joined: (name) => `Mit Ihnen geteilt: ${name}.`,
    gone: (name) => `Nicht mehr vorhanden: ${name}.`,
    yours: 'Ihres',
    places: (taken, all) => `${taken} von ${all} Plätzen`,
    full: 'voll',
    waiting: (count) => `${count} auf der Warteliste`,
  },
  board: {
    pickedUp: (name, state) =>
      `Aufgenommen: ${name}. Unter ${state}. Links und Rechts wählen eine Spalte, Escape legt zurück.`,
    over: (state, count, action) =>
      plural(count, (n) => ({
        one: `Über ${state}, eine Karte. Leertaste: ${action}.`,
        other: `Über ${state}, ${n} Karten. Leertaste: ${action}.`,
      })),
    putBack: (state) => `Zurückgelegt: ${state}.`,
    backIn: (state) => `Wieder unter ${state}.`,
    space: 'Leertaste',
    pickUp: 'aufnehmen',
    putDown: 'ablegen',
    choose: 'Spalte wählen',
    back: 'zurücklegen',
  },
  agenda: {
    over: (count) =>
      plural(count, (n) => ({ one: 'Ein Termin ist vorbei', other: `${n} Termine sind vorbei` })),
    show: 'Zeigen',
    hide: 'Ausblenden',
    nothing: 'Nichts ist geplant.',
  },
  record: {
    more: 'Mehr dazu',
    details: 'Angaben',
    created: 'Angelegt',
    changed: 'Geändert',
    places: 'Plätze',
    taken: (taken, all) => `${taken} von ${all} belegt`,
    inState: (count, state) => `${state}: ${count}`,
    changedElsewhere: () => 'Dieser Eintrag wurde an anderer Stelle geändert',
    savedElsewhere: (when) =>
      `Er wurde an anderer Stelle gespeichert (${when}). Ihre Eingaben bleiben erhalten. Beim Speichern können Sie zwischen beiden Fassungen wählen.`,
    loadOther: 'Die andere Fassung laden',
    otherLoaded: 'So ist der Eintrag jetzt.',
    cannotSave:
      'Sie können ihn nicht mehr speichern. Ihre Eingaben bleiben auf dieser Seite, bis Sie sie verlassen.',
    leftIt: 'Ihre Rolle darin ist beendet. Um zurückzukommen, brauchen Sie eine neue Einladung.',
    lost: {
      deleted: () => 'Dieser Eintrag wurde gelöscht',
      left: () => 'Dieser Eintrag ist nicht mehr mit Ihnen geteilt',
      gone: () => 'Dieser Eintrag ist nicht mehr vorhanden',
    },
  },
  action: {
    ask: (action) => `${action}?`,
    final: (state) => `Der neue Stand ist dann „${state}“. Von dort führt keine Aktion zurück.`,
    kept: 'Der Eintrag bleibt in der Liste.',
    no: 'So lassen, wie es ist',
    yes: (action) => `Ja: ${action}`,
  },
  deletion: {
    ask: (name) => `„${name}“ löschen?`,
    final: 'Sie können das nicht rückgängig machen.',
    instead: (action, state) => `Mit „${action}“ bliebe der Eintrag in Ihrer Liste, im Stand „${state}“.`,
    no: 'Behalten',
    yes: 'Löschen',
    deleting: 'Wird gelöscht …',
  },
  form: {
    optional: 'freiwillig',
    choose: 'Bitte wählen …',
    nothing: 'Keine Angabe',
    add: 'Hinzufügen',
    addTo: (field) => `zu ${field}`,
    remove: 'Entfernen',
    item: (field, place) => `${field} ${place}`,
    kept: 'Ihre Eingaben sind noch da',
    startOver: 'Neu beginnen',
    errors: (count) =>
      plural(count, (n) => ({
        one: 'Bitte prüfen Sie eine Angabe.',
        other: `Bitte prüfen Sie ${n} Angaben.`,
      })),
    error: (field, what) => `${field}: ${what}`,
    number: 'Geben Sie eine Zahl ein.',
    moment: 'Geben Sie Datum und Uhrzeit ein.',
    json: 'Geben Sie JSON ein.',
    refused: (_said, limits) =>
      limits === null ? 'Diese Angabe passt nicht.' : `Diese Angabe passt nicht. ${limits}`,
    missing: () => 'Diese Angabe fehlt.',
    everybody: 'Alle können dies lesen',
    reads: {
      everyone: 'Alle, die sich anmelden, können lesen, was Sie hier anlegen. Ändern können es nur Sie.',
      everyoneAndPrograms:
        'Alle, die sich anmelden, können lesen, was Sie hier anlegen. Ändern können es nur Sie und die Programme des Betreibers.',
      everyoneActs:
        'Alle, die sich anmelden, können lesen, was Sie hier anlegen, und damit tun, was die Knöpfe erlauben.',
      you: 'Was Sie hier anlegen, bleibt zwischen Ihnen und dem Betreiber.',
      youAndPrograms: 'Nur Sie und die Programme des Betreibers sehen, was Sie hier anlegen.',
      members: 'Nur Sie und die Personen mit einer Rolle darin sehen, was Sie hier anlegen.',
      membersAndPrograms:
        'Nur Sie, die Personen mit einer Rolle darin und die Programme des Betreibers sehen, was Sie hier anlegen.',
    },
  },
  limits: {
    values: {
      between: (min, max) => `Von ${min} bis ${max}.`,
      most: (max) => `Höchstens ${max}.`,
      least: (min) => `Mindestens ${min}.`,
    },
    characters: {
      between: (min, max) => `${min} bis ${max} Zeichen.`,
      most: (max) => `Höchstens ${max} Zeichen.`,
      least: (min) => `Mindestens ${min} Zeichen.`,
    },
    items: {
      between: (min, max) => `${min} bis ${max} Angaben.`,
      most: (max) =>
        plural(max, () => ({ one: `Höchstens ${max} Angabe.`, other: `Höchstens ${max} Angaben.` })),
      least: (min) => `Mindestens ${min} Angaben.`,
    },
  },
  conflict: {
    title: 'Der Eintrag wurde inzwischen geändert',
    lead: (when) =>
      `Er wurde gespeichert, nachdem Sie ihn geöffnet hatten (${when}). Wählen Sie für jedes Feld eine Fassung.`,
    same: 'Beide Fassungen sind gleich. Sie können Ihre speichern oder verwerfen.',
    yours: 'Ihre',
    theirs: 'Inzwischen gespeichert',
    save: 'Auswahl speichern',
    edit: 'Weiter bearbeiten',
    discard: 'Meine verwerfen',
  },
  history: {
    title: 'Verlauf',
    roles: 'Der Verlauf nennt Rollen. Er sagt nicht, welche Person es war.',
    create: 'Angelegt',
    update: 'Geändert',
    movedUp: 'Nachgerückt',
    from: 'Von',
    to: 'nach',
    byItself: 'von selbst',
    byAnybody: 'ohne Rolle',
    byProgram: 'durch ein Programm des Betreibers',
    by: (role) => `in der Rolle „${role}“`,
  },
  roles: {
    owner: 'Inhaber/in',
    yours: 'Ihr Eintrag',
    from: (person) => `Von: ${person}`,
    youAre: (roles) =>
      plural(roles.length, () => ({
        one: `Ihre Rolle: ${and(roles.map(({ role }) => role))}`,
        other: `Ihre Rollen: ${and(roles.map(({ role }) => role))}`,
      })),
  },
  people: {
    members: 'Mitglieder',
    membersOf: (name) => `Mitglieder: ${name}`,
    aliases: 'Alle haben hier zwei Wörter und ein Bild, und anderswo andere.',
    remove: (person, from) => `„${person}“ aus „${from}“ entfernen?`,
    all: 'Alle Mitglieder',
    invite: 'Einladen…',
    leave: 'Verlassen',
    leaveOne: (name) => `„${name}“ verlassen?`,
    leaving: 'Ihre Rolle darin endet sofort. Um zurückzukommen, brauchen Sie eine neue Einladung.',
    stay: 'Bleiben',
    choose: 'Der Code der Person, wie unter „Mitglieder“.',
    since: (role, when) => `${role} seit ${when}`,
    changeRole: 'Rolle ändern…',
    changeRoleOf: (person) => `von ${person}`,
    askRole: 'Rolle ändern?',
    endsInvitations: 'Damit enden auch alle offenen Einladungen.',
    changeIt: 'Ändern',
    roleChanged: 'Die Rolle ist geändert.',
    removeOne: 'Entfernen…',
    removing: 'Die Rolle endet sofort. Auch alle offenen Einladungen enden.',
    removeIt: 'Entfernen',
    removed: (person) => `Entfernt: ${person}.`,
  },
  invite: {
    title: 'Einladen',
    role: 'Rolle',
    handover: 'Inhaber/in: Sie geben den Eintrag ab und haben dann keine Rolle mehr darin.',
    handoverAs: (role) => `Inhaber/in: Sie geben den Eintrag ab und haben dann die Rolle „${role}“.`,
    uses: 'Für wie viele Personen',
    openFor: 'Gültig für',
    hour: '1 Stunde',
    day: '1 Tag',
    days: (count) => plural(count, (n) => ({ one: `${n} Tag`, other: `${n} Tage` })),
    make: 'Link erstellen',
    link: 'Link',
    admits: (count, role, until) =>
      plural(count, (n) => ({
        one: `Der Link gilt für ${n} Person, in der Rolle „${role}“, bis ${until}.`,
        other: `Der Link gilt für ${n} Personen, in der Rolle „${role}“, bis ${until}.`,
      })),
    once: 'Er wird nur einmal gezeigt. Wer ihn hat, kann ihn verwenden: Senden Sie ihn nur an die Personen, die Sie einladen wollen.',
    notCopied: 'Der Link wurde nicht kopiert',
    copyByHand: 'Der Browser erlaubt es nicht. Der Link ist markiert: Kopieren Sie ihn mit der Tastatur.',
    copying: 'Wird kopiert …',
    copy: 'Link kopieren',
    copied: 'Kopiert.',
    done: 'Fertig',
    open: 'Offene Einladungen',
    none: 'Es gibt keine. Mit „Einladen“ erstellen Sie einen Link, den Sie senden können.',
    left: (count, until) =>
      plural(count, (n) => ({
        one: `Noch für ${n} Person, bis ${until}`,
        other: `Noch für ${n} Personen, bis ${until}`,
      })),
    end: 'Beenden',
    ending: 'Wird beendet …',
    about: (role, until) => `für die Rolle „${role}“, bis ${until}`,
    ended: 'Die Einladung ist beendet.',
  },
  invitation: {
    title: 'Sie sind eingeladen',
    none: 'Hier ist keine Einladung. Öffnen Sie noch einmal den Link, den Sie bekommen haben.',
    offer: (title, _one, role) => `${title}: Einladung in der Rolle „${role}“`,
    mayRead: 'Sie können lesen, was dazugehört',
    mayChange: 'Sie können es ändern',
    mayDelete: 'Sie können es löschen',
    mayAct: (actions) => `Sie können dies tun: ${and(actions)}`,
    mayInvite: 'Sie können andere einladen',
    seen: 'Die anderen sehen, dass Sie dabei sind: an zwei Wörtern und einem Bild. Ihr Name bleibt bei Ihrem Anbieter.',
    ends: (when) => `Die Einladung gilt bis ${when}. Sie können jederzeit wieder gehen.`,
    join: (role) => `Annehmen als ${role}`,
    later: 'Jetzt nicht',
    joined: (name, role) => `Sie sind jetzt dabei: ${name}, in der Rolle „${role}“.`,
  },
  keys: {
    title: 'Tasten',
    groups: [
      {
        where: 'Überall',
        keys: [
          ['/', 'Suchen'],
          ['N', 'Neuer Eintrag'],
          ['G 1', 'Der erste Bereich; G 2 der zweite'],
          ['?', 'Diese Tasten'],
        ],
      },
      {
        where: 'In einer Liste',
        keys: [
          ['↑ ↓', 'Zeile'],
          ['Pos1 Ende', 'Erste und letzte Zeile'],
          ['Enter', 'Öffnen'],
          ['Leertaste', 'Abhaken'],
          ['A', 'Die Aktion neben der Zeile'],
          ['.', 'Menü'],
          ['E', 'Bearbeiten'],
          ['X', 'Auswählen'],
          ['Entf', 'Löschen, nach einer Rückfrage'],
        ],
      },
      {
        where: 'Auf einer Tafel',
        keys: [
          ['↑ ↓ ← →', 'Karte; mit einer Karte in der Hand die Spalte'],
          ['Leertaste', 'Aufnehmen, ablegen'],
          ['Esc', 'Zurücklegen'],
        ],
      },
    ],
  },
  account: {
    title: 'Sie',
    signOut: 'Abmelden',
    known: 'Was über Sie bekannt ist',
    fromProvider: (host) =>
      `Ihr Name und Ihr Bild kommen von ${host} und gelangen nur auf diese Seite. Der Dienst kennt nur ein Pseudonym.`,
    pseudonym: 'Pseudonym',
    since: 'Seit',
    limits: 'Grenzen',
    noProfile: 'Ihr Anbieter hat Name und Bild nicht gesendet.',
    stored: 'Gespeichert',
    changesIn: (time) => `Änderungen in ${time}`,
    newChangesIn: (time) => `Änderungen in Ihrer ersten Zeit, in ${time}`,
    until: (when) => `Bis ${when}`,
    token: 'Access token',
    keys: 'In Listen wirken einzelne Tasten',
  },
  exporting: {
    title: 'Ihre Daten exportieren',
    lead: 'Sie bekommen eine Datei mit allem, was Sie hier haben und was über Sie bekannt ist. Programme können sie lesen: Jede Zeile ist JSON.',
    button: 'Als Datei exportieren',
    fetching: 'Wird geholt …',
    lines: (count) =>
      plural(count, (n) => ({ one: `Wird geholt … ${n} Zeile`, other: `Wird geholt … ${n} Zeilen` })),
    done: (count) =>
      plural(count, (n) => ({
        one: `Als Datei gespeichert: ${n} Eintrag.`,
        other: `Als Datei gespeichert: ${n} Einträge.`,
      })),
  },
  erasure: {
    title: 'Ihre Daten löschen',
    lead: 'Damit löschen Sie alles, was Sie hier haben, Ihr Pseudonym und das Datum Ihres ersten Besuchs. Sie können das nicht rückgängig machen.',
    button: 'Alles löschen…',
    ask: 'Alles löschen?',
    warning:
      'Sie können das nicht rückgängig machen. Wenn Sie eine Kopie behalten möchten, exportieren Sie Ihre Daten zuerst.',
    words: 'alles löschen',
    type: (words) => `Geben Sie „${words}“ ein, um fortzufahren`,
    no: 'Behalten',
    yes: 'Alles löschen',
    erasing: 'Wird gelöscht …',
    done: 'Ihre Daten sind gelöscht',
    erasedOn: (when) => `Gelöscht am ${when}.`,
    receipt: 'Beleg',
    repeats: 'Vermerke gegen doppeltes Speichern',
    total: 'Insgesamt',
    after: 'Über Sie ist nichts mehr gespeichert. Wenn Sie weitermachen, beginnen Sie von vorn.',
    budgets: (when) =>
      `Bis ${when} bleibt ohne Ihr Pseudonym bekannt, wie viel Sie geschrieben haben: Das Löschen setzt diese Grenzen nicht zurück.`,
  },
  welcome: {
    title: 'Anmelden. Ihr Name bleibt bei Ihrem Anbieter.',
    lead: 'Ihr Anbieter sendet Ihren Namen und Ihr Bild nur an diese Seite. Der Dienst dahinter bekommt sie nie: Er kennt Sie unter einem Pseudonym.',
    signIn: 'Anmelden',
    signInWith: (provider) => `Anmelden mit ${provider}`,
    at: (host) => `Bei ${host}`,
    signingIn: 'Anmeldung läuft …',
    signingOut: 'Abmeldung läuft …',
    others:
      'Bei jedem Anbieter sind Sie hier jemand anderes. Was Sie mit dem einen anlegen, ist mit dem anderen nicht da.',
    docs: 'Über die API lesen',
    invited: 'Melden Sie sich an, um die Einladung anzunehmen. Bis dahin merkt sie sich dieser Tab.',
    signedOut: 'Sie sind abgemeldet',
    forgotten: 'Diese Seite hat alles, was sie über Sie wusste, aus diesem Browser gelöscht.',
    signedOutHere: 'Sie sind nur von dieser Seite abgemeldet',
    stillThere:
      'Der Anbieter antwortet nicht, dort sind Sie also noch angemeldet. Melden Sie sich auch dort ab.',
    again: 'Bitte melden Sie sich neu an',
    ended: 'Ihre Sitzung beim Anbieter ist beendet. Ihre Eingaben bleiben in diesem Tab erhalten.',
    denied: 'Sie haben es nicht erlaubt',
    consent:
      'Diese Seite braucht beim Anbieter Ihre Zustimmung. Um sie zu verwenden, melden Sie sich neu an und stimmen Sie zu.',
    failed: 'Die Anmeldung hat nicht geklappt',
    otherTab: 'Diese Anmeldung wurde nicht in diesem Tab begonnen. Melden Sie sich hier neu an.',
    notOffered: 'Der Anbieter dieser Anmeldung steht nicht mehr zur Wahl. Wählen Sie einen anderen.',
    otherSignIn: 'Die Antwort gehört zu einer anderen Anmeldung. Melden Sie sich in diesem Tab neu an.',
    otherProvider:
      'Die Antwort kommt von einem anderen Anbieter als dem, den Sie gewählt haben. Melden Sie sich neu an.',
    unusable:
      'Die Antwort des Anbieters ist nicht brauchbar. Melden Sie sich neu an. Wenn es wieder geschieht, sagen Sie es dem Betreiber.',
    unbound:
      'Der Anbieter schützt die Anmeldung nicht so, wie der Betreiber es verlangt. Sagen Sie es dem Betreiber.',
  },
  down: {
    service: 'Der Dienst antwortet nicht',
    serviceAdvice:
      'Vielleicht startet er gerade neu, oder Ihre Verbindung ist unterbrochen. Versuchen Sie es gleich noch einmal.',
    provider: 'Der Anbieter antwortet nicht',
    providerAdvice: (host) =>
      `Sie melden sich bei ${host} an, und von dort kommt keine Antwort. Ihre Eingaben bleiben erhalten. Versuchen Sie es gleich noch einmal.`,
    otherProvider: 'Anderen Anbieter verwenden',
  },
  problems: {
    service_unreachable: {
      heading: 'Keine Antwort vom Dienst',
      advice:
        'Vielleicht startet der Dienst gerade neu, oder Ihre Verbindung ist unterbrochen. Ihre Eingaben bleiben erhalten. Versuchen Sie es gleich noch einmal.',
    },
    provider_unreachable: {
      heading: 'Keine Antwort vom Anbieter',
      advice:
        'Ihre Anmeldung muss dort erneuert werden. Ihre Eingaben bleiben erhalten. Versuchen Sie es gleich noch einmal.',
    },
    export_incomplete: {
      heading: 'Der Export ist unvollständig',
      advice:
        'Die Verbindung endete, bevor alles angekommen war. Es wurde keine Datei gespeichert. Versuchen Sie es noch einmal.',
    },
    quota_exceeded: {
      heading: ({ many }) => `${many}: mehr Einträge sind nicht möglich`,
      advice:
        'Sie haben die Grenze erreicht. Löschen Sie einen Eintrag, verlassen Sie einen oder geben Sie einen zurück.',
    },
    'under.quota_exceeded': {
      heading: ({ many }) => `${many}: kein Platz für weitere Einträge`,
      advice:
        'Sie oder alle zusammen haben die Grenze erreicht. Löschen Sie einen Eintrag, um Platz zu machen.',
    },
    'invitations.quota_exceeded': {
      heading: 'Es gibt zu viele offene Einladungen',
      advice: 'Möglich sind 100. Beenden Sie eine unter „Mitglieder“ und versuchen Sie es dann noch einmal.',
    },
    write_budget_spent: {
      heading: 'Zu viele Änderungen in kurzer Zeit',
      advice:
        'Ihre Eingaben bleiben erhalten. Speichern Sie noch einmal, wenn die Zeit unten abgelaufen ist.',
    },
    'invitation.write_budget_spent': {
      heading: 'Zu viele Änderungen in kurzer Zeit',
      advice: 'Versuchen Sie es noch einmal, wenn die Zeit unten abgelaufen ist.',
    },
    newcomer_budget_spent: {
      heading: 'Wer neu ist, kann nur wenig ändern',
      advice:
        'Diese Grenze endet nach Ihren ersten Tagen hier. Speichern Sie noch einmal, wenn die Zeit unten abgelaufen ist.',
    },
    'invitation.newcomer_budget_spent': {
      heading: 'Wer neu ist, kann nur wenig ändern',
      advice:
        'Diese Grenze endet nach Ihren ersten Tagen hier. Versuchen Sie es noch einmal, wenn die Zeit unten abgelaufen ist.',
    },
    newcomers_paused: {
      heading: 'Sie können vorerst nur lesen',
      advice:
        'In der letzten Stunde sind viele neue Personen gekommen. Versuchen Sie es noch einmal, wenn die Zeit unten abgelaufen ist.',
    },
    read_limit_reached: {
      heading: 'Zu viele Anfragen in kurzer Zeit',
      advice: 'Versuchen Sie es noch einmal, wenn die Zeit unten abgelaufen ist.',
    },
    'invitation.read_limit_reached': {
      heading: 'Zu viele Einladungen, die nicht gelten',
      advice:
        'Warten Sie, bis die Zeit unten abgelaufen ist. Öffnen Sie dann einen neuen Link, den Sie bekommen haben.',
    },
    query_invalid: {
      heading: 'Diese Liste kann nicht gezeigt werden',
      advice: 'Diese Suche oder dieser Filter geht hier nicht. Ändern Sie die Suche, oder beenden Sie sie.',
    },
    validation_failed: {
      heading: 'Einige Angaben passen nicht',
      advice: 'Bei den Feldern unten steht, was nicht passt.',
    },
    record_too_large: {
      heading: () => 'Dieser Eintrag ist zu groß',
      advice: 'Kürzen Sie ihn und speichern Sie noch einmal.',
    },
    not_found: {
      heading: () => 'Dieser Eintrag ist nicht mehr vorhanden',
      advice: 'Er wurde gelöscht, oder er ist abgelaufen.',
    },
    'shared.not_found': {
      heading: () => 'Dieser Eintrag ist nicht mehr vorhanden',
      advice: 'Er wurde gelöscht, er ist abgelaufen, oder er ist nicht mehr mit Ihnen geteilt.',
    },
    invitation_invalid: {
      heading: 'Diese Einladung gilt nicht mehr',
      advice:
        'Sie wurde verwendet, beendet, ist abgelaufen, oder der Link ist unvollständig. Bitten Sie um eine neue Einladung.',
    },
    already_member: {
      heading: 'Sie sind schon dabei',
      advice: 'Sie müssen nichts annehmen: Sie haben bereits eine Rolle darin.',
    },
    role_full: {
      heading: 'Diese Rolle ist voll besetzt',
      advice:
        'Mehr Personen können sie zurzeit nicht haben. Bitten Sie darum, dass ein Platz frei wird, und versuchen Sie es dann noch einmal.',
    },
    parent_closed: {
      heading: ({ many }) => `${many}: neue Einträge sind nicht mehr möglich`,
      advice: 'Der Eintrag darüber wurde geschlossen, oder seine Zeit ist vorbei.',
    },
    no_capacity: {
      heading: 'Alle Plätze sind belegt',
      advice: 'Versuchen Sie es noch einmal, wenn ein Platz frei ist.',
    },
    not_unique: {
      heading: ({ many, isOwn }) =>
        isOwn
          ? `${many}: Sie haben hier schon einen Eintrag`
          : `${many}: Es gibt schon einen solchen Eintrag`,
      advice: ({ fields }) =>
        fields.length === 0
          ? 'Es kann nur einen geben. Suchen Sie ihn in der Liste und ändern Sie ihn.'
          : `Zwei Einträge dürfen nicht gleich sein in ${and(fields.map(quoted))}. Ändern Sie die Angabe, oder suchen Sie den anderen Eintrag in der Liste.`,
    },
    has_children: {
      heading: ({ children, count }) =>
        count === 0
          ? `Löschen Sie zuerst, was darunter ist: ${children}`
          : plural(count, (n) => ({
              one: `Löschen Sie zuerst den Eintrag darunter: ${children}`,
              other: `Löschen Sie zuerst die ${n} Einträge darunter: ${children}`,
            })),
      advice: 'Andere können Einträge darunter haben, die Sie nicht sehen.',
    },
    precondition_failed: {
      heading: () => 'Dieser Eintrag wurde inzwischen geändert',
      advice: 'Lesen Sie ihn, wie er jetzt ist, und versuchen Sie es dann noch einmal.',
    },
    'batch.precondition_failed': {
      heading: 'Er wurde inzwischen geändert',
      advice: 'Schließen Sie diese Frage und lesen Sie den Eintrag, bevor Sie weitermachen.',
    },
    not_editable: {
      heading: () => 'Dieser Eintrag kann nicht mehr geändert werden',
      advice: 'In seinem jetzigen Stand kann er nicht geändert und nicht gelöscht werden.',
    },
    invalid_transition: {
      heading: 'Das ist nicht mehr möglich',
      advice: 'Der Stand hat sich inzwischen geändert. Sie sehen den Eintrag, wie er jetzt ist.',
    },
    'batch.invalid_transition': {
      heading: 'Das ist nicht mehr möglich',
      advice: 'Der Stand hat sich inzwischen geändert.',
    },
    action_not_allowed: {
      heading: 'Das dürfen Sie nicht',
      advice: 'In diesem Stand ist eine andere Person an der Reihe.',
    },
    role_required: {
      heading: 'Das dürfen Sie nicht',
      advice: 'Sie haben keine Rolle, die es erlaubt. Bitten Sie um eine Einladung.',
    },
    not_owner: {
      heading: 'Dieser Eintrag gehört einer anderen Person',
      advice: 'Sie können ihn lesen, aber nicht ändern.',
    },
    consumer_suspended: {
      heading: 'Ihr Zugang ist gesperrt',
      advice: 'Der Betreiber hat ihn gesperrt. Fragen Sie ihn nach dem Grund.',
    },
    insufficient_scope: {
      heading: 'Ihre Anmeldung erlaubt das nicht',
      advice: 'Melden Sie sich ab und neu an, und erlauben Sie es dabei.',
    },
    keys_unavailable: {
      heading: 'Ihre Anmeldung kann zurzeit nicht geprüft werden',
      advice: 'Versuchen Sie es gleich noch einmal.',
    },
    sign_in_refused: {
      heading: 'Ihre Anmeldung wird nicht angenommen',
      advice:
        'Prüfen Sie, ob die Uhr dieses Geräts richtig geht. Melden Sie sich dann ab und neu an. Wenn das nicht hilft, sagen Sie es dem Betreiber.',
    },
    unknown: {
      heading: 'Das hat nicht geklappt',
      advice:
        'Versuchen Sie es noch einmal. Wenn es wieder geschieht, nennen Sie dem Betreiber, was unten steht.',
    },
    internal: {
      heading: 'Der Dienst hat einen Fehler',
      advice:
        'Versuchen Sie es gleich noch einmal. Wenn es wieder geschieht, nennen Sie dem Betreiber, was unten steht.',
    },
  },
  person: {
    one: 'Person',
    name: (quality, being) => {
      const { ending = '', noun = '' } = beings[being] ?? {};
      const stem = qualities[quality] ?? '';
      return `${stem.charAt(0).toUpperCase()}${stem.slice(1)}${ending} ${noun}`;
    },
  },
  date: { at: (day, time) => `${day}, ${time}` },
});

function quoted(text: string): string {
  return `„${text}“`;
}

/** "3 Einträge" for records without a name of their own, "3 Buchungen" for those with one. */
function manyOf(one: string, many: string): string {
  return one === entry ? 'Einträge' : many;
}
