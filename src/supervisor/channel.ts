import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Answers, FromChild, Question, Start, ToChild } from './messages.ts';

/** What a supervisor may ask of a process, and give to it. */
interface Member {
  readonly address: string;
  take(socket: Socket): void;
  ready(): Promise<Answers['ready']>;
  families(): Answers['metrics'];
}

/** The first word of the supervisor. */
export async function receiveStart(): Promise<Start> {
  const [message] = await once(process, 'message');
  return (message as { start: Start }).start;
}

/** From now on this process takes connections and answers questions. It ends with its supervisor: node:cluster sees to that. */
export function joinSupervisor(member: Member): void {
  const answer = async (question: Question): Promise<Answers[Question]> => {
    if (question === 'metrics') return member.families();
    return question === 'ready' ? member.ready() : true;
  };
  process.on('message', (message: ToChild, socket?: Socket) => {
    if ('connection' in message) {
      tell({ taken: message.connection });
      // None where the caller has hung up on the way.
      if (socket) member.take(socket);
    } else if ('ask' in message) {
      const { id } = message;
      answer(message.ask).then(
        (answered) => tell({ id, answer: answered }),
        () => tell({ id, answer: null }),
      );
    }
  });
  tell({ listening: member.address });
}

/** A supervisor that is gone needs no answer. */
function tell(message: FromChild): void {
  process.send?.(message, undefined, {}, () => {});
}
