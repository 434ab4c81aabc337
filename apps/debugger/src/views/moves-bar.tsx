// Buttons for moves, as the server describes them: those that need nothing said, group by group. All others are in the palette.
import type { JSX } from 'preact';
import { keyText, type MoveCommand } from '../model/commands.ts';
import { groupBy } from '../model/group-by.ts';
import type { Session } from '../model/session.ts';
import { useSelected } from './use-selected.ts';

export function MovesBar({ session }: { readonly session: Session }): JSX.Element {
  const commands = useSelected(session, (state) => state.commands);
  const stage = useSelected(session, (state) => state.stage);
  const shown = commands.filter(({ needs }) => !needs);
  const groups = [...groupBy(shown, ({ move }) => move.group)];
  return (
    <nav class="moves" aria-label="Moves">
      {groups.map(([group, those]) => (
        <div key={group} class="moves-group" role="group" aria-label={group}>
          <span class="moves-name" aria-hidden="true">
            {group}
          </span>
          {[...groupBy(those, ({ move }) => move.id)].map(([id, both]) => (
            <Move key={id} session={session} id={id} both={both} isOff={stage === 'lost'} />
          ))}
        </div>
      ))}
    </nav>
  );
}

interface MoveProps {
  readonly session: Session;
  readonly id: string;
  readonly both: readonly MoveCommand[];
  readonly isOff: boolean;
}

function Move({ session, id, both, isOff }: MoveProps): JSX.Element {
  const back = both.find(({ direction }) => direction === 'backward');
  const forward = both.find(({ direction }) => direction !== 'backward');
  const button = (command: MoveCommand, text: string, isNamed: boolean): JSX.Element => (
    <button
      type="button"
      class={isNamed ? 'move' : 'move is-arrow'}
      disabled={isOff}
      aria-label={isNamed ? `${text}: ${command.title}` : command.title}
      title={`${command.title}${command.key === undefined ? '' : ` (${keyText(command.key)})`}`}
      onClick={() => void session.go(command)}
    >
      {text}
    </button>
  );
  if (back === undefined || forward === undefined) {
    const only = back ?? forward;
    return <>{only !== undefined && button(only, id, true)}</>;
  }
  return (
    <span class="move-pair">
      {button(back, '◂', false)}
      <span class="move-name" aria-hidden="true">
        {id}
      </span>
      {button(forward, '▸', false)}
    </span>
  );
}
