// Values of a scripted program: values of this process, described as a replay process describes them. As there, object
// ids become invalid when another frame is inspected.
import type {
  CompletionName,
  EvaluationResult,
  NamesQuery,
  Page,
  TextPiece,
  ValueEntries,
  ValueEntry,
} from '@turntable/time-machine/replay-process';
import { ValueInspector, type ObjectDetails } from '../../replayer/src/replay/thread/value-inspector.ts';

/** Variables of a frame; `this` may be one of them. */
export type FrameVariables = Readonly<Record<string, unknown>>;

/** Stands for a variable that has no value yet. */
export const UNINITIALIZED: unique symbol = Symbol('uninitialized');

const ASSIGNMENT = /[^=!<>]=[^=>]|\+\+|--/;

export class ScriptedValues {
  readonly #frames: readonly FrameVariables[];
  readonly #details: ObjectDetails;
  #generation = 0;
  #inspector: ValueInspector;

  /** @param frames innermost first */
  constructor(frames: readonly FrameVariables[], privateFieldsOf: ObjectDetails['privateFieldsOf'] = () => []) {
    this.#frames = frames;
    this.#details = { waitersOf: () => [], privateFieldsOf };
    this.#inspector = new ValueInspector(0, this.#details);
  }

  /** Makes all object ids invalid. */
  forgetIds(): void {
    this.#inspector = new ValueInspector(0, this.#details, ++this.#generation * 1000);
  }

  locals(frame: number): ValueEntry[] {
    if (frame > 0) this.forgetIds();
    return Object.entries(this.#frames[frame] ?? {}).map(([name, value]) => ({
      name,
      kind: 'variable',
      isEnumerable: true,
      value: value === UNINITIALIZED ? undefined : this.#inspector.toValue(value),
    }));
  }

  describe(value: unknown): ReturnType<ValueInspector['toValue']> {
    return this.#inspector.toValue(value);
  }

  evaluate(expression: string, frame: number, effects = 'any'): EvaluationResult {
    if (frame > 0) this.forgetIds();
    const isPure = !ASSIGNMENT.test(expression);
    const failed = (error: string): EvaluationResult => ({ value: undefined, error, isPure, isUndone: !isPure });
    if (!isPure && effects === 'none')
      return failed('it could change the program, which only an input in the innermost frame may do');
    const { this: self, ...variables } = this.#frames[frame] ?? {};
    try {
      const run = new Function(...Object.keys(variables), `return (${expression}\n)`);
      const value: unknown = Reflect.apply(run, self, Object.values(variables));
      return { value: this.#inspector.toValue(value), error: undefined, isPure, isUndone: !isPure };
    } catch (error) {
      return failed(String(error));
    }
  }

  names({ object, prefix }: NamesQuery, frame: number): CompletionName[] {
    const variables = this.#frames[frame] ?? {};
    const holder = object === undefined ? variables : variables[object];
    const kind = object === undefined ? 'variable' : 'property';
    const names = holder === undefined ? [] : Object.getOwnPropertyNames(holder);
    return names.filter((name) => name.startsWith(prefix)).map((name) => ({ name, kind }));
  }

  expand(id: number, page: Page): ValueEntries {
    return this.#inspector.expand({ id, ...page });
  }

  text(id: number, page: Page): TextPiece {
    return this.#inspector.readText({ id, ...page });
  }
}
