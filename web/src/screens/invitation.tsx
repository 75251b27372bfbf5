import { useEffect, useState } from 'preact/hooks';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Notice, ProblemNotice, useWait } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { goTo, linkTo } from '../parts/use-route.ts';
import { withArticle } from '../records/roles.ts';
import { dropInvitation, findInvitation } from '../session/traces.ts';

/** A second try with the same code would have the same result. */
const final = ['invitation_invalid', 'already_member', 'validation_failed'];

/** Offers to accept the invitation of a link. The service names the record only after that. */
export function InvitationScreen() {
  const { api, announce } = useApp();
  const { problem, attempt, forget } = useAttempt();
  const [code, setCode] = useState(findInvitation);
  const isWaiting = useWait(problem) > 0;

  // Another link can be opened in the same tab.
  useEffect(() => {
    const update = () => {
      setCode(findInvitation());
      forget();
    };
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);

  const accept = () =>
    attempt(async () => {
      try {
        const { collection, role, record } = await api.accept(code ?? '');
        dropInvitation();
        announce(`You are ${withArticle(role)} now.`);
        // Replaces this screen in the history of the browser: the code cannot be used again.
        location.replace(linkTo('data', collection, record.id, 'members'));
      } catch (error) {
        if (final.includes((error as { code?: string }).code ?? '')) {
          dropInvitation();
          setCode(null);
        }
        throw error;
      }
    });
  const decline = () => {
    dropInvitation();
    goTo('data');
  };

  return (
    <Screen title="You are invited" lead="A person wants to share a record with you.">
      {problem !== null && <ProblemNotice problem={problem} context="invitation" />}
      {code === null && problem === null && (
        <Notice tone="plain" title="There is no invitation to accept">
          <p>Open the link again that was sent to you.</p>
        </Notice>
      )}
      {code !== null && (
        <section class="card" aria-label="Invitation">
          <p>
            If you accept, you get a role in the record and find it under “Your data”. People who may invite
            others see that you joined. They see an alias; your name stays with your provider. You can leave
            at any time.
          </p>
          <div class="buttons">
            <BusyButton class="primary" busyLabel="One moment…" disabled={isWaiting} onPress={accept}>
              Accept
            </BusyButton>
            <button type="button" onClick={decline}>
              Not now
            </button>
          </div>
        </section>
      )}
      {code === null && (
        <p>
          <a href={linkTo('data')}>Your data</a>
        </p>
      )}
    </Screen>
  );
}
