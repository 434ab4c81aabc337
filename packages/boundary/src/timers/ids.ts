// The numbers that programs get for their timers (`+timeout`): Node's own count all that is asynchronous in a process, so they are asked for.
import type { Tape } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import { standIn } from '@turntable/loader';
import { OwnTimeout } from './own-timeout.ts';
import { giveNumber, numberOf, timeoutPrototype, type NativeTimeout } from './native.ts';

export function noteIds(tape: Tape): void {
  const native = (timeoutPrototype as NativeTimeout)[Symbol.toPrimitive];
  const known = new WeakSet<object>();
  standIn(
    timeoutPrototype,
    Symbol.toPrimitive,
    {
      [Symbol.toPrimitive](this: NativeTimeout): number {
        if (!OwnTimeout.is(this) || known.has(this) || numberOf(this) !== undefined)
          return Reflect.apply(native, this, []);
        known.add(this);
        if (tape.isReplay) giveNumber(this, tape.outcome(SOURCES.timer) as number);
        const id = Reflect.apply(native, this, []);
        if (!tape.isReplay) tape.outcome(SOURCES.timer, id);
        return id;
      },
    }[Symbol.toPrimitive],
  );
}
