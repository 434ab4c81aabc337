// The write history of a value: the statement that wrote it, the value it was copied from, the call or message that
// passed it, and so on backwards. The server finds each write; source-tree.ts tells from which value it was copied. If
// a value was computed from several others, the user chooses which one to trace.
import type { MoveResult, ParamsOf, CursorInfo } from '@turntable/time-machine/protocol';
import { SourceTree, type AssignedValue } from './source-tree.ts';
import type { SessionPort } from './session-port.ts';

export interface WriteHistoryStep {
  readonly expression: string;
  readonly kind: NonNullable<MoveResult['lastWrite']>['kind'];
  readonly note: string;
  readonly cursor: CursorInfo;
  /** The first line of the statement's source; undefined if the recording does not have it. */
  readonly sourceLine: string | undefined;
  /** Expressions from which the value was copied or computed, which can be traced from this step. */
  readonly operands: readonly string[];
}

export interface WriteHistory {
  readonly expression: string;
  /** The position at which the expression has the traced value. */
  readonly position: string;
  readonly steps: readonly WriteHistoryStep[];
  /** Why the history ends; undefined while it is loading. */
  readonly endReason: string | undefined;
  readonly isLoading: boolean;
}

/** The context in which an expression is evaluated: a position, and optionally an actor as `this`. */
export interface ValueContext extends Pick<ParamsOf<'find'>, 'thisActor'> {
  readonly position?: string | undefined;
}

interface TracedPart {
  /** The variable or property that the statement assigns. */
  readonly part: string;
  /** The position at which the value was read, from which its write was searched. */
  readonly from: string;
}

/** Maximum number of steps that are traced at once. */
const MAX_STEPS = 20;

interface SessionFields {
  readonly writeHistory: WriteHistory | undefined;
  readonly cursor: CursorInfo | undefined;
}

export class WriteHistoryModel {
  readonly #session: SessionPort<SessionFields>;
  readonly #sourceTrees = new Map<string, SourceTree | undefined>();
  #controller = new AbortController();

  constructor(session: SessionPort<SessionFields>) {
    this.#session = session;
  }

  /** Traces the writes of an expression. @param context in which it has the value; the current position by default */
  async trace(expression: string, context: ValueContext = {}): Promise<void> {
    const { position = this.#session.state.cursor?.position ?? '', thisActor } = context;
    this.#session.showPanes({ below: 'writes' });
    await this.#follow({ expression, position, steps: [], endReason: undefined, isLoading: true }, expression, {
      position,
      thisActor,
    });
  }

  /** Traces another expression from a step of the history, and replaces all later steps. */
  async traceFrom(stepIndex: number, expression: string): Promise<void> {
    const { writeHistory: history } = this.#session.state;
    const position = history?.steps[stepIndex]?.cursor.position;
    if (history === undefined || position === undefined) return;
    const steps = history.steps.slice(0, stepIndex + 1);
    await this.#follow({ ...history, steps, endReason: undefined, isLoading: true }, expression, { position });
  }

  /** Traces a value and moves to the statement that sent it in a message; shows a notice if no message brought it. */
  async moveToSend(expression: string, context: ValueContext = {}): Promise<void> {
    await this.trace(expression, context);
    const { writeHistory: history } = this.#session.state;
    const sendStep = history?.steps.find(({ kind }) => kind === 'sent' || kind === 'settled');
    if (sendStep !== undefined) await this.#session.moveTo(sendStep.cursor.position);
    else if (history !== undefined && !history.isLoading)
      this.#session.showNotice(`No message with ${expression} was found.`);
  }

  clear(): void {
    this.#controller.abort();
    this.#session.store.update({ writeHistory: undefined });
  }

  cancel(): void {
    const { writeHistory: history } = this.#session.state;
    this.#controller.abort();
    if (history?.isLoading === true)
      this.#session.store.update({ writeHistory: { ...history, isLoading: false, endReason: 'Cancelled.' } });
  }

  async #follow(
    initial: WriteHistory,
    expression: string,
    context: ValueContext & { readonly position: string },
  ): Promise<void> {
    this.#controller.abort();
    const { signal } = (this.#controller = new AbortController());
    let history = initial;
    const put = (part: Partial<WriteHistory>): void => {
      history = { ...history, ...part };
      if (!signal.aborted) this.#session.store.update({ writeHistory: history });
    };
    put({});
    try {
      let traced: string | undefined = expression;
      let { position: from, thisActor } = context;
      for (let count = 0; traced !== undefined && count < MAX_STEPS; count++) {
        const found = await this.#findStep(traced, { from, thisActor }, signal);
        if (signal.aborted) return;
        if ('reason' in found) {
          put({ endReason: found.reason, isLoading: false });
          return;
        }
        put({ steps: [...history.steps, found.step] });
        traced = found.next;
        from = found.step.cursor.position;
        thisActor = undefined;
      }
      const lastStep = history.steps.at(-1);
      const endReason =
        traced === undefined && lastStep !== undefined
          ? endReasonOf(lastStep)
          : 'The history continues: trace it from the last step.';
      put({ endReason, isLoading: false });
    } catch (error) {
      put({ endReason: (error as Error).message, isLoading: false });
    }
  }

  async #findStep(
    expression: string,
    { from, thisActor }: Pick<ParamsOf<'find'>, 'thisActor'> & { readonly from: string },
    signal: AbortSignal,
  ): Promise<{ readonly step: WriteHistoryStep; readonly next: string | undefined } | { readonly reason: string }> {
    const params = { move: 'last-write', arguments: { expression }, from, thisActor };
    const { found, reason, note = '', lastWrite, cursor } = await this.#session.request('find', params, { signal });
    if (!found) return { reason: reason ?? 'unknown' };
    // Servers of earlier versions describe the write in words only.
    const { kind, part } = lastWrite ?? { kind: 'written' as const, part: expression };
    const { statement } = cursor;
    const tree = statement && (await this.#sourceTreeOf(statement.file));
    const step = { expression, kind, note, cursor };
    if (statement === undefined || tree === undefined)
      return { step: { ...step, sourceLine: undefined, operands: [] }, next: undefined };
    // An actor itself is created by a statement, and not copied from a value.
    const isActor = thisActor !== undefined && expression === 'this';
    const noAssignment: AssignedValue = { copiedFrom: undefined, operands: [] };
    const { copiedFrom, operands } = isActor
      ? noAssignment
      : await this.#assignedValue(tree, { expression, kind, part, cursor, from });
    const sourceLine = tree.lineText(statement);
    return {
      step: { ...step, sourceLine, operands: copiedFrom === undefined ? operands : [copiedFrom] },
      next: copiedFrom,
    };
  }

  async #assignedValue(
    tree: SourceTree,
    { expression, kind, part, cursor, from }: Pick<WriteHistoryStep, 'expression' | 'kind' | 'cursor'> & TracedPart,
  ): Promise<AssignedValue> {
    // The path from the written part to the traced one: `.city` if `order.address` was written.
    const path = expression.startsWith(part) ? expression.slice(part.length) : '';
    const { statement } = cursor;
    if (statement === undefined) return { copiedFrom: undefined, operands: [] };
    if (kind === 'written') return tree.assignedValue(statement, part, path);
    if (kind !== 'passed' && kind !== 'sent') return { copiedFrom: undefined, operands: [] };
    const receiver = await this.#statementAt(from);
    const receiverTree = receiver && (await this.#sourceTreeOf(receiver.file));
    return tree.passedArgument(statement, receiver && receiverTree?.parameterNamed(receiver, part), path);
  }

  async #statementAt(position: string): Promise<CursorInfo['statement']> {
    const { cursor } = this.#session.state;
    if (cursor?.position === position) return cursor.statement;
    const knownStep = this.#session.state.writeHistory?.steps.find((each) => each.cursor.position === position);
    if (knownStep !== undefined) return knownStep.cursor.statement;
    const moveResult = await this.#session.request('find', { move: 'goto', arguments: { target: position } });
    return moveResult.cursor.statement;
  }

  async #sourceTreeOf(file: string): Promise<SourceTree | undefined> {
    if (!this.#sourceTrees.has(file)) {
      const source = await this.#session.loadSource(file);
      this.#sourceTrees.set(file, source === undefined ? undefined : new SourceTree(source));
    }
    return this.#sourceTrees.get(file);
  }
}

function endReasonOf({ kind, cursor, sourceLine, operands }: WriteHistoryStep): string {
  if (kind === 'settled') return 'The promise was settled there.';
  if (kind === 'resumed') return 'The value is older than this task: go there to continue.';
  if (cursor.statement === undefined) return 'The statement that sent it is not known: go to the task to see.';
  if (sourceLine === undefined) return 'The source of that statement is not recorded.';
  return operands.length > 0 ? 'Computed from other values: choose one to trace.' : 'The value was created there.';
}
