// The environment of a process that runs recorded code. The variables of this process may hold secrets or options of
// Node, so only those for language, time zone, terminal and Node's warnings are inherited.

const INHERITED_VARIABLES =
  /^(?:LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS|NODE_NO_WARNINGS|NODE_PENDING_DEPRECATION)$/;

/** @param own the variables that Turntable sets for the process */
export function confinedVariables(own: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED_VARIABLES.test(name));
  return Object.fromEntries(
    [...inherited, ...Object.entries(own)].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
