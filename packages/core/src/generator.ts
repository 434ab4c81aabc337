// Generator objects: ordinary objects with the prototype of their function, and the frame stamped on them. Each realm
// of core has one %GeneratorPrototype% below the native %IteratorPrototype%, so that iterator helpers and `instanceof
// Iterator` work. Native generators keep the native one. Hot path: guarded by the generator rows of bench/prototype.

import { FINISHED, Frame, NORMAL, RETURN, THROW } from './frame.ts';
import { observedStep } from './frame-observer.ts';
import { NativeTypeError, create, defineProperty, iteratorPrototype, defineMethod } from './intrinsics.ts';
import { formatValue } from './value-format.ts';
import { Stamp } from './stamp.ts';
import { journal } from './undo/journal.ts';

const FINISHED_FRAME = new Frame(() => undefined);
FINISHED_FRAME.pc = FINISHED;

/** `frame.result` of a generator that has started. */
const STARTED = true;

export class GeneratorState extends Stamp {
  #frame: Frame;
  constructor(object: object, frame: Frame) {
    super(object);
    this.#frame = frame;
  }
  static is(value: unknown): value is GeneratorState {
    return typeof value === 'object' && value !== null && #frame in value;
  }
  /** The frame; undefined once the generator has finished. */
  static frame(generator: GeneratorState): Frame | undefined {
    return generator.#frame === FINISHED_FRAME ? undefined : generator.#frame;
  }
  static setFrame(generator: GeneratorState, frame: Frame | undefined): void {
    generator.#frame = frame ?? FINISHED_FRAME;
  }
  static next(generator: GeneratorState, value: unknown): unknown {
    const frame = generator.#frame;
    if (journal.log !== undefined) journal.log.noteGenerator(generator);
    if (frame.pc > 0) return GeneratorState.step(generator, frame, value, NORMAL);
    if (frame.pc < 0) return { value: undefined, done: true };
    if (frame.result === STARTED) throw new NativeTypeError('Generator is already running');
    frame.result = STARTED;
    return GeneratorState.step(generator, frame, undefined, NORMAL);
  }
  static complete(generator: GeneratorState, value: unknown, how: number): unknown {
    const frame = generator.#frame;
    if (journal.log !== undefined) journal.log.noteGenerator(generator);
    if (frame.pc > 0) return GeneratorState.step(generator, frame, value, how);
    if (frame.pc === 0 && frame.result === STARTED) throw new NativeTypeError('Generator is already running');
    generator.#frame = FINISHED_FRAME;
    if (how === THROW) throw value;
    return { value, done: true };
  }
  static step(generator: GeneratorState, frame: Frame, value: unknown, how: number): unknown {
    const { step } = frame;
    let suspends = false;
    try {
      const { frameObserver } = journal;
      const result =
        frameObserver === undefined ? step(frame, value, how) : observedStep(frameObserver, frame, value, how);
      suspends = frame.pc > 0;
      return result;
    } finally {
      // `finally` without `catch`: with a `catch`, V8 would lose the position of an exception.
      if (!suspends) {
        // Drops the frame after its last step, so that a kept generator does not keep its locals alive.
        generator.#frame = FINISHED_FRAME;
        frame.pc = FINISHED;
      }
    }
  }
}

/** Methods of generators. They need no realm, so all realms share them. */
const methods = {
  next(this: unknown, value: unknown): unknown {
    if (!GeneratorState.is(this)) throw incompatibleError('next', this);
    return GeneratorState.next(this, value);
  },
  return(this: unknown, value: unknown): unknown {
    if (!GeneratorState.is(this)) throw incompatibleError('return', this);
    return GeneratorState.complete(this, value, RETURN);
  },
  throw(this: unknown, error: unknown): unknown {
    if (!GeneratorState.is(this)) throw incompatibleError('throw', this);
    return GeneratorState.complete(this, error, THROW);
  },
};
/** The original `next`. A caller that finds this method unpatched may step the generator directly. */
export const generatorNext: unknown = methods.next;

export interface Generators {
  /** %GeneratorPrototype% */
  prototype: object;
  generator(frame: Frame, prototype: unknown): object;
  generatorPrototype(): object;
}

export function createGenerators(): Generators {
  const prototype = create(iteratorPrototype) as object;
  for (const [name, value] of Object.entries(methods)) {
    defineMethod(prototype, name, value);
  }
  defineProperty(prototype, Symbol.toStringTag, { value: 'Generator', configurable: true });

  function generator(frame: Frame, proto: unknown): object {
    const isObject = (typeof proto === 'object' && proto !== null) || typeof proto === 'function';
    return new GeneratorState(create(isObject ? (proto as object) : prototype) as object, frame);
  }

  function generatorPrototype(): object {
    return create(prototype) as object;
  }

  return { prototype, generator, generatorPrototype };
}

function incompatibleError(method: string, receiver: unknown): TypeError {
  return new NativeTypeError(
    `Method [Generator].prototype.${method} called on incompatible receiver ${formatValue(receiver)}`,
  );
}
