// Buttons for the moves that have a key and need no arguments, by group. The palette has all moves.
import type { JSX } from 'preact';
import { formatKey, type MoveCommand } from '../model/commands.ts';
import { groupBy } from '../model/group-by.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { useSelector } from './use-selector.ts';

export function MovesBar({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const commands = useSelector(session, (state) => state.commands);
  const stage = useSelector(session, (state) => state.stage);
  const shown = commands.filter(({ key, needsArguments }) => key !== undefined && !needsArguments);
  const groups = [...groupBy(shown, ({ move }) => move.group)];
  return (
    <nav class="moves" aria-label="Moves">
      {groups.map(([group, groupCommands]) => (
        <div key={group} class="moves-group" role="group" aria-label={group}>
          <span class="moves-name" aria-hidden="true">
            {group}
          </span>
          {[...groupBy(groupCommands, labelOf)].map(([id, moveCommands]) => (
            <MoveButtons key={id} session={session} id={id} commands={moveCommands} isDisabled={stage === 'lost'} />
          ))}
        </div>
      ))}
    </nav>
  );
}

/** The label of a command, which its two directions share. */
function labelOf({ move, direction, name }: MoveCommand): string {
  return direction === undefined ? name : move.id;
}

interface MoveButtonsProps {
  readonly session: DebuggerSession;
  readonly id: string;
  readonly commands: readonly MoveCommand[];
  readonly isDisabled: boolean;
}

function MoveButtons({ session, id, commands, isDisabled }: MoveButtonsProps): JSX.Element {
  const back = commands.find(({ direction }) => direction === 'backward');
  const forward = commands.find(({ direction }) => direction !== 'backward');
  const button = (command: MoveCommand, text: string, hasLabel: boolean): JSX.Element => (
    <button
      type="button"
      class={hasLabel ? 'move' : 'move is-arrow'}
      disabled={isDisabled}
      aria-label={hasLabel ? `${text}: ${command.title}` : command.title}
      title={`${command.title}${command.key === undefined ? '' : ` (${formatKey(command.key)})`}`}
      onClick={() => void session.runMove(command)}
    >
      {text}
    </button>
  );
  if (back === undefined || forward === undefined) {
    const single = back ?? forward;
    return <>{single !== undefined && button(single, id, true)}</>;
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
