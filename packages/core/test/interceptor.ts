import type { CallInterceptor } from '@turntable/core';

/** While `isReexecuting`, calls from the program are not made and return nothing. */
export class Interceptor implements CallInterceptor {
  isReexecuting = false;
  in = <T>(call: () => T): T => call();
  makes = <T>(make: () => T): T => make();
  out = <T>(_: string, ask: () => T): T => this.apart(ask);
  looks = <T>(_: string, ask: () => T): T => this.apart(ask);
  apart = <T>(run: () => T): T => (this.isReexecuting ? (undefined as T) : run());
  within = <T>(run: () => T): T => run();
  cannot = (): void => {};
}
