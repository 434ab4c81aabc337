// Where a value comes from, step by step back; each step can be gone to, and asked on from.
import type { JSX } from 'preact';
import type { OriginStep } from '../model/origin.ts';
import type { Session } from '../model/session.ts';
import { shortName } from './source.tsx';
import { Tabs } from './tabs.tsx';
import { useSelected } from './use-selected.ts';

const WAYS: Readonly<Record<OriginStep['way'], string>> = {
  written: 'written',
  passed: 'passed',
  sent: 'sent',
  settled: 'settled',
  resumed: 'went on',
};

export function OriginView({ session }: { readonly session: Session }): JSX.Element {
  const origin = useSelected(session, (state) => state.origin);
  return (
    <section class="pane origin" aria-label="Origin" aria-busy={origin?.isAsking === true}>
      <header class="pane-head">
        <Tabs session={session} place="below" />
      </header>
      {origin !== undefined && (
        <div class="asked-about">
          <code class="expression" title={origin.text}>
            {origin.text}
          </code>
          <button
            type="button"
            class="plain quiet"
            title="Go back to where it was asked"
            onClick={() => void session.goTo(origin.position)}
          >
            {origin.position}
          </button>
          <span class="push" />
          {origin.isAsking ? (
            <button type="button" class="plain" onClick={() => session.origins.cancel()}>
              Cancel
            </button>
          ) : (
            <button
              type="button"
              class="plain"
              aria-label="Forget this origin"
              onClick={() => session.origins.forget()}
            >
              ✕
            </button>
          )}
        </div>
      )}
      {origin === undefined ? (
        <p class="empty">
          Who last wrote a value, and where that came from: point at a value and choose <em>wrote</em>, or press Y on
          one, or on a name in the source.
        </p>
      ) : (
        <ol class="list steps" aria-live="polite">
          {origin.steps.map((step, i) => (
            <Step key={i} session={session} step={step} place={i} followed={origin.steps[i + 1]?.asked} />
          ))}
          <li class="step-end quiet">
            {origin.isAsking ? (
              <span class="appears">
                looking back… <progress />
              </span>
            ) : (
              origin.why
            )}
          </li>
        </ol>
      )}
    </section>
  );
}

interface StepProps {
  readonly session: Session;
  readonly step: OriginStep;
  readonly place: number;
  /** What was asked about from here. */
  readonly followed: string | undefined;
}

function Step({ session, step, place, followed }: StepProps): JSX.Element {
  const { asked, way, note, where, code, parts } = step;
  const { statement, stretch } = where;
  const isHere = useSelected(session, (state) => state.where?.position === where.position);
  const asks = way === 'written' ? [...parts.filter((each) => each !== asked), asked] : parts;
  return (
    <li class={isHere ? 'step is-here' : 'step'}>
      <button
        type="button"
        class="step-place"
        aria-current={isHere ? 'true' : undefined}
        title={`Go to ${where.position}`}
        onClick={() => void session.goTo(where.position)}
      >
        <span class={`badge is-way-${way}`}>{WAYS[way]}</span>
        <span class="entry-name">{note}</span>
        {code !== undefined && <code class="step-code">{code}</code>}
        <span class="step-more quiet">
          {statement === undefined ? '' : `${shortName(statement.file)}:${statement.line} · `}
          {stretch?.title ?? where.position}
        </span>
      </button>
      {asks.length > 0 && (
        <div class="step-asks" role="group" aria-label="Ask on from there">
          {asks.map((each) => (
            <button
              key={each}
              type="button"
              class="chip"
              aria-pressed={followed === each}
              title={each === asked ? `Who wrote ${each} before` : `Who wrote ${each}, there`}
              onClick={() => void session.origins.askOn(place, each)}
            >
              {each === asked ? `${each}, before` : each}
            </button>
          ))}
        </div>
      )}
    </li>
  );
}
