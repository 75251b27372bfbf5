import { useEffect, useRef, useState } from 'preact/hooks';
import type { NewInvitation } from '../api/client.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Notice } from '../parts/notice.tsx';
import { linkTo } from '../parts/use-route.ts';
import { counted, displayMoment } from '../schema/display.ts';
import { inWords } from '../schema/shape.ts';

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
        <label for="invitation-link">Link</label>
        <input id="invitation-link" ref={input} class="copied" readOnly value={link} />
      </div>
      <p>
        It admits {counted(uses, 'person', 'people')} as <strong>{inWords(role).toLowerCase()}</strong> until{' '}
        <time dateTime={expires_at}>{displayMoment(expires_at)}</time>. The link is shown only once. Everybody
        who has it can use it, so send it only to the people you want to invite.
      </p>
      {copied === 'failed' && (
        <Notice tone="bad" title="The link was not copied">
          <p>The browser does not allow it. The link is selected: copy it with the keyboard.</p>
        </Notice>
      )}
      <div class="buttons">
        <BusyButton class="primary" busyLabel="Copying…" onPress={copy}>
          Copy the link
        </BusyButton>
        <button type="button" onClick={onClose}>
          Done
        </button>
        <p class="soft" role="status">
          {copied === 'yes' && 'Copied.'}
        </p>
      </div>
    </div>
  );
}
