// How one has come here: the functions on the stack, and below them the chain of messages that led to this turn.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../model/session.ts';
import type { Stretch } from '../model/state.ts';
import { shortName } from './source.tsx';
import { useSelected } from './use-selected.ts';

/** Senders that are shown. */
const MOST = 12;

export function StackView({ session }: { readonly session: Session }): JSX.Element {
  const frames = useSelected(session, (state) => state.frames);
  const where = useSelected(session, (state) => state.where);
  const timeLine = useSelected(session, (state) => state.timeLine);
  const [senders, setSenders] = useState<readonly Stretch[]>([]);
  const order = where?.stretch?.order;

  useEffect(() => {
    if (timeLine === undefined || order === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const chain = timeLine.chainTo(order, MOST);
    const asked = chain.map((from) => session.request('stretches', { from, count: 1 }, { signal }));
    Promise.all(asked).then(
      (answers) => {
        if (!signal.aborted) setSenders(answers.flatMap(({ stretches }) => stretches));
      },
      () => undefined,
    );
    return () => controller.abort();
  }, [timeLine, order]);

  return (
    <section class="pane stack" aria-label="Stack">
      <header class="pane-head">
        <h2>Stack</h2>
      </header>
      <ol class="list">
        {frames.map(({ index, function: name, place }) => (
          <li key={index}>
            <button
              type="button"
              class="entry"
              disabled={place === undefined}
              onClick={() => place !== undefined && void session.showLine(place.file, place.line)}
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
        {senders.map(({ order: from, title, place }) => (
          <li key={`sent ${from}`}>
            <button
              type="button"
              class="entry"
              title={`Go to turn ${from}, which has sent it`}
              onClick={() => void session.goTo(from)}
            >
              <span class="entry-name">
                <span class="quiet">sent by</span> {title}
              </span>
              <span class="quiet">{place === undefined ? from : shortName(place)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
