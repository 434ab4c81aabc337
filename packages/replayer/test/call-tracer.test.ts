// The tree of calls that a trace has, from the reports and statements of random programs.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallTracer, type CallProbe } from '../src/replay-process/call-tracer.ts';

/** A call of a function: the calls that each of its statements makes. Functions with an even number make none. */
interface PlannedCall {
  readonly fn: number;
  readonly statements: readonly (readonly PlannedCall[])[];
}

const { call } = fc.letrec<{ call: PlannedCall }>((tie) => {
  const silent = fc.record({
    fn: fc.constantFrom(0, 2),
    statements: fc.array(fc.constant([]), { minLength: 1, maxLength: 3 }),
  });
  const reporting = fc.record({
    fn: fc.constantFrom(1, 3),
    statements: fc.array(fc.array(tie('call'), { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  });
  return { call: fc.oneof({ depthSize: 'medium' }, silent, reporting) };
});

const PROBE: Omit<CallProbe, 'fn' | 'statement'> = {
  isField: false,
  startsCall: false,
  reportsEnd: false,
  constructorFn: -1,
};

/** Runs a call, whose statements must have one call in the trace. @param parents notes the caller of each call */
function run(tracer: CallTracer, { fn, statements }: PlannedCall, caller: number, parents: Map<number, number>): void {
  const isReported = fn % 2 === 1;
  if (isReported) tracer.callStarted();
  const calls = new Set<number>();
  for (const [i, callees] of statements.entries()) {
    const own = tracer.callOf({ ...PROBE, fn, statement: i, startsCall: !isReported && i === 0 });
    calls.add(own);
    for (const callee of callees) run(tracer, callee, own, parents);
  }
  if (isReported) tracer.callEnded();
  const [own = -1] = calls;
  expect(calls.size).toBe(1);
  expect(parents.has(own)).toBe(false);
  parents.set(own, caller);
}

test('each call is one, and has the call whose code has called it', () => {
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 3 }), (roots) => {
      const tracer = new CallTracer();
      tracer.hostCalled(0);
      const parents = new Map<number, number>();
      for (const root of roots) run(tracer, root, -1, parents);
      for (const [each, caller] of parents) expect(tracer.parents.get(each)).toBe(caller);
    }),
    { numRuns: 500 },
  );
});

test('calls whose ends are not reported, because of an exception, have ended at the next statement of a caller', () => {
  const tracer = new CallTracer();
  tracer.hostCalled(0);
  const statementOf = (fn: number, statement: number): number => tracer.callOf({ ...PROBE, fn, statement });
  tracer.callStarted();
  const outer = statementOf(1, 0);
  tracer.callStarted();
  const inner = statementOf(3, 0);
  // The end of the call of function 3 is lost.
  expect(statementOf(1, 1)).toBe(outer);
  tracer.callStarted();
  const next = statementOf(3, 0);
  expect(next).not.toBe(inner);
  expect(tracer.parents.get(next)).toBe(outer);
});

test('a getter that a function without calls has called is part of that function once it continues', () => {
  const tracer = new CallTracer();
  tracer.hostCalled(0);
  const silent = (fn: number, statement: number): number =>
    tracer.callOf({ ...PROBE, fn, statement, startsCall: statement === 0 });
  tracer.callStarted();
  const outer = tracer.callOf({ ...PROBE, fn: 1, statement: 0 });
  const reader = silent(0, 0);
  const getter = silent(2, 0);
  expect(tracer.parents.get(getter)).toBe(outer);
  expect(silent(0, 1)).toBe(reader);
  expect(tracer.parents.get(getter)).toBe(reader);
  tracer.callEnded();
});
