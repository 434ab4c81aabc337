/*
 * Random programs, run natively and transformed, must be indistinguishable; those about control flow alone also agree with
 * the regenerator. The seed is fixed, so that a run is the same everywhere:
 *   ORACLE_RUNS=5000 ORACLE_SEED=random npm test -- test/oracle     looks further.
 */
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { drive, type Operation } from './drive.ts';
import { type OracleEngine, native, regenerator, transformed } from './engines.ts';
import { type ProgramBlock, blocks, type Kind, render } from './program.ts';

const runs = Number(process.env['ORACLE_RUNS'] ?? 250);
const wantedSeed = process.env['ORACLE_SEED'];
const seed = wantedSeed === 'random' ? Date.now() & 0x7fff_ffff : Number(wantedSeed ?? 20_261_121);

// Programs leave rejected promises behind; that belongs to them.
process.on('unhandledRejection', () => {});

const operations: fc.Arbitrary<readonly Operation[]> = fc.array(
  fc.record({
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constant('next' as const) },
      { weight: 1, arbitrary: fc.constantFrom('throw' as const, 'return' as const) },
    ),
    value: fc.nat(3),
    wait: fc.boolean(),
  }),
  { minLength: 2, maxLength: 14 },
);

describe('random programs of scoping and control flow are the same transformed:', () => {
  test.for(['sync', 'async', 'generator', 'asyncGenerator'] as const)(
    '%s functions',
    { timeout: 600_000 },
    async (kind) => {
      await compare(kind, blocks({ scoping: true }), native, transformed, runs);
    },
  );
});

describe('random programs of control flow around suspensions agree with the regenerator:', () => {
  test.for(['async', 'generator'] as const)('%s functions', { timeout: 600_000 }, async (kind) => {
    await compare(kind, blocks({ scoping: false }), regenerator, transformed, Math.ceil(runs / 2));
  });
});

async function compare(
  kind: Kind,
  programs: fc.Arbitrary<ProgramBlock>,
  expected: OracleEngine,
  actual: OracleEngine,
  numRuns: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(programs, operations, async (block, steps) => {
      const source = render(block, kind);
      const one = await observe(expected, kind, source, steps);
      // The regenerator lacks newer syntax and has errors of its own: it counts where it agrees with the engine.
      if (expected !== native) fc.pre(one.join() === (await observe(native, kind, source, steps)).join());
      const other = await observe(actual, kind, source, steps);
      const at = one.findIndex((line, i) => line !== other[i]);
      if (at < 0 && one.length === other.length) return;
      const differs = at < 0 ? Math.min(one.length, other.length) : at;
      const context = [
        `${expected.name}:`,
        ...one.slice(0, differs + 2),
        `${actual.name}:`,
        ...other.slice(0, differs + 2),
      ];
      throw new Error(`${source}\n${JSON.stringify(steps)}\n${context.join('\n')}`);
    }),
    { seed, numRuns, endOnFailure: false },
  );
}

async function observe(
  engine: OracleEngine,
  kind: Kind,
  source: string,
  steps: readonly Operation[],
): Promise<string[]> {
  let make;
  try {
    make = engine.compile(source);
  } catch (error) {
    return [`does not compile: ${(error as Error).name}: ${engine === native ? '' : (error as Error).message}`];
  }
  const lines = await drive(kind, make, steps, engine.Promise);
  // The text of functions is the loader's affair; here there is none.
  return lines.map((line) => (line.includes('function') ? 'the text of a function' : line));
}
