// The rows of bench:awfy. `inner` is the suite's inner iteration count (for CD, Havlak, Mandelbrot, NBody and DeltaBlue
// the problem size, which can be verified for some values only). A sample runs it `repeat` times, to take 100–200 ms on
// the machine this was tuned on (30–60 ms in quick runs).

export interface AwfyLoad {
  readonly inner: number;
  readonly repeat: number;
}

export interface AwfyProgram {
  readonly name: string;
  /** Path relative to this folder, without extension. */
  readonly module: string;
  readonly suite: 'awfy' | 'micro';
  /** Limit of the ratio to native, for micro rows. */
  readonly limit?: number;
  readonly full: AwfyLoad;
  readonly quick: AwfyLoad;
  /** Sizes that the tests verify. */
  readonly verified: readonly number[];
}

/** Exports of a program's module. */
export interface ProgramModule {
  newInstance(): { innerBenchmarkLoop(innerIterations: number): boolean | PromiseLike<boolean> };
}

export function loadProgram(module: string): Promise<ProgramModule> {
  return import(new URL(`./${module}.ts`, import.meta.url).href) as Promise<ProgramModule>;
}

function awfy(name: string, full: AwfyLoad, quick: AwfyLoad, verified: readonly number[]): AwfyProgram {
  return { name, module: `programs/${name.toLowerCase()}`, suite: 'awfy', full, quick, verified };
}

function micro(name: string, module: string, limit: number, full: AwfyLoad, quick: AwfyLoad): AwfyProgram {
  return { name, module: `micro/${module}`, suite: 'micro', limit, full, quick, verified: [1, 2] };
}

const times = (inner: number, repeat = 1): AwfyLoad => ({ inner, repeat });

export const PROGRAMS: readonly AwfyProgram[] = [
  awfy('DeltaBlue', times(4000), times(1200), [20, 200]),
  awfy('Richards', times(30), times(8), [1, 2]),
  awfy('Json', times(60), times(20), [1, 2]),
  awfy('CD', times(100), times(10), [2, 10, 100]),
  awfy('Havlak', times(1), times(1), [1, 15, 150]),
  awfy('Bounce', times(2000), times(500), [1, 2]),
  awfy('List', times(1200), times(300), [1, 2]),
  awfy('Mandelbrot', times(500), times(500), [1, 500]),
  awfy('NBody', times(250000, 3), times(250000), [1, 250000]),
  awfy('Permute', times(1000), times(250), [1, 2]),
  awfy('Queens', times(1000), times(250), [1, 2]),
  awfy('Sieve', times(4000), times(1000), [1, 2]),
  awfy('Storage', times(1000), times(250), [1, 2]),
  awfy('Towers', times(600), times(150), [1, 2]),
  micro('async call + await', 'async-call', 1.1, times(1_000_000), times(300_000)),
  micro('async tree recursion', 'async-tree', 1.2, times(40), times(12)),
  micro('hot loop in async', 'async-loop', 1.1, times(20), times(6)),
  micro('generator iteration', 'generator', 1.2, times(50), times(12)),
  micro('closure creation', 'closure', 1.1, times(150), times(40)),
];
