// A run again says what the recorded one said, unless it is told not to: TURNTABLE_CONSOLE=mute.
import type { Asking } from './asking.ts';
import { standIn } from '../realm/stand-in.ts';

type Write = (...args: unknown[]) => boolean;

export function muteIfWanted({ isReplay }: Asking): void {
  if (!isReplay || process.env['TURNTABLE_CONSOLE'] !== 'mute') return;
  for (const name of ['stdout', 'stderr'] as const) {
    const { write } = {
      write(...args: unknown[]): boolean {
        const written = args.at(-1);
        if (typeof written === 'function') process.nextTick(written as () => void);
        return true;
      },
    } satisfies { write: Write };
    standIn(process[name], 'write', write as never);
  }
}
