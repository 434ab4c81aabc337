// Node flags of a replaying process: those of the recorded run, with this Turntable's hooks instead of the recorded
// ones, with the local package conditions, and with enough memory.
import { NODE_FLAGS_WITH_VALUE } from '../node-flags.ts';
import { heapLimitMb, isHeapTooSmall } from './resource-limits.ts';

const FLAGS_WITH_VALUE: ReadonlySet<string> = new Set(NODE_FLAGS_WITH_VALUE);
const REGISTER_FILE = /(?:^turntable\/register$|\/register\.[jt]s$)/;
/** Conditions of package.json that select our packages' sources and the like. */
const OWN_CONDITION = /^turntable-/;

interface NodeFlag {
  readonly name: string;
  readonly value: string | undefined;
  /** The flag as it was written. */
  readonly args: readonly string[];
}

function parseFlags(args: readonly string[]): NodeFlag[] {
  const flags: NodeFlag[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const [, name = arg, inlineValue] = /^(--?[^=]+)=(.*)$/s.exec(arg) ?? [];
    const nextArg = FLAGS_WITH_VALUE.has(arg) ? args[i + 1] : undefined;
    if (nextArg !== undefined) i++;
    flags.push({ name, value: inlineValue ?? nextArg, args: nextArg === undefined ? [arg] : [arg, nextArg] });
  }
  return flags;
}

/** @param hooks flags that register this Turntable's hooks */
export function replayFlags(
  recorded: readonly string[],
  currentArgs: readonly string[],
  hooks: readonly string[],
  heapMb: number = heapLimitMb(),
): string[] {
  const currentFlags = parseFlags(currentArgs);
  const flags: string[] = [...currentArgs];
  let hasHooks = false;
  for (const { name, value, args } of parseFlags(recorded)) {
    if (name === '--import' && value !== undefined && REGISTER_FILE.test(value)) {
      if (!hasHooks) flags.push(...hooks);
      hasHooks = true;
    } else if (isHeapTooSmall(name, value, heapMb)) continue;
    else if ((name === '-C' || name === '--conditions') && value !== undefined && OWN_CONDITION.test(value)) continue;
    else if (!currentFlags.some((each) => each.name === name && each.value === value)) flags.push(...args);
  }
  return hasHooks ? flags : [...flags, ...hooks];
}
