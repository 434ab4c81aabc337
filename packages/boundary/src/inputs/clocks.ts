// Stands in for the clocks of a thread: `Date`, `performance`, `process.hrtime`, `Temporal.Now`. Node's own code asks the engine and is
// not seen here.
import { dateAsking } from './date.ts';
import { SOURCES } from '@turntable/recording/sources';
import type { Asking } from './asking.ts';
import { keepNativeClock, standIn, standInAll } from '@turntable/loader';

type Fn = (this: unknown, ...args: never[]) => unknown;
type HrTime = readonly [seconds: number, nanoseconds: number];

const { apply } = Reflect;
const SECOND = 1_000_000_000;

export function placeClocks(asking: Asking): void {
  placeDate(asking);
  placePerformance(asking);
  placeHrtime(asking);
  placeTemporal(asking);
}

function placeDate(asking: Asking): void {
  const native = Date;
  const own = dateAsking(native, asking.source(SOURCES.date, native.now));
  const { now } = own;
  standIn(globalThis, 'Date', own as unknown as Fn);
  // It has all that the native one has by now.
  standIn(own, 'now', now);
  Object.defineProperty(native.prototype, 'constructor', {
    value: own,
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

interface MarkOptions {
  readonly startTime?: number;
}
interface MeasureOptions {
  readonly end?: unknown;
  readonly duration?: unknown;
}

interface PerformancePrototype {
  now(): number;
  mark(name: string, options?: MarkOptions): unknown;
  measure(name: string, from?: unknown, to?: string): unknown;
  eventLoopUtilization(): unknown;
  readonly nodeTiming: object;
}

function placePerformance(asking: Asking): void {
  const { performance } = globalThis;
  const prototype = Reflect.getPrototypeOf(performance) as PerformancePrototype;
  const { now, mark, measure, eventLoopUtilization, nodeTiming } = prototype;
  const ask = asking.source(SOURCES.performance, () => apply(now, performance, []) as number);
  // What is called on something else, or without a name, is refused in Node's words.
  const methods = {
    now(this: unknown): number {
      return this === performance ? ask() : (apply(now, this, []) as number);
    },
    mark(this: unknown, name: string, options?: MarkOptions): unknown {
      if (this !== performance || arguments.length === 0 || options?.startTime !== undefined)
        return apply(mark, this, arguments as never);
      return apply(mark, this, [name, { ...options, startTime: ask() }]);
    },
    measure(this: unknown, name: string, from?: unknown, to?: string): unknown {
      const isOptions = typeof from === 'object' && from !== null;
      const options = isOptions ? (from as MeasureOptions) : undefined;
      const ends = to !== undefined || options?.end !== undefined || options?.duration !== undefined;
      if (this !== performance || arguments.length === 0 || ends) return apply(measure, this, arguments as never);
      const begins = isOptions ? options : from === undefined ? {} : { start: from as string };
      return apply(measure, this, [name, { ...begins, end: ask() }]);
    },
    eventLoopUtilization(...args: never[]): unknown {
      return asking.machine('performance.eventLoopUtilization', () => apply(eventLoopUtilization, performance, args));
    },
  };
  standInAll(prototype, methods);
  answerGetters(asking, nodeTiming, 'performance.nodeTiming');
}

/** Accessors among the own properties of an object ask. */
export function answerGetters(asking: Asking, object: object, name: string): void {
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
    const { get, configurable } = descriptor;
    if (get === undefined || configurable !== true) continue;
    const { get: own } = { get: () => asking.machine(`${name}.${key}`, () => apply(get, object, []) as unknown) };
    Object.defineProperty(object, key, { ...descriptor, get: own });
  }
}

function placeHrtime(asking: Asking): void {
  const native = process.hrtime;
  keepNativeClock();
  const nativeBigint = native.bigint;
  const bigint = asking.source(SOURCES.hrtime, nativeBigint);
  // Node's pair is the same time; it costs less than to take a bigint apart.
  let pair: HrTime = [0, 0];
  const asBigint = asking.source(SOURCES.hrtime, () => {
    pair = native();
    return BigInt(pair[0]) * 1_000_000_000n + BigInt(pair[1]);
  });
  const { hrtime } = {
    hrtime(before?: HrTime): HrTime {
      // Refuses what is no time.
      if (before !== undefined) native(before as [number, number]);
      const nanoseconds = asBigint();
      if (asking.isReplay) pair = [Number(nanoseconds / 1_000_000_000n), Number(nanoseconds % 1_000_000_000n)];
      if (before === undefined) return pair;
      const seconds = pair[0] - before[0];
      const rest = pair[1] - before[1];
      return rest < 0 ? [seconds - 1, rest + SECOND] : [seconds, rest];
    },
  };
  standInAll(process, { hrtime });
  standInAll(hrtime, { bigint: () => bigint() });
}

interface TemporalNow {
  instant(): { toZonedDateTimeISO(zone: unknown): Zoned };
  timeZoneId(): string;
}
interface Zoned {
  toPlainDateTime(): unknown;
  toPlainDate(): unknown;
  toPlainTime(): unknown;
}

/** Where the engine has it. */
function placeTemporal(asking: Asking): void {
  const { Temporal } = globalThis as unknown as {
    Temporal?: {
      Now: TemporalNow;
      Instant: { fromEpochNanoseconds(time: bigint): ReturnType<TemporalNow['instant']> };
    };
  };
  if (Temporal === undefined) return;
  const { Now, Instant } = Temporal;
  const { instant } = Now;
  const ask = asking.source(
    SOURCES.hrtime,
    () => (instant() as unknown as { epochNanoseconds: bigint }).epochNanoseconds,
  );
  const { timeZoneId } = Now;
  const now = (): ReturnType<TemporalNow['instant']> => Instant.fromEpochNanoseconds(ask());
  const zoned = (zone?: unknown): Zoned => now().toZonedDateTimeISO(zone === undefined ? timeZoneId() : zone);
  const methods = {
    instant: () => now(),
    zonedDateTimeISO: (zone?: unknown) => zoned(zone),
    plainDateTimeISO: (zone?: unknown) => zoned(zone).toPlainDateTime(),
    plainDateISO: (zone?: unknown) => zoned(zone).toPlainDate(),
    plainTimeISO: (zone?: unknown) => zoned(zone).toPlainTime(),
  };
  standInAll(Now, methods);
}
