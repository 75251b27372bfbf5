import { t } from '../parts/words.ts';
import { personName } from './person.ts';
import { Picture } from './picture.tsx';

interface WhoProps {
  readonly alias: string;
  readonly isMe?: boolean;
  /** Among people with the same name. */
  readonly name?: string | undefined;
  readonly size?: number;
}

/** A person: picture and name. The alias is in the tooltip. */
export function Who({ alias, isMe = false, name = personName(alias), size = 22 }: WhoProps) {
  return (
    <span class="who" title={alias}>
      <Picture alias={alias} size={size} />
      <span class="cut">
        <bdi>{name}</bdi>
        {isMe && <span class="soft"> ({t.you})</span>}
      </span>
    </span>
  );
}
