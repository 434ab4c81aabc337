// A realm for tests of module records, on the engine's own promises: what is tested here is the records' algorithm, and its ticks
// can be compared with the engine's own modules.
import type { ModuleFrame, ModuleRealm, ModuleStep } from '../../src/modules/ports.ts';

export class TestFrame implements ModuleFrame {
  readonly step: ModuleStep;
  pc = 0;
  s0: unknown = undefined;
  s1: unknown = undefined;
  end: PromiseWithResolvers<unknown> = Promise.withResolvers();

  constructor(step: ModuleStep) {
    this.step = step;
  }
}

export function createNativeRealm(): ModuleRealm & { Frame: typeof TestFrame } {
  const settle = new WeakMap<object, PromiseWithResolvers<unknown>>();
  function resume(frame: TestFrame, value: unknown, how: 0 | 1): void {
    try {
      const result = frame.step(frame, value, how);
      if (frame.pc === 0) frame.end.resolve(result);
    } catch (error) {
      frame.end.reject(error);
    }
  }
  const realm = {
    Frame: TestFrame,
    createFrame: (step: ModuleStep) => new TestFrame(step),
    async(frame: ModuleFrame) {
      resume(frame as TestFrame, undefined, 0);
      return (frame as TestFrame).end.promise;
    },
    await(frame: ModuleFrame, k: number, value: unknown) {
      frame.pc = k;
      void Promise.resolve(value).then(
        (result) => resume(frame as TestFrame, result, 0),
        (reason: unknown) => resume(frame as TestFrame, reason, 1),
      );
    },
    createEventual() {
      const capability = Promise.withResolvers<unknown>();
      settle.set(capability.promise, capability);
      return capability.promise;
    },
    resolveEventual: (eventual: object, value: unknown) => settle.get(eventual)?.resolve(value),
    rejectEventual: (eventual: object, reason: unknown) => settle.get(eventual)?.reject(reason),
    get realmForCode(): unknown {
      return realm;
    },
  };
  return realm;
}
