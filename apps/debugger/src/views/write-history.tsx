// The write history of a value. Each step has buttons that move to its statement and trace its operands.
import type { JSX } from 'preact';
import type { WriteHistoryStep } from '../model/write-history.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { shortPath } from './source.tsx';
import { Tabs } from './tabs.tsx';
import { useSelector } from './use-selector.ts';

const LAST_WRITE_TITLES: Readonly<Record<WriteHistoryStep['kind'], string>> = {
  written: 'written',
  passed: 'passed',
  sent: 'sent',
  settled: 'settled',
  resumed: 'resumed',
};

export function WriteHistoryView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const history = useSelector(session, (state) => state.writeHistory);
  return (
    <section class="pane writes" aria-label="Write history" aria-busy={history?.isLoading === true}>
      <header class="pane-head">
        <Tabs session={session} pane="below" />
      </header>
      {history !== undefined && (
        <div class="write-subject">
          <code class="expression" title={history.expression}>
            {history.expression}
          </code>
          <button
            type="button"
            class="plain quiet"
            title="Go back to where the history starts"
            onClick={() => void session.moveTo(history.position)}
          >
            {history.position}
          </button>
          <span class="push" />
          {history.isLoading ? (
            <button type="button" class="plain" onClick={() => session.writeHistory.cancel()}>
              Cancel
            </button>
          ) : (
            <button
              type="button"
              class="plain"
              aria-label="Clear the write history"
              onClick={() => session.writeHistory.clear()}
            >
              ✕
            </button>
          )}
        </div>
      )}
      {history === undefined ? (
        <p class="empty">
          To see which statement wrote a value, and where the value came from, point at it and choose{' '}
          <em>last write</em>, or press Y on it or on a name in the source.
        </p>
      ) : (
        <ol class="list steps" aria-live="polite">
          {history.steps.map((step, i) => (
            <WriteStepRow
              key={i}
              session={session}
              step={step}
              index={i}
              tracedExpression={history.steps[i + 1]?.expression}
            />
          ))}
          <li class="step-end quiet">
            {history.isLoading ? (
              <span class="appears">
                searching… <progress />
              </span>
            ) : (
              history.endReason
            )}
          </li>
        </ol>
      )}
    </section>
  );
}

interface StepProps {
  readonly session: DebuggerSession;
  readonly step: WriteHistoryStep;
  readonly index: number;
  /** The expression that the next step traces; undefined in the last step. */
  readonly tracedExpression: string | undefined;
}

function WriteStepRow({ session, step, index, tracedExpression }: StepProps): JSX.Element {
  const { expression, kind, note, cursor, sourceLine, operands } = step;
  const { statement, task } = cursor;
  const isCurrent = useSelector(session, (state) => state.cursor?.position === cursor.position);
  const traceable = kind === 'written' ? [...operands.filter((each) => each !== expression), expression] : operands;
  return (
    <li class={isCurrent ? 'step is-current' : 'step'}>
      <button
        type="button"
        class="step-location"
        aria-current={isCurrent ? 'true' : undefined}
        title={`Go to ${cursor.position}`}
        onClick={() => void session.moveTo(cursor.position)}
      >
        <span class={`badge is-kind-${kind}`}>{LAST_WRITE_TITLES[kind]}</span>
        <span class="entry-name">{note}</span>
        {sourceLine !== undefined && <code class="step-code">{sourceLine}</code>}
        <span class="step-more quiet">
          {statement === undefined ? '' : `${shortPath(statement.file)}:${statement.line} · `}
          {task?.title ?? cursor.position}
        </span>
      </button>
      {traceable.length > 0 && (
        <div class="step-operands" role="group" aria-label="Trace from here">
          {traceable.map((each) => (
            <button
              key={each}
              type="button"
              class="chip"
              aria-pressed={tracedExpression === each}
              title={
                each === expression
                  ? `Find the write of ${each} before this one`
                  : `Find the last write of ${each} here`
              }
              onClick={() => void session.writeHistory.traceFrom(index, each)}
            >
              {each === expression ? `earlier write of ${each}` : each}
            </button>
          ))}
        </div>
      )}
    </li>
  );
}
