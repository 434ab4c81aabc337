/*
 * Random programs behave the same natively and transformed; programs of pure control flow also agree with the
 * regenerator. The seed is fixed, so that all runs are equal. For more programs:
 *   ORACLE_RUNS=5000 ORACLE_SEED=random npm test -- test/oracle
 */
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { drive, type Operation } from './drive.ts';
import { type OracleEngine, native, regenerator, transformed } from './engines.ts';
import { type ProgramBlock, blocks, type Kind, render } from './program.ts';

const runs = Number(process.env['ORACLE_RUNS'] ?? 250);
const wantedSeed = process.env['ORACLE_SEED'];
const seed = wantedSeed === 'random' ? Date.now() & 0x7fff_ffff : Number(wantedSeed ?? 20_261_121);

// Programs leave rejected promises unhandled.
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

describe('random programs of scoping and control flow behave the same when transformed:', () => {
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
      const expectedLog = await observe(expected, kind, source, steps);
      // The regenerator lacks newer syntax and has its own bugs: compare only where it agrees with the engine.
      if (expected !== native) fc.pre(expectedLog.join() === (await observe(native, kind, source, steps)).join());
      const actualLog = await observe(actual, kind, source, steps);
      const at = expectedLog.findIndex((line, i) => line !== actualLog[i]);
      if (at < 0 && expectedLog.length === actualLog.length) return;
      const differs = at < 0 ? Math.min(expectedLog.length, actualLog.length) : at;
      const context = [
        `${expected.name}:`,
        ...expectedLog.slice(0, differs + 2),
        `${actual.name}:`,
        ...actualLog.slice(0, differs + 2),
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
  // Function texts are restored by the loader, which is not involved here.
  return lines.map((line) => (line.includes('function') ? 'the text of a function' : line));
}
