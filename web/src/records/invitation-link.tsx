import { useEffect, useRef, useState } from 'preact/hooks';
import type { NewInvitation } from '../api/client.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Notice } from '../parts/notice.tsx';
import { linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { displayMoment } from '../schema/display.ts';
import { roleName } from './roles.ts';

interface InvitationLinkProps {
  readonly invitation: NewInvitation;
  onClose(): void;
}

/** The link of a new invitation. The code stands after `#`, a part that browsers send to no server. */
export function InvitationLink({ invitation, onClose }: InvitationLinkProps) {
  const { role, uses, expires_at, code } = invitation;
  const [copied, setCopied] = useState<'yes' | 'failed' | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const link = `${location.origin}/${linkTo('invitation', code)}`;
  const copy = async () => {
    // The clipboard is undefined without HTTPS, and the browser may refuse access to it.
    const writing = async () => navigator.clipboard.writeText(link);
    setCopied(
      await writing().then(
        () => 'yes' as const,
        () => 'failed' as const,
      ),
    );
    input.current?.select();
  };
  return (
    <div class="form">
      <div class="field">
        <label for="invitation-link">{t.invite.link}</label>
        <input id="invitation-link" ref={input} class="copied" readOnly value={link} />
      </div>
      <p>
        {t.invite.admits(uses, roleName(role), displayMoment(expires_at))} {t.invite.once}
      </p>
      {copied === 'failed' && (
        <Notice tone="bad" title={t.invite.notCopied}>
          <p>{t.invite.copyByHand}</p>
        </Notice>
      )}
      <div class="buttons">
        <BusyButton class="primary" busyLabel={t.invite.copying} onPress={copy}>
          {t.invite.copy}
        </BusyButton>
        <button type="button" onClick={onClose}>
          {t.invite.done}
        </button>
        <p class="soft" role="status">
          {copied === 'yes' && t.invite.copied}
        </p>
      </div>
    </div>
  );
}
