import { createClient, type Operation } from '@vestibule/client';
import { useAction, useList, useRecord } from '@vestibule/client/react';
import { type ReactNode, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { api as url } from './addresses.js';
import type { Assignment, Collections, Handin } from './collections.d.ts';
import { accessToken, resume, signIn, signOut } from './sign-in.js';

const api = createClient<Collections>({ url, token: accessToken });
const { classes, assignments, handins } = api.collections;

// The code of an invitation is behind "#", where no server sees it, and is kept while the provider asks who it is.
const [, invitation] = /^#join=([\w-]+)$/.exec(location.hash) ?? [];
if (invitation) {
  sessionStorage.setItem('join', invitation);
  history.replaceState(null, '', location.pathname);
}

const root = createRoot(document.getElementById('page') as HTMLElement);
resume().then(
  (isInside) => root.render(<StrictMode>{isInside ? <Classes /> : <Outside />}</StrictMode>),
  (error) => root.render(<Outside error={error} />),
);

function Outside({ error }: { error?: Error }) {
  return (
    <main>
      <h1>{sessionStorage.getItem('join') ? 'Sign in to join the class' : 'Class'}</h1>
      <Failure error={error} />
      <Act label="Sign in" run={signIn} />
    </main>
  );
}

function Classes() {
  const { items, status, error } = useList(classes);
  const [open, setOpen] = useState<string | null>(null);
  const [code, setCode] = useState(sessionStorage.getItem('join'));
  const join = async (code: string) => {
    sessionStorage.removeItem('join');
    setOpen((await api.accept(code)).record.id);
    setCode(null);
  };
  if (open) return <Class id={open} close={() => setOpen(null)} />;
  return (
    <main>
      <header>
        <h1>Classes</h1>
        <span>{status}</span>
        <Act label="Sign out" run={signOut} />
      </header>
      <Failure error={error} />
      {code && <Act label="Join the class" run={() => join(code)} />}
      {items?.map(({ id, title }) => (
        <Act key={id} label={title} run={async () => setOpen(id)} />
      ))}
      {items?.length === 0 && <p>No class yet. Make one, or open a link that a teacher has sent to you.</p>}
      <Fields label="New class" run={({ title }) => classes.create({ title })}>
        <input name="title" aria-label="Title of the class" placeholder="Title of the class" required />
      </Fields>
    </main>
  );
}

function Class({ id, close }: { id: string; close: () => void }) {
  const { record, status, error } = useRecord(classes, id);
  const { items } = useList(assignments, record ? { class: id } : null);
  const [link, setLink] = useState('');
  const isTeacher = record?.roles.some((role) => role === 'owner' || role === 'assistant');
  const invite = async () => {
    const { code } = await classes.invite(id, { role: 'student', uses: 30 });
    setLink(`${location.origin}/#join=${code}`);
  };
  const assign = ({ title, due }: Texts) =>
    assignments.create({ class: id, title, due: new Date(due).toJSON() });
  return (
    <main>
      <header>
        <h1>{record === null ? 'This class is not here any more.' : record?.title}</h1>
        <span>{status}</span>
        <Act label="All classes" run={async () => close()} />
      </header>
      <Failure error={error} />
      {items?.map((assignment) => (
        <Task key={assignment.id} assignment={assignment} />
      ))}
      {isTeacher && (
        <>
          <Fields label="New assignment" run={assign}>
            <input name="title" aria-label="Title" placeholder="Title" maxLength={200} required />
            <input name="due" aria-label="Due" type="datetime-local" required />
          </Fields>
          <Act label="Invite students" run={invite} />
          {link && <input aria-label="Link for students" readOnly value={link} />}
        </>
      )}
    </main>
  );
}

function Task({ assignment }: { assignment: Assignment }) {
  const { id, title, due, state, actions } = assignment;
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {title}, due {new Date(due).toLocaleString()} ({state})
      </summary>
      {actions.map((action) => (
        <Act key={action} label={`${action} ${title}`} run={() => assignments.act(id, action)} />
      ))}
      {isOpen && <Handins assignment={assignment} />}
    </details>
  );
}

/** Writes a text and hands it in: both or none, so that no draft stays behind. */
const handInWith = (id: string, write: Operation<Collections>) =>
  api.batch([write, { act: 'hand_in', in: 'handins', id }]);

function Handins({ assignment: { id, state, roles } }: { assignment: Assignment }) {
  const { items, error } = useList(handins, { assignment: id });
  const handIn = ({ text }: Texts, made = crypto.randomUUID()) =>
    handInWith(made, { create: 'handins', id: made, fields: { assignment: id, text } });
  return (
    <>
      <Failure error={error} />
      {items?.map((handin) => (
        <One key={handin.id} handin={handin} />
      ))}
      {items?.length === 0 && <p>Nothing was handed in.</p>}
      {items?.length === 0 && state === 'open' && roles.includes('student') && (
        <Fields label="Hand in" run={handIn}>
          <textarea name="text" aria-label="Your text" placeholder="Your text" required />
        </Fields>
      )}
    </>
  );
}

function One({ handin: { id, owner, text, state, actions, grade, remark } }: { handin: Handin }) {
  const give = ({ grade, remark }: Texts) => handins.return(id, { grade: +grade, ...(remark && { remark }) });
  const again = ({ text }: Texts) => handInWith(id, { update: 'handins', id, fields: { text } });
  return (
    <article aria-label={`From ${owner}`}>
      <blockquote>{text}</blockquote>
      <p>{grade ? `Grade ${grade}. ${remark ?? ''}` : state}</p>
      {actions.includes('take_back') && <Act label="Take back" run={() => handins.take_back(id)} />}
      {actions.includes('hand_in') && (
        <Fields label="Hand in again" run={again}>
          <textarea name="text" aria-label="Your text" placeholder="Your text" defaultValue={text} required />
        </Fields>
      )}
      {actions.includes('return') && (
        <Fields label="Return" run={give}>
          <input name="grade" aria-label="Grade" placeholder="Grade" type="number" min={1} max={6} required />
          <input name="remark" aria-label="Remark" placeholder="Remark" maxLength={2000} />
        </Fields>
      )}
    </article>
  );
}

type Texts = Record<string, string>;

function Fields(props: { label: string; run: (texts: Texts) => Promise<unknown>; children: ReactNode }) {
  const { run, isPending, error } = useAction(async (form: HTMLFormElement) => {
    await props.run(Object.fromEntries(new FormData(form)) as Texts);
    form.reset();
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run(event.currentTarget);
      }}
    >
      {props.children}
      <button type="submit" disabled={isPending}>
        {props.label}
      </button>
      <Failure error={error} />
    </form>
  );
}

function Act(props: { label: string; run: () => Promise<unknown> }) {
  const { run, isPending, error } = useAction(props.run);
  return (
    <>
      <button type="button" disabled={isPending} onClick={() => run()}>
        {props.label}
      </button>
      <Failure error={error} />
    </>
  );
}

const Failure = ({ error }: { error?: Error | null | undefined }) =>
  error ? <p role="alert">{error.message}</p> : null;
