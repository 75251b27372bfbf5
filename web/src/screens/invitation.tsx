import { useEffect, useState } from 'preact/hooks';
import type { Collection } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice, useWait } from '../parts/notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { useLoad } from '../parts/use-load.ts';
import { goTo, linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { singularOf } from '../records/collection-words.ts';
import { nameOf } from '../records/record-name.ts';
import { grantsOf, roleName } from '../records/roles.ts';
import { displayMoment } from '../schema/display.ts';
import { dropInvitation, findInvitation } from '../session/traces.ts';

/** A second try with the same code would have the same result. */
const final = ['invitation_invalid', 'already_member', 'validation_failed'];

/** Says what an invitation leads to, and takes the role. Null: the collections are not loaded yet. */
export function InvitationScreen({ collections }: { readonly collections: readonly Collection[] | null }) {
  const { api, announce } = useApp();
  const { problem, attempt, forget } = useAttempt();
  const [code, setCode] = useState(findInvitation);
  const preview = useLoad(async () => (code === null ? null : api.preview(code)), code ?? '');
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

  const shown = problem ?? (preview.isLoading ? null : preview.problem);
  useEffect(() => {
    if (shown !== null && final.includes(shown.code)) dropInvitation();
  }, [shown]);

  const accept = () =>
    attempt(async () => {
      const { collection, role, record } = await api.accept(code ?? '');
      dropInvitation();
      const found = collections?.find(({ name }) => name === collection);
      const name = found === undefined ? collection : nameOf(found, record);
      announce(t.invitation.joined(name, roleName(role)));
      // Replaces this screen in the history of the browser: the code cannot be used again.
      location.replace(linkTo('data', collection, record.id, 'open'));
    });
  const decline = () => {
    dropInvitation();
    goTo();
  };

  const offer = preview.value;
  const collection = collections?.find(({ name }) => name === offer?.collection);
  if (code === null || (shown !== null && final.includes(shown.code)))
    return (
      <Screen title={t.invitation.title}>
        <div class="page">
          {shown === null ? (
            <p>{t.invitation.none}</p>
          ) : (
            <ProblemNotice problem={shown} context="invitation" />
          )}
          <a class="button" href={linkTo()}>
            {t.frame.goHome}
          </a>
        </div>
      </Screen>
    );
  return (
    <Screen title={t.invitation.title}>
      <div class="page narrow">
        {shown !== null && <ProblemNotice problem={shown} context="invitation" onRetry={preview.reload} />}
        {(offer === null || collection === undefined) && shown === null && (
          <Loading what={t.invitation.title} />
        )}
        {offer !== null && collection !== undefined && (
          <section class="card stack" aria-labelledby="offer">
            <h2 id="offer">
              {t.invitation.offer(collection.title, singularOf(collection), roleName(offer.role))}
            </h2>
            {collection.description && <p>{collection.description}</p>}
            <ul class="plain">
              {grantsOf(collection, offer.role).map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
            <p class="soft">{t.invitation.seen}</p>
            <p class="soft">{t.invitation.ends(displayMoment(offer.expires_at))}</p>
            <div class="buttons">
              <BusyButton class="primary" busyLabel={t.moment} disabled={isWaiting} onPress={accept}>
                {t.invitation.join(roleName(offer.role))}
              </BusyButton>
              <button type="button" onClick={decline}>
                {t.invitation.later}
              </button>
            </div>
          </section>
        )}
      </div>
    </Screen>
  );
}
