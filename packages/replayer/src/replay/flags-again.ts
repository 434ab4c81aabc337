// The flags of Node that a run again is started with: those of the recorded run, but that this Turntable's own hooks stand where that run's did, and its packages
// are found as they are here, and it may have as much memory as anybody.
import { NODE_FLAGS_WITH_VALUE } from '../node-flags.ts';
import { heapHere, isTooTight } from './room-again.ts';

const WITH_VALUE: ReadonlySet<string> = new Set(NODE_FLAGS_WITH_VALUE);
const REGISTER = /(?:^turntable\/register$|\/register\.[jt]s$)/;
/** Conditions of package.json by which our packages are had from sources and the like. */
const OWN_CONDITION = /^turntable-/;

interface Flag {
  readonly name: string;
  readonly value: string | undefined;
  /** As it was written. */
  readonly written: readonly string[];
}

function flagsIn(args: readonly string[]): Flag[] {
  const flags: Flag[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const [, name = arg, behind] = /^(--?[^=]+)=(.*)$/s.exec(arg) ?? [];
    const next = WITH_VALUE.has(arg) ? args[i + 1] : undefined;
    if (next !== undefined) i++;
    flags.push({ name, value: behind ?? next, written: next === undefined ? [arg] : [arg, next] });
  }
  return flags;
}

/** `here`: what this process was started with; `hooks`: those of this Turntable; `heap`: megabytes that one may have here. */
export function flagsAgain(
  recorded: readonly string[],
  here: readonly string[],
  hooks: readonly string[],
  heap: number = heapHere(),
): string[] {
  const own = flagsIn(here);
  const again: string[] = [...here];
  let isThere = false;
  for (const { name, value, written } of flagsIn(recorded)) {
    if (name === '--import' && value !== undefined && REGISTER.test(value)) {
      if (!isThere) again.push(...hooks);
      isThere = true;
    } else if (isTooTight(name, value, heap)) continue;
    else if ((name === '-C' || name === '--conditions') && value !== undefined && OWN_CONDITION.test(value)) continue;
    else if (!own.some((each) => each.name === name && each.value === value)) again.push(...written);
  }
  return isThere ? again : [...again, ...hooks];
}
