// Functions of builtins on the program's side, and members of `process`, that act on the machine or lead to objects that
// no builtin exports. The program uses them through the membrane.
import Module from 'node:module';
import vm from 'node:vm';
import { replaceFunctions, wrapGetter } from '@turntable/loader';

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;
/** The functions by path, and the members of `process`, as one object of the host. */
export type ScatteredHost = Readonly<Record<string, unknown>>;

interface HostFunction {
  readonly holder: object;
  /** Name of the holder and of the function: `process.binding`. */
  readonly path: string;
  readonly name: string;
  readonly native: AnyFunction;
}

const HOST_NAMES: readonly (readonly [holderName: string, holder: object, names: string])[] = [
  [
    'process',
    process,
    '_debugEnd _debugProcess _getActiveHandles _getActiveRequests _linkedBinding _startProfilerIdleNotifier ' +
      '_stopProfilerIdleNotifier binding dlopen execve initgroups setegid seteuid setgid setgroups setuid',
  ],
  ['URL', URL, 'createObjectURL revokeObjectURL'],
  ['vm', vm, 'measureMemory'],
  ['module', Module, 'enableCompileCache findPackageJSON flushCompileCache register'],
];
/** Property of `process` that Node creates when it is read. */
const REPORT = 'report';

const { apply, getOwnPropertyDescriptor } = Reflect;

/** The functions that this version of Node has on this thread. */
function hostFunctions(): HostFunction[] {
  return HOST_NAMES.flatMap(([holderName, holder, names]) =>
    names.split(' ').flatMap((name): HostFunction[] => {
      const native: unknown = Reflect.get(holder, name);
      return typeof native === 'function'
        ? [{ holder, path: `${holderName}.${name}`, name, native: native as AnyFunction }]
        : [];
    }),
  );
}

/** @param register called with each function and its path */
export function createScatteredHost(register: (path: string, hostFunction: object) => void): ScatteredHost {
  const functions = hostFunctions().map(({ holder, path, name, native }): [string, AnyFunction] => {
    const hostFunction = { [name]: (...args: unknown[]) => apply(native, holder, args) }[name] as AnyFunction;
    register(path, hostFunction);
    return [path, hostFunction];
  });
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
  for (const { holder, path, name, native } of hostFunctions()) {
    const replacement = {
      [name](this: unknown, ...args: unknown[]): unknown {
        return isHostCaller(replacement)
          ? apply(native, this, args)
          : apply(view[path] as AnyFunction, undefined, args);
      },
    }[name] as AnyFunction;
    replaceFunctions(holder, { [name]: replacement });
  }
  wrapGetter(process, REPORT, (native) => (isHostCaller() ? native() : view[REPORT]));
}
