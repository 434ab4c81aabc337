// Generator objects: ordinary objects of the prototype their function has, with the frame stamped on them.
// One %GeneratorPrototype% per realm of core, below the native %IteratorPrototype% (so iterator helpers and `instanceof
// Iterator` work); the native one stays for generators of native code.
// Hot path: guarded by the generator rows of bench/prototype.

import { FINISHED, Frame, NORMAL, RETURN, THROW } from './frame.ts';
import { NativeTypeError, create, defineProperty, iteratorPrototype, defineMethod } from './intrinsics.ts';
import { show } from './show.ts';
import { Stamp } from './stamp.ts';
import { journal } from './undo/journal.ts';

const finished = new Frame(() => undefined);
finished.pc = FINISHED;

/** `frame.result` of a generator's frame: whether its first step has run. */
const STARTED = true;

export class GeneratorState extends Stamp {
  #frame: Frame;
  constructor(object: object, frame: Frame) {
    super(object);
    this.#frame = frame;
  }
  static has(value: unknown): value is GeneratorState {
    return typeof value === 'object' && value !== null && #frame in value;
  }
  /** The frame, or nothing once the generator has finished. */
  static frame(generator: GeneratorState): Frame | undefined {
    return generator.#frame === finished ? undefined : generator.#frame;
  }
  static setFrame(generator: GeneratorState, frame: Frame | undefined): void {
    generator.#frame = frame ?? finished;
  }
  static next(generator: GeneratorState, value: unknown): unknown {
    const frame = generator.#frame;
    if (journal.log !== undefined) journal.log.generator(generator);
    if (frame.pc > 0) return GeneratorState.run(generator, frame, value, NORMAL);
    if (frame.pc < 0) return { value: undefined, done: true };
    if (frame.result === STARTED) throw new NativeTypeError('Generator is already running');
    frame.result = STARTED;
    return GeneratorState.run(generator, frame, undefined, NORMAL);
  }
  static abrupt(generator: GeneratorState, value: unknown, how: number): unknown {
    const frame = generator.#frame;
    if (journal.log !== undefined) journal.log.generator(generator);
    if (frame.pc > 0) return GeneratorState.run(generator, frame, value, how);
    if (frame.pc === 0 && frame.result === STARTED) throw new NativeTypeError('Generator is already running');
    generator.#frame = finished;
    if (how === THROW) throw value;
    return { value, done: true };
  }
  static run(generator: GeneratorState, frame: Frame, value: unknown, how: number): unknown {
    const { step } = frame;
    let suspends = false;
    try {
      const result = step(frame, value, how);
      suspends = frame.pc > 0;
      return result;
    } finally {
      // No `catch`: V8 would forget where an exception was thrown.
      if (!suspends) {
        // The frame goes with its last step, so that a generator kept for long keeps no locals alive.
        generator.#frame = finished;
        frame.pc = FINISHED;
      }
    }
  }
}

/** One set for all realms: they need nothing of one. */
const methods = {
  next(this: unknown, value: unknown): unknown {
    if (!GeneratorState.has(this)) throw incompatible('next', this);
    return GeneratorState.next(this, value);
  },
  return(this: unknown, value: unknown): unknown {
    if (!GeneratorState.has(this)) throw incompatible('return', this);
    return GeneratorState.abrupt(this, value, RETURN);
  },
  throw(this: unknown, error: unknown): unknown {
    if (!GeneratorState.has(this)) throw incompatible('throw', this);
    return GeneratorState.abrupt(this, error, THROW);
  },
};
/** `next` as it was born: who holds it and a generator may step the generator without a call. */
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

function incompatible(method: string, receiver: unknown): TypeError {
  return new NativeTypeError(
    `Method [Generator].prototype.${method} called on incompatible receiver ${show(receiver)}`,
  );
}
