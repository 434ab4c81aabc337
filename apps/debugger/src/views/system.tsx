// Who sends to whom, and how much, over the whole recording.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Session } from '../model/session.ts';
import { HEIGHT, layoutOf, WIDTH, type Layout } from '../model/system-layout.ts';
import { amountOf, nextBetween, systemOf, type Party, type System, type Traffic } from '../model/system.ts';
import { Tabs } from './tabs.tsx';
import { grouped } from './time-line/ticks.ts';
import { useSelected } from './use-selected.ts';

/** Lines that have their numbers beside them unasked. */
const MOST_NUMBERED = 14;
/** Characters of a name. */
const LONGEST = 20;

export function SystemView({ session }: { readonly session: Session }): JSX.Element {
  const timeLine = useSelected(session, (state) => state.timeLine);
  const actors = useSelected(session, (state) => state.actors);
  const kinds = useSelected(session, (state) => state.hello?.kinds);
  const focus = useSelected(session, (state) => state.focus);
  const [chosen, setChosen] = useState<number>();
  const system = useMemo(
    () =>
      timeLine?.isFilled !== true ? undefined : systemOf(actors, timeLine, kinds?.map(({ id }) => id) ?? [], { focus }),
    [timeLine, actors, kinds, focus],
  );
  // Parties are others then.
  useEffect(() => setChosen(undefined), [focus]);
  const layout = useMemo(() => system && layoutOf(system), [system]);
  return (
    <section class="pane system" aria-label="System">
      <header class="pane-head">
        <Tabs session={session} place="middle" />
        <span class="quiet">
          {system === undefined
            ? ''
            : `${focus === undefined ? 'in all turns' : `in turns ${grouped(focus.from)} to ${grouped(focus.to)}`}; dashed: answers, making${system.isGrouped ? '; classes of actors' : ''}`}
        </span>
      </header>
      {system === undefined || layout === undefined ? (
        <p class="empty" role="status">
          It is drawn when the time line is there.
        </p>
      ) : system.parties.length === 0 ? (
        <p class="empty">Nothing ran {focus === undefined ? 'in this recording' : 'in this piece of the recording'}.</p>
      ) : (
        <div class="system-in">
          <div class="scrolled">
            <Graph session={session} system={system} layout={layout} chosen={chosen} onChoose={setChosen} />
          </div>
          {chosen === undefined ? (
            <p class="empty">Choose somebody to see with whom they speak.</p>
          ) : (
            <About session={session} system={system} chosen={chosen} onChoose={setChosen} />
          )}
        </div>
      )}
    </section>
  );
}

interface GraphProps {
  readonly session: Session;
  readonly system: System;
  readonly layout: Layout;
  readonly chosen: number | undefined;
  readonly onChoose: (party: number | undefined) => void;
}

function Graph({ session, system, layout, chosen, onChoose }: GraphProps): JSX.Element {
  const own = useSelected(session, (state) =>
    state.where?.stretch === undefined ? undefined : state.timeLine?.actor(state.where.order),
  );
  const graph = useRef<SVGSVGElement>(null);
  useEffect(() => {
    // There is less room as soon as something is said of somebody.
    graph.current?.querySelector('.is-chosen[role]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen]);
  const { parties, traffic } = system;
  const { width, height, places, lines } = layout;
  const isAbout = ({ from, to }: Traffic): boolean => from === chosen || to === chosen;
  const isNear = (party: number): boolean =>
    party === chosen || traffic.some((each) => isAbout(each) && (each.from === party || each.to === party));
  return (
    <svg
      class="graph"
      ref={graph}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="group"
      aria-label="Who sends to whom"
    >
      <defs>
        <marker
          id="arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path class="arrow" d="M0 0 L8 4 L0 8 z" />
        </marker>
      </defs>
      {traffic.map((each, i) => (
        <Line
          key={`${each.from} ${each.to}`}
          traffic={each}
          parties={parties}
          line={lines[i]}
          look={chosen === undefined ? 'plain' : isAbout(each) ? 'chosen' : 'dim'}
          isNumbered={chosen === undefined ? i < MOST_NUMBERED : isAbout(each)}
        />
      ))}
      {parties.map(({ name, turns, actors }, party) => {
        const { x, y } = places[party] ?? { x: 0, y: 0 };
        const isDim = chosen !== undefined && !isNear(party);
        const look = `party${party === chosen ? ' is-chosen' : ''}${isDim ? ' is-dim' : ''}${own !== undefined && actors.includes(own) ? ' is-here' : ''}`;
        return (
          <g
            key={party}
            class={look}
            role="button"
            // SVG knows no other spelling.
            tabindex={0}
            aria-pressed={party === chosen}
            transform={`translate(${x} ${y})`}
            onClick={() => onChoose(party === chosen ? undefined : party)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return;
              event.preventDefault();
              event.stopPropagation();
              onChoose(party === chosen ? undefined : party);
            }}
          >
            {name.length > LONGEST && <title>{`${name} ${turnsText(turns)}`}</title>}
            <rect width={WIDTH} height={HEIGHT} rx="6" />
            <text class="party-name" x="12" y="17">
              {name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name}
            </text>
            <text class="party-more" x="12" y="32">
              {turnsText(turns)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

interface LineProps {
  readonly traffic: Traffic;
  readonly parties: readonly Party[];
  readonly line: Layout['lines'][number] | undefined;
  readonly look: 'plain' | 'chosen' | 'dim';
  readonly isNumbered: boolean;
}

function Line({ traffic, parties, line, look, isNumbered }: LineProps): JSX.Element | null {
  if (line === undefined) return null;
  const { from, to, messages } = traffic;
  const count = amountOf(traffic);
  return (
    <g class={`traffic is-${look}${messages === 0 ? ' is-answers' : ''}`}>
      <title>{`${parties[from]?.name ?? ''} → ${parties[to]?.name ?? ''}: ${amountText(traffic)}`}</title>
      <path d={line.path} stroke-width={1 + Math.log2(count) / 3} marker-end="url(#arrow)" />
      {isNumbered && (
        <text x={line.label.x} y={line.label.y - 3}>
          {grouped(count)}
        </text>
      )}
    </g>
  );
}

function turnsText(turns: number): string {
  return turns === 1 ? '1 turn' : `${grouped(turns)} turns`;
}

function amountText({ messages, answers, spawns }: Traffic): string {
  const parts = [
    ...(messages === 0 ? [] : [messages === 1 ? '1 message' : `${grouped(messages)} messages`]),
    ...(spawns === 0 ? [] : [`${grouped(spawns)} made`]),
    ...(answers === 0 ? [] : [answers === 1 ? '1 answer' : `${grouped(answers)} answers`]),
  ];
  return parts.join(', ');
}

interface AboutProps {
  readonly session: Session;
  readonly system: System;
  readonly chosen: number;
  readonly onChoose: (party: number | undefined) => void;
}

/** With whom one speaks; each leads to the next message of the kind. */
function About({ session, system: { parties, traffic }, chosen, onChoose }: AboutProps): JSX.Element | null {
  const party = parties[chosen];
  if (party === undefined) return null;
  const [only] = party.actors;
  const goTo = (from: Party | undefined, to: Party): void => {
    const { timeLine, where } = session.state;
    const found = timeLine && nextBetween(timeLine, from, to, where?.order ?? 0);
    const first = found ?? (timeLine && nextBetween(timeLine, from, to, 0));
    if (first !== undefined) void session.goTo(first);
  };
  const side = (title: string, those: readonly Traffic[], other: (each: Traffic) => number): JSX.Element => (
    <div>
      <h3>{title}</h3>
      <ul>
        {those.map((each) => {
          const [from, to] = [parties[each.from], parties[each.to]];
          const name = parties[other(each)]?.name ?? '';
          return (
            <li key={other(each)}>
              <button type="button" class="link" onClick={() => onChoose(other(each))}>
                {name}
              </button>
              <button
                type="button"
                class="plain quiet"
                title="Go to the next of these, and behind the last one to the first"
                onClick={() => to !== undefined && goTo(from, to)}
              >
                {amountText(each)} ▸
              </button>
            </li>
          );
        })}
        {those.length === 0 && <li class="quiet">nobody</li>}
      </ul>
    </div>
  );
  return (
    <div class="about">
      <p>
        <strong>{party.name}</strong>{' '}
        <button
          type="button"
          class="plain"
          title="Go to its next turn, and behind the last one to the first"
          onClick={() => goTo(undefined, party)}
        >
          Next turn ▸
        </button>
        {party.actors.length === 1 && only !== undefined && (
          <button
            type="button"
            class="plain"
            title="Its state, where you stand"
            onClick={() => {
              const actor = session.state.actors[only];
              if (actor === undefined) return;
              session.show({ top: 'state' });
              void session.actorStates.choose({ worker: actor.worker, name: actor.name });
            }}
          >
            State
          </button>
        )}
      </p>
      {side(
        'Is sent to by',
        traffic.filter(({ to }) => to === chosen),
        ({ from }) => from,
      )}
      {side(
        'Sends to',
        traffic.filter(({ from }) => from === chosen),
        ({ to }) => to,
      )}
    </div>
  );
}
