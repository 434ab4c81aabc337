// Functions of builtins on the program's side, and members of `process`, that act on the machine or lead to objects that
// no builtin exports. The program uses them through the membrane.
import Module from 'node:module';
import { replaceFunctions, wrapGetter } from '@turntable/loader';

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;
/** The functions and members by name, as one object of the host. */
export type ScatteredHost = Readonly<Record<string, unknown>>;

interface HostFunction {
  readonly holder: object;
  readonly name: string;
  readonly native: AnyFunction;
}

const HOST_NAMES: readonly (readonly [holder: object, names: string])[] = [
  [
    process,
    '_debugEnd _debugProcess _getActiveHandles _getActiveRequests _linkedBinding _startProfilerIdleNotifier ' +
      '_stopProfilerIdleNotifier binding dlopen execve initgroups setegid seteuid setgid setgroups setuid',
  ],
  [Module, 'enableCompileCache flushCompileCache register'],
];
/** Property of `process` that Node creates when it is read. */
const REPORT = 'report';

const { apply, getOwnPropertyDescriptor } = Reflect;

/** The functions that this version of Node has on this thread. */
function hostFunctions(): HostFunction[] {
  return HOST_NAMES.flatMap(([holder, names]) =>
    names.split(' ').flatMap((name): HostFunction[] => {
      const native: unknown = Reflect.get(holder, name);
      return typeof native === 'function' ? [{ holder, name, native: native as AnyFunction }] : [];
    }),
  );
}

export function createScatteredHost(): ScatteredHost {
  const functions = hostFunctions().map(({ holder, name, native }) => [
    name,
    { [name]: (...args: unknown[]) => apply(native, holder, args) }[name],
  ]);
  const readReport = getOwnPropertyDescriptor(process, REPORT)?.get;
  return Object.defineProperty(Object.fromEntries(functions) as Record<string, unknown>, REPORT, {
    get: () => (readReport === undefined ? undefined : (apply(readReport, process, []) as unknown)),
    enumerable: true,
  });
}

/**
 * Makes the program call the functions through `view`.
 * @param isHostCaller whether the caller of a function is not the program
 */
export function showScatteredHost(view: ScatteredHost, isHostCaller: (callee?: AnyFunction) => boolean): void {
  for (const { holder, name, native } of hostFunctions()) {
    const replacement = {
      [name](this: unknown, ...args: unknown[]): unknown {
        return isHostCaller(replacement)
          ? apply(native, this, args)
          : apply(view[name] as AnyFunction, undefined, args);
      },
    }[name] as AnyFunction;
    replaceFunctions(holder, { [name]: replacement });
  }
  wrapGetter(process, REPORT, (native) => (isHostCaller() ? native() : view[REPORT]));
}
