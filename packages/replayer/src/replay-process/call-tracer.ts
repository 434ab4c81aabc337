// The calls of a traced task, as a tree. Functions that may call others report the start and the end of their calls, and
// frames report their runs. A call of any other function starts with its first statement, and has ended when other code
// runs. Where an exception has skipped a report, the next statement shows which calls have ended.
//
// The methods run between statements of the program, which may have replaced all builtin functions.
import { IntegerList } from './integer-list.ts';

/** What the probe of a statement says about calls. */
export interface CallProbe {
  /** Number of the function in the trace. All fields of the classes of a file have the same. */
  readonly fn: number;
  /** Number of the statement in its file. */
  readonly statement: number;
  readonly isField: boolean;
  /** Whether a call starts at the statement, without a report. */
  readonly startsCall: boolean;
  /** Whether the end of a call that starts at the statement is reported. */
  readonly reportsEnd: boolean;
  /** Of a field: the constructor of the object, which runs after the fields; -1 if it has already started. */
  readonly constructorFn: number;
}

/** Function of a call that has not begun a statement. */
const UNKNOWN_FUNCTION = -1;
const NO_CALL = -1;
/** Maximum number of calls among which a call is searched that was taken to have ended. */
const MAX_REOPENED = 1000;

export class CallTracer {
  /** Per call: the call whose code has called it; -1 if it was the host. */
  readonly parents = new IntegerList();
  /** Per call: the index of its run. */
  readonly runs = new IntegerList();
  readonly #functions = new IntegerList();
  /** The calls that have not ended, outermost first. */
  readonly #stack: number[] = [];
  /** Per call on the stack: whether its end is reported. */
  readonly #areReported: boolean[] = [];
  /** Per call on the stack: whether it is of a constructor whose fields are being initialised. */
  readonly #areBeforeStart: boolean[] = [];
  #depth = 0;
  /** Whether the innermost call ends without a report. */
  #endsUnreported = false;
  /** Call and number of the last field that was initialised. */
  #fieldCall = NO_CALL;
  #lastField = -1;
  #run = -1;
  /** Depth of the call of the frame that runs; 0 outside of frames. */
  #runDepth = 0;
  /** Per run that surrounds the current one: the values of `#run`, `#runDepth` and `#depth`. */
  readonly #outerRuns: number[] = [];
  #outerCount = 0;

  /** The host calls the program. */
  hostCalled(run: number): void {
    this.#depth = this.#runDepth = 0;
    this.#endsUnreported = false;
    this.#run = run;
  }

  callStarted(): void {
    this.#endUnreported();
    this.#push(UNKNOWN_FUNCTION);
    this.#areReported[this.#depth - 1] = true;
  }

  callEnded(): void {
    this.#endsUnreported = false;
    let depth = this.#depth;
    while (depth > this.#runDepth && this.#areReported[depth - 1] !== true) depth--;
    if (depth > this.#runDepth) this.#depth = depth - 1;
  }

  /** A frame starts or resumes. @param isCalled whether the program has called it, and not the host */
  runStarted(run: number, isCalled: boolean): void {
    this.#endUnreported();
    if (!isCalled) this.#depth = this.#runDepth = 0;
    const outer = this.#outerRuns;
    outer[this.#outerCount++] = this.#run;
    outer[this.#outerCount++] = this.#runDepth;
    outer[this.#outerCount++] = this.#depth;
    this.#run = run;
    this.#push(UNKNOWN_FUNCTION);
    this.#runDepth = this.#depth;
  }

  runEnded(): void {
    const outer = this.#outerRuns;
    this.#endsUnreported = false;
    this.#depth = outer[--this.#outerCount] as number;
    this.#runDepth = outer[--this.#outerCount] as number;
    this.#run = outer[--this.#outerCount] as number;
  }

  /** The call of the statement that is about to begin. */
  callOf(probe: CallProbe): number {
    if (probe.startsCall) return this.#startAt(probe);
    const { fn } = probe;
    const innermost = this.#innermost;
    if (innermost === NO_CALL) return this.#returnTo(fn);
    const known = this.#functions.get(innermost);
    if (known === UNKNOWN_FUNCTION) {
      if (this.#startsConstructor(fn)) return this.#innermost;
      this.#functions.set(innermost, fn);
    }
    return known === fn || known === UNKNOWN_FUNCTION ? innermost : this.#returnTo(fn);
  }

  get #innermost(): number {
    return this.#depth === 0 ? NO_CALL : (this.#stack[this.#depth - 1] as number);
  }

  get #isBeforeStart(): boolean {
    return this.#depth > 0 && this.#areBeforeStart[this.#depth - 1] === true;
  }

  #startAt(probe: CallProbe): number {
    this.#endUnreported();
    const call = probe.isField ? this.#startField(probe) : this.#startFunction(probe.fn);
    this.#areReported[this.#depth - 1] = probe.reportsEnd;
    this.#endsUnreported = !probe.reportsEnd;
    return call;
  }

  #startFunction(fn: number): number {
    if (!this.#isBeforeStart || this.#functions.get(this.#innermost) !== fn) return this.#push(fn);
    this.#areBeforeStart[this.#depth - 1] = false;
    return this.#innermost;
  }

  /** The fields of a class are initialised in one call. */
  #startField({ fn, statement, constructorFn }: CallProbe): number {
    const isNext = statement > this.#lastField && this.#isChildOfInnermost(this.#fieldCall, fn);
    this.#lastField = statement;
    if (isNext) {
      this.#areBeforeStart[this.#depth] = false;
      return (this.#stack[this.#depth++] = this.#fieldCall);
    }
    if (constructorFn !== -1) {
      this.#push(constructorFn);
      this.#areBeforeStart[this.#depth - 1] = true;
    }
    return (this.#fieldCall = this.#push(fn));
  }

  /** Whether the innermost call, which has just started, is that of a constructor after its fields. */
  #startsConstructor(fn: number): boolean {
    const outer = this.#depth - 2;
    if (outer < 0 || this.#areBeforeStart[outer] !== true) return false;
    if (this.#functions.get(this.#stack[outer] as number) !== fn) return false;
    this.#areBeforeStart[outer] = false;
    this.#areReported[outer] = true;
    this.#depth--;
    return true;
  }

  #isChildOfInnermost(call: number, fn: number): boolean {
    if (call === NO_CALL || this.#functions.get(call) !== fn) return false;
    return this.parents.get(call) === this.#innermost && this.runs.get(call) === this.#run;
  }

  /** Ends the calls inside of the innermost call of a function. A frame may call others before its first statement. */
  #returnTo(fn: number): number {
    this.#endUnreported();
    for (let depth = this.#depth; depth > 0 && depth >= this.#runDepth; depth--) {
      const call = this.#stack[depth - 1] as number;
      const known = this.#functions.get(call);
      if (known !== fn && known !== UNKNOWN_FUNCTION) continue;
      this.#functions.set(call, fn);
      this.#depth = depth;
      return call;
    }
    return this.#reopen(fn) ?? this.#push(fn);
  }

  /** Continues the last call of a function if it was taken to have ended, because it called a getter or a conversion. */
  #reopen(fn: number): number | undefined {
    const parent = this.#innermost;
    const count = this.parents.length;
    for (let call = count - 1; call > parent && call >= count - MAX_REOPENED; call--) {
      if (!this.#isChildOfInnermost(call, fn)) continue;
      for (let later = call + 1; later < count; later++)
        if (this.parents.get(later) === parent) this.parents.set(later, call);
      this.#areBeforeStart[this.#depth] = this.#areReported[this.#depth] = false;
      this.#stack[this.#depth++] = call;
      this.#endsUnreported = true;
      return call;
    }
    return undefined;
  }

  #endUnreported(): void {
    if (this.#endsUnreported) this.#depth--;
    this.#endsUnreported = false;
  }

  #push(fn: number): number {
    const call = this.parents.length;
    this.parents.push(this.#innermost);
    this.runs.push(this.#run);
    this.#functions.push(fn);
    this.#areBeforeStart[this.#depth] = this.#areReported[this.#depth] = false;
    this.#stack[this.#depth++] = call;
    return call;
  }
}
