// Output that this thread does not write itself: of child processes that share its standard output or error, and of
// native addons. It is neither recorded nor compared, so a recording names its sources.
import { basename } from 'node:path';
import { wrapFunction } from '@turntable/loader';

const CHILD_PROCESSES = 'child processes';
const { apply } = Reflect;

/** Watches addons. @param report called with the file name of each addon */
export function watchAddonOutput(report: (source: string) => void): void {
  wrapFunction(process, 'dlopen', (native, self, args) => {
    const [, filename] = args as readonly unknown[];
    if (typeof filename === 'string') report(`the addon ${basename(filename)}`);
    return apply(native, self, args);
  });
}

/** Watches children. @param childProcess Node's exports of `child_process` */
export function watchChildOutput(childProcess: object, report: (source: string) => void): void {
  const { ChildProcess } = childProcess as { readonly ChildProcess: { readonly prototype: object } };
  wrapFunction(ChildProcess.prototype, 'spawn', (native, self, args) => {
    if (sharesOutput((args[0] as { readonly stdio?: unknown } | undefined)?.stdio)) report(CHILD_PROCESSES);
    return apply(native, self, args);
  });
  for (const name of ['spawnSync', 'execFileSync', 'execSync'])
    wrapFunction(childProcess, name, (native, self, args) => {
      const options = args.findLast((each: unknown) => typeof each === 'object' && !Array.isArray(each)) as unknown;
      if (sharesOutput((options as { readonly stdio?: unknown } | null | undefined)?.stdio)) report(CHILD_PROCESSES);
      return apply(native, self, args);
    });
}

function sharesOutput(stdio: unknown): boolean {
  if (!Array.isArray(stdio)) return stdio === 'inherit';
  return stdio.slice(1, 3).some((each: unknown) => {
    const descriptor = typeof each === 'object' && each !== null && 'fd' in each ? each.fd : each;
    return descriptor === 'inherit' || descriptor === 1 || descriptor === 2;
  });
}
