// Everything that can be done, by its name: moves, with what they take asked for one after the other, and what the window itself can do.
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { keyText, matching, type MoveCommand } from '../model/commands.ts';
import type { Session } from '../model/session.ts';
import { useAsked } from './use-asked.ts';
import { useSelected } from './use-selected.ts';

export interface Action {
  readonly title: string;
  readonly key?: string | undefined;
  readonly run: () => void;
}

interface Item {
  readonly title: string;
  readonly key: string | undefined;
  readonly choose: () => void;
}

/** A move, and what was given for its first parameters. */
interface Asked {
  readonly command: MoveCommand;
  readonly given: Readonly<Record<string, string>>;
}

interface PaletteProps {
  readonly session: Session;
  readonly actions: readonly Action[];
  /** A move that is to be asked for what it takes at once. */
  readonly first: MoveCommand | undefined;
  readonly onClose: () => void;
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
  ['PageDown', 10],
  ['PageUp', -10],
]);
/** What is proposed, of an open choice. */
const MOST = 50;

export function Palette({ session, actions, first, onClose }: PaletteProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const commands = useSelected(session, (state) => state.commands);
  const [text, setText] = useState('');
  /** Of the items; of proposals none, as long as nobody has gone there by keys. */
  const [chosen, setChosen] = useState(first === undefined ? 0 : -1);
  const [asked, setAsked] = useState<Asked | undefined>(first && { command: first, given: {} });
  const proposals = useProposals(session, asked, text);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);

  const parameter = asked && nextParameter(asked);
  const give = (value: string): void => {
    if (asked === undefined || parameter === undefined) return;
    const given = value === '' ? asked.given : { ...asked.given, [parameter.name]: value };
    const isLast = asked.command.move.parameters.at(-1) === parameter;
    const isEnough = isLast || (value === '' && parameter.otherwise !== undefined);
    setText('');
    setChosen(-1);
    if (!isEnough) {
      setAsked({ command: asked.command, given });
      return;
    }
    onClose();
    void session.go(asked.command, given);
  };
  const begin = (command: MoveCommand): void => {
    setText('');
    if (command.move.parameters.length > 0) {
      setChosen(-1);
      setAsked({ command, given: {} });
      return;
    }
    onClose();
    void session.go(command);
  };
  const items = useMemo<Item[]>(() => {
    if (asked !== undefined)
      return proposals
        .filter((title) => title.startsWith(text))
        .map((title) => ({ title, key: undefined, choose: () => give(title) }));
    const own = actions.map(({ title, key, run }) => ({
      title,
      key,
      choose: () => {
        onClose();
        run();
      },
    }));
    const moves = commands.map((command) => ({
      title: `${command.title} (${command.move.id})`,
      key: command.key,
      choose: () => begin(command),
    }));
    return matching<Item>([...moves, ...own], text);
  }, [commands, actions, asked, proposals, text]);
  const at = Math.min(chosen, items.length - 1);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    event.stopPropagation();
    const step = STEPS.get(event.key);
    if (step !== undefined) setChosen(Math.max(0, Math.min(items.length - 1, at + step)));
    else if (event.key === 'Enter') {
      const isWritten = asked !== undefined && (chosen < 0 || items[at] === undefined);
      if (isWritten) give(meantBy(text, items, parameter?.otherwise !== undefined));
      else items[at]?.choose();
    } else return;
    event.preventDefault();
  };
  const label = parameter === undefined ? 'What to do' : `${asked?.command.title ?? ''}: ${parameter.title}`;
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
          {parameter?.otherwise !== undefined && (
            <span class="quiet"> (if nothing is said: {parameter.otherwise})</span>
          )}
        </label>
        <input
          id="palette-text"
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={items[at] === undefined ? undefined : `palette-${at}`}
          autocomplete="off"
          spellcheck={false}
          autofocus
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(asked === undefined ? 0 : -1);
          }}
          onKeyDown={onKeyDown}
        />
        <ul id="palette-list" class="palette-list" role="listbox" aria-label="Commands">
          {items.map(({ title, key, choose }, i) => (
            <li
              key={title}
              id={`palette-${i}`}
              role="option"
              aria-selected={i === at}
              ref={(element) => {
                if (i === at) element?.scrollIntoView({ block: 'nearest' });
              }}
              onClick={choose}
            >
              <span>{title}</span>
              {key !== undefined && <kbd>{keyText(key)}</kbd>}
            </li>
          ))}
        </ul>
        {items.length === 0 && asked === undefined && <p class="empty">There is nothing of such a name.</p>}
      </div>
    </dialog>
  );
}

/** What was written, if it can be given as it is; otherwise the first that begins so. */
function meantBy(text: string, items: readonly Item[], canBeNothing: boolean): string {
  if (text === '' && canBeNothing) return '';
  return items.some(({ title }) => title === text) ? text : (items[0]?.title ?? text);
}

function nextParameter({ command, given }: Asked): MoveCommand['move']['parameters'][number] | undefined {
  return command.move.parameters.find(({ name }) => !Object.hasOwn(given, name));
}

function useProposals(session: Session, asked: Asked | undefined, text: string): readonly string[] {
  const [values, setValues] = useState<readonly string[]>([]);
  const parameter = asked && nextParameter(asked);
  const ask = async (signal: AbortSignal): Promise<void> => {
    setValues([]);
    if (asked === undefined || parameter === undefined) return;
    const wish = { move: asked.command.move.id, parameter: parameter.name, start: text, count: MOST };
    const answer = await session.request('propose', wish, { signal });
    if (!signal.aborted) setValues(answer.values);
  };
  useAsked(ask, [asked, parameter?.name, text]);
  return values;
}
