import { peopleDeclarations } from './declarations.ts';

const roomy = 'limits: { writes: 10000/min }';

/** Collections in which every rule about people can be attacked. */
export const attackDeclarations: Readonly<Record<string, string>> = {
  ...peopleDeclarations,
  /** A role by invitation that does not read every state. */
  papers: `
title: Papers
schema:
  required: [text, shelf]
  properties:
    text: { type: string, maxLength: 200 }
    shelf: { type: string, maxLength: 20 }
    grade: { type: integer, minimum: 1, maximum: 6 }
    remark: { type: string, maxLength: 200 }
index: [shelf]
roles:
  reviewer: { invited_by: owner, max: 5 }
access:
  read: { owner: all, reviewer: [handed_in, returned] }
  update: { owner: [draft] }
  delete: { owner: [draft] }
states:
  draft: { hand_in: { to: handed_in, by: owner } }
  handed_in:
    take_back: { to: draft, by: owner }
    return: { to: returned, by: reviewer, sets: [grade, "remark?"] }
  returned: {}
events: full
aliases: true
history: true
${roomy}
`,
  /** The owner does not read what becomes of it. */
  reports: `
title: Reports
schema:
  required: [text]
  properties: { text: { type: string, maxLength: 200 }, verdict: { type: string, maxLength: 200 } }
roles:
  judge: { scope: issues.moderate }
access:
  read: { owner: [sent], judge: all }
  update: { owner: [sent] }
  delete: { owner: [sent] }
states:
  sent: { judge: { to: judged, by: judge, sets: [verdict] } }
  judged: {}
events: full
${roomy}
`,
  /** Roles that invite to themselves, and ownership that is handed over. */
  clubs: `
title: Clubs
schema:
  required: [title]
  properties: { title: { type: string, maxLength: 60 } }
roles:
  chair: { invited_by: [owner, chair], max: 5 }
  guest: { invited_by: [owner, chair], max: 5 }
  owner: { invited_by: owner, previous_owner: guest }
access: { read: [owner, chair, guest], update: [owner, chair], delete: owner }
aliases: true
events: full
limits: { per_user: 2, memberships: 3, writes: 10000/min }
`,
  /** Machine clients, and a role by scope that may take an action which grants another. */
  jobs: `
title: Jobs
schema:
  required: [title]
  properties: { title: { type: string, maxLength: 60 } }
roles:
  dispatcher: { scope: jobs.dispatch }
  driver: { max_per_user: 5 }
  helper: { invited_by: owner, max: 5 }
access: { read: [everyone, dispatcher], clients: own, update: owner, delete: owner }
states:
  open:
    take: { to: taken, by: [everyone, dispatcher], grants: driver }
  taken:
    drop: { to: open, by: [owner, driver], revokes: driver }
aliases: true
events: full
${roomy}
`,
};
