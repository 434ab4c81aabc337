import type { CallInterceptor } from '@turntable/core';

/** While `isReexecuting`, calls from the program are not made and return nothing. */
export class Interceptor implements CallInterceptor {
  isReexecuting = false;
  callProgram = <T>(call: () => T): T => call();
  createForProgram = <T>(make: () => T): T => make();
  callOut = <T>(_: string, ask: () => T): T => this.runApart(ask);
  query = <T>(_: string, ask: () => T): T => this.runApart(ask);
  runApart = <T>(run: () => T): T => (this.isReexecuting ? (undefined as T) : run());
  runAsProgram = <T>(run: () => T): T => run();
  preventUndo = (): void => {};
}
