// The stack of the current statement and the suspended functions that await it. A frame can be selected to see its
// variables. Below it the chain of senders, each at the statement that sent the message.
import { awaitTitle, moreAwaitingText, otherWaitersText } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DebuggerSession } from '../model/debugger-session.ts';
import type { ListedFrame, ListedTask } from '../model/session-state.ts';
import { shortPath } from './source.tsx';
import { Tabs } from './tabs.tsx';
import { useRequest } from './use-request.ts';
import { useSelector } from './use-selector.ts';

type MessageHistory = ResultOf<'history'>;

/** Maximum number of senders in the chain. */
const MAX_SENDERS = 12;

export function StackView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const frames = useSelector(session, (state) => state.frames);
  const moreAwaiting = useSelector(session, (state) => state.moreAwaiting);
  const selected = useSelector(session, (state) => state.frameIndex);
  const cursor = useSelector(session, (state) => state.cursor);
  const canInspect = useSelector(session, (state) => state.hello?.canStep === true);
  const order = cursor?.task?.order;
  const senders = useSenders(session, order);
  const [showsStatements, setShowsStatements] = useState(false);
  const history = useHistory(session, showsStatements ? order : undefined);
  return (
    <section class="pane stack" aria-label="Stack">
      <header class="pane-head">
        <Tabs session={session} pane="below" />
        <span class="push" />
        <label class="check" title="The sending statements; takes a replay of these tasks">
          <input
            type="checkbox"
            checked={showsStatements}
            disabled={!canInspect}
            onChange={(event) => setShowsStatements(event.currentTarget.checked)}
          />
          statements of senders
        </label>
      </header>
      <ol class="list">
        {frames.map((frame) => (
          <FrameRow key={frame.index} session={session} frame={frame} isSelected={frame.index === selected} />
        ))}
        {moreAwaiting > 0 && <li class="divider quiet">{moreAwaitingText(moreAwaiting)}</li>}
        {cursor?.task !== undefined && (
          <li class="divider">
            in <strong>{cursor.task.title}</strong>
          </li>
        )}
        {senders.map((sender, i) => (
          <SenderRow
            key={`sent ${sender.order}`}
            session={session}
            sender={sender}
            received={senders[i - 1] ?? cursor?.task}
            sendInfo={history?.tasks[i]}
          />
        ))}
        {senders.length > 0 && senders.length < MAX_SENDERS && history?.reason !== undefined && (
          <li class="divider quiet">{history.reason}</li>
        )}
      </ol>
    </section>
  );
}

interface FrameRowProps {
  readonly session: DebuggerSession;
  readonly frame: ListedFrame;
  readonly isSelected: boolean;
}

function FrameRow({ session, frame, isSelected }: FrameRowProps): JSX.Element {
  const { index, location, hasLocals, isAwaiting } = frame;
  const name = frame.function === '' ? '(module)' : frame.function;
  return (
    <li>
      <button
        type="button"
        class={isSelected ? 'entry is-selected' : 'entry'}
        aria-current={isSelected ? 'true' : undefined}
        title={
          hasLocals
            ? 'Show its variables; double-click to go to its statement'
            : 'No variables: the frame belongs to another task, or not to the program'
        }
        disabled={location === undefined}
        onClick={() => void session.selectFrame(index)}
        onDblClick={() => void session.moveToFrame(index)}
      >
        <span class="entry-name">
          {isAwaiting === true ? `${awaitTitle(frame, name)}${otherWaitersText(frame)}` : name}
        </span>
        <span class="quiet">{location === undefined ? '' : `${shortPath(location.file)}:${location.line}`}</span>
      </button>
    </li>
  );
}

interface SenderRowProps {
  readonly session: DebuggerSession;
  readonly sender: ListedTask;
  /** The task that handled the sender's message; undefined if it is not known. */
  readonly received: ListedTask | undefined;
  /** The statement that sent the message; undefined until it is loaded. */
  readonly sendInfo: MessageHistory['tasks'][number] | undefined;
}

function SenderRow({ session, sender, received, sendInfo }: SenderRowProps): JSX.Element {
  const { title, methodLocation, order } = sender;
  const statement = sendInfo?.statement;
  const location =
    statement === undefined
      ? methodLocation && shortPath(methodLocation)
      : `${shortPath(statement.file)}:${statement.line}`;
  return (
    <li>
      <button
        type="button"
        class="entry"
        title="Go to the statement that sent the message"
        onClick={() => void session.moveToSend(received?.position)}
      >
        <span class="entry-name">
          <span class="quiet">sent by</span> {title}
        </span>
        <span class="quiet">{location ?? order}</span>
      </button>
    </li>
  );
}

/** Loads the tasks in the chain of senders, which the timeline knows by order. */
function useSenders(session: DebuggerSession, order: number | undefined): readonly ListedTask[] {
  const timeline = useSelector(session, (state) => state.timeline);
  const [senders, setSenders] = useState<readonly ListedTask[]>([]);
  const chain = order === undefined ? [] : (timeline?.senderChain(order, MAX_SENDERS) ?? []);
  useRequest(
    async (signal) => {
      const requests = chain.map((from) => session.request('tasks', { from, count: 1 }, { signal }));
      const answers = await Promise.all(requests);
      if (!signal.aborted) setSenders(answers.flatMap(({ tasks }) => tasks));
    },
    [session, chain.join(' ')],
  );
  return senders;
}

/** Loads the statements that sent the messages, which requires a replay of the senders' tasks. */
function useHistory(session: DebuggerSession, order: number | undefined): MessageHistory | undefined {
  const [history, setHistory] = useState<MessageHistory>();
  const loadHistory = async (signal: AbortSignal): Promise<void> => {
    setHistory(undefined);
    if (order === undefined) return;
    const answer = await session.request('history', { from: String(order), count: MAX_SENDERS }, { signal });
    if (!signal.aborted) setHistory(answer);
  };
  useRequest(loadHistory, [session, order], (error) => session.showError(error));
  return history;
}
