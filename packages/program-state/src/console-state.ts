// The counters and timers of `console`, which Node keeps in internal maps.
import { nativeFunctionOf } from '@turntable/loader';

type HrTime = [seconds: number, nanoseconds: number];

export interface ConsoleState {
  readonly counts: readonly (readonly [label: string, count: number])[];
  /** Labels with elapsed milliseconds, which are 0 in states that are only compared. */
  readonly times: readonly (readonly [label: string, milliseconds: number])[];
}

interface ConsoleMaps {
  readonly counts: Map<string, number> | undefined;
  readonly times: Map<string, HrTime> | undefined;
}

/** Node's own function: the program's version may be recorded. */
const hrtime = (nativeFunctionOf(process.hrtime) ?? process.hrtime) as typeof process.hrtime;

function consoleMaps(): ConsoleMaps {
  const key = Object.getOwnPropertySymbols(console).find(({ description }) => description === 'counts');
  const valueOf = (name: PropertyKey | undefined): unknown =>
    name === undefined ? undefined : Object.getOwnPropertyDescriptor(console, name)?.value;
  return { counts: valueOf(key) as ConsoleMaps['counts'], times: valueOf('_times') as ConsoleMaps['times'] };
}

/** @param withTimes false for states that are compared, because elapsed times differ between equal states */
export function readConsole(withTimes: boolean): ConsoleState {
  const { counts, times } = consoleMaps();
  const elapsedMs = (startTime: HrTime): number => {
    const [seconds, nanoseconds] = hrtime(startTime);
    return seconds * 1e3 + nanoseconds / 1e6;
  };
  return {
    counts: counts === undefined ? [] : [...counts],
    times:
      times === undefined ? [] : [...times].map(([label, startTime]) => [label, withTimes ? elapsedMs(startTime) : 0]),
  };
}

export function writeConsole(state: ConsoleState): void {
  const { counts, times } = consoleMaps();
  for (const [label, count] of state.counts) counts?.set(label, count);
  for (const [label, milliseconds] of state.times) {
    const [seconds, nanoseconds] = hrtime();
    const startTime = BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds) - BigInt(Math.round(milliseconds * 1e6));
    times?.set(label, [Number(startTime / 1_000_000_000n), Number(startTime % 1_000_000_000n)]);
  }
}
