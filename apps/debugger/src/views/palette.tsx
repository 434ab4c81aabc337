// The command palette: all moves, whose arguments it requests one by one, and commands of the interface.
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatKey, filterByWords, type MoveCommand } from '../model/commands.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { useRequest } from './use-request.ts';
import { useSelector } from './use-selector.ts';

export interface PaletteAction {
  readonly title: string;
  readonly key?: string | undefined;
  readonly run: () => void;
}

interface PaletteItem {
  readonly title: string;
  readonly key: string | undefined;
  readonly select: () => void;
}

/** A move that was chosen, with the arguments entered so far. */
interface PendingCommand {
  readonly command: MoveCommand;
  readonly args: Readonly<Record<string, string>>;
}

interface PaletteProps {
  readonly session: DebuggerSession;
  readonly actions: readonly PaletteAction[];
  /** The move for which the palette was opened; undefined to offer all commands. */
  readonly initialCommand: MoveCommand | undefined;
  readonly onClose: () => void;
}

const KEY_STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
  ['PageDown', 10],
  ['PageUp', -10],
]);
/** Maximum number of completions shown for an argument. */
const MAX_COMPLETIONS = 50;

export function Palette({ session, actions, initialCommand, onClose }: PaletteProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const commands = useSelector(session, (state) => state.commands);
  const [text, setText] = useState('');
  /** Index of the selected item; -1 while an argument is typed and no completion is selected. */
  const [selectedIndex, setSelectedIndex] = useState(initialCommand === undefined ? 0 : -1);
  const [pending, setPending] = useState<PendingCommand | undefined>(
    initialCommand && { command: initialCommand, args: {} },
  );
  const completions = useCompletions(session, pending, text);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);

  const parameter = pending && nextParameter(pending);
  const submitArgument = (value: string): void => {
    if (pending === undefined || parameter === undefined) return;
    const args = value === '' ? pending.args : { ...pending.args, [parameter.name]: value };
    const isLast = pending.command.move.parameters.at(-1) === parameter;
    const isComplete = isLast || (value === '' && parameter.defaultDescription !== undefined);
    setText('');
    setSelectedIndex(-1);
    if (!isComplete) {
      setPending({ command: pending.command, args });
      return;
    }
    onClose();
    void session.runMove(pending.command, args);
  };
  const startCommand = (command: MoveCommand): void => {
    setText('');
    if (command.fixedArguments === undefined && command.move.parameters.length > 0) {
      setSelectedIndex(-1);
      setPending({ command, args: {} });
      return;
    }
    onClose();
    void session.runMove(command);
  };
  const items = useMemo<PaletteItem[]>(() => {
    if (pending !== undefined)
      return completions
        .filter((title) => title.startsWith(text))
        .map((title) => ({ title, key: undefined, select: () => submitArgument(title) }));
    const actionItems = actions.map(({ title, key, run }) => ({
      title,
      key,
      select: () => {
        onClose();
        run();
      },
    }));
    const moveItems = commands.map((command) => ({
      title: `${command.title} (${command.name})`,
      key: command.key,
      select: () => startCommand(command),
    }));
    return filterByWords<PaletteItem>([...moveItems, ...actionItems], text);
  }, [commands, actions, pending, completions, text]);
  const index = Math.min(selectedIndex, items.length - 1);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    event.stopPropagation();
    const step = KEY_STEPS.get(event.key);
    if (step !== undefined) setSelectedIndex(Math.max(0, Math.min(items.length - 1, index + step)));
    else if (event.key === 'Enter') {
      const isTyped = pending !== undefined && (selectedIndex < 0 || items[index] === undefined);
      if (isTyped) submitArgument(argumentFromText(text, items, parameter?.defaultDescription !== undefined));
      else items[index]?.select();
    } else return;
    event.preventDefault();
  };
  const label = parameter === undefined ? 'Command' : `${pending?.command.title ?? ''}: ${parameter.title}`;
  return (
    <dialog
      class="palette"
      ref={dialog}
      aria-label="Commands"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="palette-in">
        <label class="palette-label" for="palette-text">
          {label}
          {parameter?.defaultDescription !== undefined && (
            <span class="quiet"> (default: {parameter.defaultDescription})</span>
          )}
        </label>
        <input
          id="palette-text"
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={items[index] === undefined ? undefined : `palette-${index}`}
          autocomplete="off"
          spellcheck={false}
          autofocus
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setSelectedIndex(pending === undefined ? 0 : -1);
          }}
          onKeyDown={onKeyDown}
        />
        <ul id="palette-list" class="palette-list" role="listbox" aria-label="Commands">
          {items.map(({ title, key, select }, i) => (
            <li
              key={title}
              id={`palette-${i}`}
              role="option"
              aria-selected={i === index}
              ref={(element) => {
                if (i === index) element?.scrollIntoView({ block: 'nearest' });
              }}
              onClick={select}
            >
              <span>{title}</span>
              {key !== undefined && <kbd>{formatKey(key)}</kbd>}
            </li>
          ))}
        </ul>
        {items.length === 0 && pending === undefined && <p class="empty">No such command.</p>}
      </div>
    </dialog>
  );
}

/** Returns the typed text if it is a completion or an allowed empty text, otherwise the first completion, if any. */
function argumentFromText(text: string, items: readonly PaletteItem[], canBeEmpty: boolean): string {
  if (text === '' && canBeEmpty) return '';
  return items.some(({ title }) => title === text) ? text : (items[0]?.title ?? text);
}

function nextParameter({ command, args }: PendingCommand): MoveCommand['move']['parameters'][number] | undefined {
  return command.move.parameters.find(({ name }) => !Object.hasOwn(args, name));
}

function useCompletions(
  session: DebuggerSession,
  pending: PendingCommand | undefined,
  text: string,
): readonly string[] {
  const [values, setValues] = useState<readonly string[]>([]);
  const parameter = pending && nextParameter(pending);
  const requestCompletions = async (signal: AbortSignal): Promise<void> => {
    setValues([]);
    if (pending === undefined || parameter === undefined) return;
    const params = { move: pending.command.move.id, parameter: parameter.name, prefix: text, count: MAX_COMPLETIONS };
    const answer = await session.request('completions', params, { signal });
    if (!signal.aborted) setValues(answer.values);
  };
  useRequest(requestCompletions, [pending, parameter?.name, text]);
  return values;
}
