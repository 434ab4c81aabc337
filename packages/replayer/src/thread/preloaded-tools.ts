// Tools that came with the program, by flags of Node's: packages that are loaded before it and may run beside it, in a run again as well.

const PRELOAD_FLAG = /^(?:--import|--require|-r|--loader|--experimental-loader)(?:=(.*))?$/;

/** `own`: where files of Turntable's are, which are none. */
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

/** Not a file of the program's own. */
function isTool(module: string): boolean {
  if (/^@?turntable\//.test(module)) return false;
  return !/^(?:\.{0,2}\/|file:|[a-z]:[\\/])/i.test(module) || /[\\/]node_modules[\\/]/.test(module);
}
