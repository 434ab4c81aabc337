// Replaces the clocks of a thread with a tape: `Date`, `performance`, `process.hrtime`, `Temporal.Now`. Node's own code
// calls the engine directly and is not affected.
import perfHooks from 'node:perf_hooks';
import { createDateConstructor } from './date-constructor.ts';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { InputTape } from './input-tape.ts';
import { saveNativeClock, replaceFunction, replaceFunctions } from '@turntable/loader';

type AnyFunction = (this: unknown, ...args: never[]) => unknown;
type HrTime = readonly [seconds: number, nanoseconds: number];

const { apply } = Reflect;
const NANOSECONDS_PER_SECOND = 1_000_000_000;

export function installClocks(inputTape: InputTape): void {
  installDate(inputTape);
  installPerformance(inputTape);
  installHistograms(inputTape);
  installHrtime(inputTape);
  installTemporal(inputTape);
}

function installDate(inputTape: InputTape): void {
  const native = Date;
  const RecordedDate = createDateConstructor(native, inputTape.wrapSource(TRACE_SOURCES.date, native.now));
  const { now } = RecordedDate;
  replaceFunction(globalThis, 'Date', RecordedDate as unknown as AnyFunction);
  // The replacement keeps the other properties of the native function.
  replaceFunction(RecordedDate, 'now', now);
  Object.defineProperty(native.prototype, 'constructor', {
    value: RecordedDate,
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

function installPerformance(inputTape: InputTape): void {
  const { performance } = globalThis;
  const prototype = Reflect.getPrototypeOf(performance) as PerformancePrototype;
  const { now, mark, measure, eventLoopUtilization, nodeTiming } = prototype;
  const readNow = inputTape.wrapSource(TRACE_SOURCES.performance, () => apply(now, performance, []) as number);
  // Node reports an invalid receiver or argument itself.
  const methods = {
    now(this: unknown): number {
      return this === performance ? readNow() : (apply(now, this, []) as number);
    },
    mark(this: unknown, name: string, options?: MarkOptions): unknown {
      if (this !== performance || arguments.length === 0 || options?.startTime !== undefined)
        return apply(mark, this, arguments as never);
      return apply(mark, this, [name, { ...options, startTime: readNow() }]);
    },
    measure(this: unknown, name: string, startOrOptions?: unknown, endMark?: string): unknown {
      const isOptions = typeof startOrOptions === 'object' && startOrOptions !== null;
      const options = isOptions ? (startOrOptions as MeasureOptions) : undefined;
      const hasEnd = endMark !== undefined || options?.end !== undefined || options?.duration !== undefined;
      if (this !== performance || arguments.length === 0 || hasEnd) return apply(measure, this, arguments as never);
      const startOptions = isOptions
        ? options
        : startOrOptions === undefined
          ? {}
          : { start: startOrOptions as string };
      return apply(measure, this, [name, { ...startOptions, end: readNow() }]);
    },
    eventLoopUtilization(...args: never[]): unknown {
      return inputTape.recordValue('performance.eventLoopUtilization', () =>
        apply(eventLoopUtilization, performance, args),
      );
    },
  };
  replaceFunctions(prototype, methods);
  // Node exports the function from `perf_hooks`, too.
  if ('eventLoopUtilization' in perfHooks)
    replaceFunctions(perfHooks, { eventLoopUtilization: methods.eventLoopUtilization });
  recordGetters(inputTape, nodeTiming, 'performance.nodeTiming');
}

/** Replaces an object's own accessors with recorded ones. */
export function recordGetters(inputTape: InputTape, object: object, name: string): void {
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
    const { get, configurable } = descriptor;
    if (get === undefined || configurable !== true) continue;
    const { get: recordedGet } = {
      get: () => inputTape.recordValue(`${name}.${key}`, () => apply(get, object, []) as unknown),
    };
    Object.defineProperty(object, key, { ...descriptor, get: recordedGet });
  }
}

interface Histogram {
  record(value: bigint): void;
  recordDelta(): void;
}

/** Replaces `recordDelta` of histograms, which reads a clock. */
function installHistograms(inputTape: InputTape): void {
  const readTime = inputTape.wrapSource(TRACE_SOURCES.hrtime, process.hrtime.bigint);
  const prototype = Reflect.getPrototypeOf(perfHooks.createHistogram()) as Histogram;
  const { record, recordDelta: native } = prototype;
  const lastTimes = new WeakMap<object, bigint>();
  replaceFunctions(prototype, {
    recordDelta(this: Histogram): void {
      // Node reports an invalid receiver itself.
      if (!isHistogram(this, prototype)) return apply(native, this, []);
      const lastTime = lastTimes.get(this);
      const time = readTime();
      lastTimes.set(this, time);
      if (lastTime !== undefined) apply(record, this, [time > lastTime ? time - lastTime : 1n]);
    },
  });
}

function isHistogram(value: unknown, prototype: object): value is Histogram {
  return typeof value === 'object' && value !== null && Reflect.getPrototypeOf(value) === prototype;
}

function installHrtime(inputTape: InputTape): void {
  const nativeHrtime = process.hrtime;
  saveNativeClock();
  const nativeBigint = nativeHrtime.bigint;
  const readBigint = inputTape.wrapSource(TRACE_SOURCES.hrtime, nativeBigint);
  // The last reading as seconds and nanoseconds. Node's pair is cheaper than a division of the bigint.
  let pair: HrTime = [0, 0];
  const readPairAsBigint = inputTape.wrapSource(TRACE_SOURCES.hrtime, () => {
    pair = nativeHrtime();
    return BigInt(pair[0]) * 1_000_000_000n + BigInt(pair[1]);
  });
  const { hrtime } = {
    hrtime(previous?: HrTime): HrTime {
      // Makes Node reject an invalid time.
      if (previous !== undefined) nativeHrtime(previous as [number, number]);
      const nanoseconds = readPairAsBigint();
      if (inputTape.isReplay) pair = [Number(nanoseconds / 1_000_000_000n), Number(nanoseconds % 1_000_000_000n)];
      if (previous === undefined) return pair;
      const seconds = pair[0] - previous[0];
      const nanosecondsLeft = pair[1] - previous[1];
      return nanosecondsLeft < 0 ? [seconds - 1, nanosecondsLeft + NANOSECONDS_PER_SECOND] : [seconds, nanosecondsLeft];
    },
  };
  replaceFunctions(process, { hrtime });
  replaceFunctions(hrtime, { bigint: () => readBigint() });
}

interface TemporalNow {
  instant(): { toZonedDateTimeISO(zone: unknown): ZonedDateTime };
  timeZoneId(): string;
}
interface ZonedDateTime {
  toPlainDateTime(): unknown;
  toPlainDate(): unknown;
  toPlainTime(): unknown;
}

/** Has no effect if the engine lacks `Temporal`. */
function installTemporal(inputTape: InputTape): void {
  const { Temporal } = globalThis as unknown as {
    Temporal?: {
      Now: TemporalNow;
      Instant: { fromEpochNanoseconds(time: bigint): ReturnType<TemporalNow['instant']> };
    };
  };
  if (Temporal === undefined) return;
  const { Now, Instant } = Temporal;
  const { instant } = Now;
  const readNanoseconds = inputTape.wrapSource(
    TRACE_SOURCES.hrtime,
    () => (instant() as unknown as { epochNanoseconds: bigint }).epochNanoseconds,
  );
  const { timeZoneId } = Now;
  const currentInstant = (): ReturnType<TemporalNow['instant']> => Instant.fromEpochNanoseconds(readNanoseconds());
  const currentZoned = (zone?: unknown): ZonedDateTime =>
    currentInstant().toZonedDateTimeISO(zone === undefined ? timeZoneId() : zone);
  const methods = {
    instant: () => currentInstant(),
    zonedDateTimeISO: (zone?: unknown) => currentZoned(zone),
    plainDateTimeISO: (zone?: unknown) => currentZoned(zone).toPlainDateTime(),
    plainDateISO: (zone?: unknown) => currentZoned(zone).toPlainDate(),
    plainTimeISO: (zone?: unknown) => currentZoned(zone).toPlainTime(),
  };
  replaceFunctions(Now, methods);
}
