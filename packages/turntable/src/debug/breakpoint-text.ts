import type { BreakpointInfo } from '@turntable/time-machine/protocol';
import { quoteWord } from './words.ts';

/** Describes a breakpoint as `break` takes it, with its number and state. */
export function breakpointText(breakpoint: BreakpointInfo): string {
  const { id, condition, hitNumber, ignoreCount = 0, isTemporary, isEnabled } = breakpoint;
  const details = [
    ...(hitNumber === undefined ? [] : [`times ${hitNumber}`]),
    ...(condition === undefined ? [] : [`if ${condition}`]),
  ];
  const state = [
    ...(isTemporary === true ? ['temporary'] : []),
    ...(isEnabled === false ? ['disabled'] : []),
    ...(ignoreCount === 0 ? [] : [`passes the next ${ignoreCount === 1 ? 'hit' : `${ignoreCount} hits`}`]),
  ];
  const name = breakpoint.watch === undefined ? 'breakpoint' : 'watchpoint';
  const stateText = state.length === 0 ? '' : ` (${state.join(', ')})`;
  return `${[`${name} ${id}: ${placeText(breakpoint)}`, ...details].join(' ')}${stateText}`;
}

/** The command that sets a breakpoint. */
export function breakpointCommand(breakpoint: BreakpointInfo): string {
  const { watch, isTemporary, hitNumber, condition } = breakpoint;
  const name = watch === undefined ? (isTemporary === true ? 'tbreak' : 'break') : 'watch';
  const times = hitNumber === undefined ? [] : [`times ${hitNumber}`];
  return [name, placeText(breakpoint), ...times, ...(condition === undefined ? [] : [`if ${condition}`])].join(' ');
}

function placeText({ file, line, column, function: name, kind, text, watch }: BreakpointInfo): string {
  if (watch !== undefined) return watch;
  if (kind !== undefined) return text === undefined ? kind : `${kind} ${quoteWord(text)}`;
  if (name !== undefined) return name;
  return `${file ?? ''}:${line ?? ''}${column === undefined ? '' : `:${column}`}`;
}
