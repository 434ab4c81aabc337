// What calls the program back in ways that no tape follows yet, though no import shows it: noted when it is used.
import diagnosticsChannel from 'node:diagnostics_channel';
import perfHooks from 'node:perf_hooks';
import { internals } from '@turntable/core';
import type { Asking } from './asking.ts';
import { standIn } from '../realm/stand-in.ts';

type Fn = (this: unknown, ...args: never[]) => unknown;

const { apply } = Reflect;

export function noteUnreplayable({ cannotReplay }: Asking): void {
  noteCalls(cannotReplay, [
    [perfHooks, 'monitorEventLoopDelay', 'perf_hooks.monitorEventLoopDelay'],
    [perfHooks.PerformanceObserver.prototype, 'observe', 'PerformanceObserver'],
  ]);
  noteChannels(cannotReplay);
}

/** Names under which Node itself publishes, with objects of its own. */
const OF_NODE =
  /^(?:tracing:)?(?:http2?|net|udp|undici|child_process|worker_threads|module|execve|process|web)[.:]|^(?:child_process|worker_threads|execve)$/;

/** What a program hears of Node's own channels comes to it as it is. */
function noteChannels(cannotReplay: Asking['cannotReplay']): void {
  for (const name of ['subscribe', 'bindStore'] as const) {
    const prototype = diagnosticsChannel.Channel.prototype as unknown as Record<string, Fn>;
    const native = prototype[name] as Fn;
    const { [name]: own } = {
      [name](this: { readonly name: unknown }, ...args: never[]): unknown {
        const channel = this.name;
        const isOfProgram = name === 'bindStore' || (typeof args[0] === 'function' && internals.isOurs(args[0]));
        if (typeof channel === 'string' && OF_NODE.test(channel) && isOfProgram)
          cannotReplay(`diagnostics_channel ${channel}`);
        return apply(native, this, args);
      },
    };
    standIn(prototype, name, own as Fn);
  }
}

/** Functions in their places, and what programmers call them: noted when one is called. */
export function noteCalls(
  cannotReplay: Asking['cannotReplay'],
  noted: readonly (readonly [holder: object, name: string, shown: string])[],
): void {
  for (const [holder, name, shown] of noted) {
    const native = (holder as Record<string, Fn>)[name] as Fn;
    const { [name]: own } = {
      [name](this: unknown, ...args: never[]): unknown {
        cannotReplay(shown);
        return apply(native, this, args);
      },
    };
    standIn(holder, name, own as Fn);
  }
}
