// How one has come here: the functions on the stack, each with its variables, and below them the chain of messages that led to this turn, each with the statement that has sent it.
import type { ResultOf } from '@turntable/time-machine/protocol';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Session } from '../model/session.ts';
import type { Stretch } from '../model/state.ts';
import { shortName } from './source.tsx';
import { Tabs } from './tabs.tsx';
import { useAsked } from './use-asked.ts';
import { useSelected } from './use-selected.ts';

type History = ResultOf<'history'>;

/** Senders that are shown. */
const MOST = 12;

export function StackView({ session }: { readonly session: Session }): JSX.Element {
  const frames = useSelected(session, (state) => state.frames);
  const frame = useSelected(session, (state) => state.frame);
  const where = useSelected(session, (state) => state.where);
  const canAsk = useSelected(session, (state) => state.hello?.statements === true);
  const order = where?.stretch?.order;
  const senders = useSenders(session, order);
  const [isExact, setExact] = useState(false);
  const history = useHistory(session, isExact ? order : undefined);
  return (
    <section class="pane stack" aria-label="Stack">
      <header class="pane-head">
        <Tabs session={session} place="below" />
        <span class="push" />
        <label class="check" title="The statements that have sent what led here: stretches are run again for that">
          <input
            type="checkbox"
            checked={isExact}
            disabled={!canAsk}
            onChange={(event) => setExact(event.currentTarget.checked)}
          />
          statements of senders
        </label>
      </header>
      <ol class="list">
        {frames.map(({ index, function: name, place, hasLocals }) => (
          <li key={index}>
            <button
              type="button"
              class={index === frame ? 'entry is-chosen' : 'entry'}
              aria-current={index === frame ? 'true' : undefined}
              title={
                hasLocals
                  ? 'Its variables'
                  : 'Its variables cannot be seen: it is not of this turn, or none of the program'
              }
              disabled={place === undefined}
              onClick={() => void session.chooseFrame(index)}
            >
              <span class="entry-name">{name === '' ? 'the file itself' : name}</span>
              <span class="quiet">{place === undefined ? '' : `${shortName(place.file)}:${place.line}`}</span>
            </button>
          </li>
        ))}
        {where?.stretch !== undefined && (
          <li class="divider">
            in <strong>{where.stretch.title}</strong>
          </li>
        )}
        {senders.map((sender, i) => (
          <Sender
            key={`sent ${sender.order}`}
            session={session}
            sender={sender}
            received={senders[i - 1] ?? where?.stretch}
            sending={history?.stretches[i]}
          />
        ))}
        {senders.length > 0 && senders.length < MOST && history?.why !== undefined && (
          <li class="divider quiet">{history.why}</li>
        )}
      </ol>
    </section>
  );
}

interface SenderProps {
  readonly session: Session;
  readonly sender: Stretch;
  /** What came of it. */
  readonly received: Stretch | undefined;
  /** Where it was sent, once that was asked. */
  readonly sending: History['stretches'][number] | undefined;
}

function Sender({ session, sender, received, sending }: SenderProps): JSX.Element {
  const { title, place, order } = sender;
  const at = sending?.statement;
  const where = at === undefined ? place && shortName(place) : `${shortName(at.file)}:${at.line}`;
  return (
    <li>
      <button
        type="button"
        class="entry"
        title="Go to the statement that has sent it (F, from here)"
        onClick={() => void session.goToSending(received?.position)}
      >
        <span class="entry-name">
          <span class="quiet">sent by</span> {title}
        </span>
        <span class="quiet">{where ?? order}</span>
      </button>
    </li>
  );
}

/** The chain, as the time line has it. */
function useSenders(session: Session, order: number | undefined): readonly Stretch[] {
  const timeLine = useSelected(session, (state) => state.timeLine);
  const [senders, setSenders] = useState<readonly Stretch[]>([]);
  const chain = order === undefined ? [] : (timeLine?.chainTo(order, MOST) ?? []);
  useAsked(
    async (signal) => {
      const asked = chain.map((from) => session.request('stretches', { from, count: 1 }, { signal }));
      const answers = await Promise.all(asked);
      if (!signal.aborted) setSenders(answers.flatMap(({ stretches }) => stretches));
    },
    [session, chain.join(' ')],
  );
  return senders;
}

/** The same with statements, for which stretches are run again. */
function useHistory(session: Session, order: number | undefined): History | undefined {
  const [history, setHistory] = useState<History>();
  const ask = async (signal: AbortSignal): Promise<void> => {
    setHistory(undefined);
    if (order === undefined) return;
    const answer = await session.request('history', { from: String(order), count: MOST }, { signal });
    if (!signal.aborted) setHistory(answer);
  };
  useAsked(ask, [session, order], (error) => session.tell(error));
  return history;
}
