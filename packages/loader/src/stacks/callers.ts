// The files of the code that calls a running function, as V8 knows them. `util.getCallSites` takes several times as long,
// because it also computes lines, columns and names.
interface NativeCallSite {
  getFileName(): string | null | undefined;
  isAsync(): boolean;
}
type Getter = (this: unknown) => unknown;

const { captureStackTrace } = Error;
const { deleteProperty, getOwnPropertyDescriptor } = Reflect;
const ErrorObject = Error as unknown as { stackTraceLimit: unknown };

/** Getters of `Error.prepareStackTrace`, on `Error` and on its prototype, that return `siteCollector()`. */
let ownGetter: Getter | undefined;
let inheritedGetter: Getter | undefined;
let isCollecting = false;

export function registerFormatterGetters(own: Getter, inherited: Getter): void {
  ownGetter = own;
  inheritedGetter = inherited;
}

/** Returns the function that Node must get as `Error.prepareStackTrace` while call sites are read. */
export function siteCollector(): ((error: unknown, sites: readonly NativeCallSite[]) => unknown) | undefined {
  return isCollecting ? collectSites : undefined;
}

function collectSites(_error: unknown, sites: readonly NativeCallSite[]): readonly NativeCallSite[] {
  return sites;
}

/**
 * Returns the files of the innermost `count` callers of a running function; '' for code without a file. Returns
 * undefined if the program has redefined properties of `Error` so that V8 would call the program.
 */
export function callerFiles(callee: (...args: never[]) => unknown, count: number): readonly string[] | undefined {
  const limit = getOwnPropertyDescriptor(Error, 'stackTraceLimit');
  if ((limit !== undefined && limit.writable !== true) || !isFormatterOurs()) return undefined;
  const holder: { stack?: unknown } = {};
  isCollecting = true;
  try {
    ErrorObject.stackTraceLimit = count;
    captureStackTrace(holder, callee);
    const sites: unknown = holder.stack;
    return Array.isArray(sites) ? filesOf(sites as readonly NativeCallSite[]) : undefined;
  } finally {
    isCollecting = false;
    if (limit === undefined) deleteProperty(Error, 'stackTraceLimit');
    else ErrorObject.stackTraceLimit = limit.value;
  }
}

function isFormatterOurs(): boolean {
  const own = getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  if (own !== undefined) return own.get !== undefined && own.get === ownGetter;
  const inherited = getOwnPropertyDescriptor(Function.prototype, 'prepareStackTrace')?.get;
  return inherited !== undefined && inherited === inheritedGetter;
}

/** Functions that await the running code follow the callers, and do not count. */
function filesOf(sites: readonly NativeCallSite[]): string[] {
  const files: string[] = [];
  for (let i = 0; i < sites.length; i++) {
    const site = sites[i] as NativeCallSite;
    if (site.isAsync()) break;
    files.push(site.getFileName() ?? '');
  }
  return files;
}
