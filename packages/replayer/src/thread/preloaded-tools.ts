// Detects tools that Node's flags preload: packages that are loaded before the program, and also before its replay.

const PRELOAD_FLAG = /^(?:--import|--require|-r|--loader|--experimental-loader)(?:=(.*))?$/;

/** @param options value of NODE_OPTIONS @param ownPrefixes prefixes of Turntable's files, which are not tools */
export function hasPreloadedTools(
  execArgv: readonly string[],
  options: string,
  ownPrefixes: readonly string[],
): boolean {
  const args = [...execArgv, ...options.split(/\s+/)];
  return args.some((arg, i) => {
    const match = PRELOAD_FLAG.exec(arg);
    const module = match?.[1] ?? (match === null ? undefined : args[i + 1]);
    return module !== undefined && isTool(module) && !ownPrefixes.some((prefix) => module.startsWith(prefix));
  });
}

/** Whether the module is a package, not a file of the program. */
function isTool(module: string): boolean {
  if (/^@?turntable\//.test(module)) return false;
  return !/^(?:\.{0,2}\/|file:|[a-z]:[\\/])/i.test(module) || /[\\/]node_modules[\\/]/.test(module);
}
