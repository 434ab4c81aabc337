// Evaluates an expression between the tasks of a running thread, and reports each change of its value or of nested
// parts.
import type { Loader } from '../thread/loader.ts';
import type { ReplayTape, Scheduler } from '@turntable/runtime';
import type { ThreadHit, WatchedExpression } from '@turntable/time-machine/replay-process';
import { Expression } from './expression.ts';
import { privateFields } from './private-fields.ts';
import { valueLine, type ObjectDetails } from '../replay/thread/value-inspector.ts';
import { thrownText } from './thrown-text.ts';
import { describeStateParts } from './state-parts.ts';
import { topScopeOf } from './top-scope.ts';

type Actor = Scheduler['main'];

const MAX_WATCHED_PARTS = 2000;
const CHANGES_PER_MESSAGE = 200;
/** Matches the error of a variable that is not initialized yet. */
const UNINITIALIZED = /^ReferenceError: [\w$]+ is not defined$/;

export interface ValueWatchDeps {
  readonly loader: Loader;
  tape(): ReplayTape;
  scheduler(): Scheduler | undefined;
  sendChanges(changes: readonly ThreadHit[]): void;
}

export class ValueWatch {
  readonly #expression: WatchedExpression;
  readonly #deps: ValueWatchDeps;
  readonly #objectDetails: ObjectDetails;
  #actor: Actor | undefined;
  #lastReading: { readonly text: string; readonly parts: string } | undefined;
  #changes: ThreadHit[] = [];

  constructor(expression: WatchedExpression, deps: ValueWatchDeps) {
    this.#expression = expression;
    this.#deps = deps;
    const { realm } = deps.loader;
    this.#objectDetails = { waitersOf: () => [], privateFieldsOf: (object) => privateFields(realm, object) };
  }

  /** Must be called before each task. @param actor actor of the task, if it is a turn */
  turnStarting(actor: Actor | undefined): void {
    if (actor?.name === this.#expression.actor) this.#actor = actor;
  }

  /** Compares the value between two tasks. @param startedTasks number of tasks so far */
  check(startedTasks: number): void {
    const { loader, tape } = this.#deps;
    let current = { text: '', parts: '' };
    tape().runApart(() => loader.statementClock?.runApart(() => void (current = this.#read())));
    const previous = this.#lastReading;
    this.#lastReading = current;
    if (previous === undefined || (previous.parts === current.parts && previous.text === current.text)) return;
    this.#changes.push([startedTasks, 0, 0, 0, JSON.stringify([previous.text, current.text])]);
    if (this.#changes.length >= CHANGES_PER_MESSAGE) this.flush();
  }

  flush(): void {
    if (this.#changes.length === 0) return;
    const changes = this.#changes;
    this.#changes = [];
    this.#deps.sendChanges(changes);
  }

  #read(): { readonly text: string; readonly parts: string } {
    const { loader, scheduler } = this.#deps;
    const { expression: text, file } = this.#expression;
    const { main, census } = scheduler() ?? {};
    const isProgram = main === undefined || this.#expression.actor === main.name;
    if (!isProgram) this.#actor ??= census?.actors().find(({ name }) => name === this.#expression.actor);
    const thisObject = isProgram ? undefined : this.#actor?.root;
    if (!isProgram && thisObject === undefined) return { text: '(no such actor)', parts: '' };
    try {
      const topScope = topScopeOf(loader, file);
      const variables = new Map([['this', { value: thisObject }]]);
      const value = new Expression(text, variables.keys(), loader.realm, topScope).bindToVariables(variables)();
      const { parts } = describeStateParts([['', value]], this.#objectDetails, MAX_WATCHED_PARTS);
      return { text: valueLine(value, 0), parts: JSON.stringify(parts) };
    } catch (error) {
      const text = thrownText(error);
      return { text: UNINITIALIZED.test(text) ? 'no value' : text, parts: '' };
    }
  }
}
