// `turntable inspect FILE`: what a state holds, without running anything of it.
import { describeState, type StateDescription } from '@turntable/loader';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

export async function inspect(args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  const [file] = args.filter((arg) => arg !== '--json');
  if (file === undefined) {
    process.stderr.write('turntable inspect: which state? Usage: turntable inspect FILE [--json]\n');
    return 2;
  }
  try {
    const description = await describeState(readFileSync(file));
    process.stdout.write(json ? `${JSON.stringify(description, null, 2)}\n` : textOf(description));
    return 0;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined) throw error;
    process.stderr.write(`turntable inspect: ${file}: ${message}\n`);
    return 1;
  }
}

function textOf({ main, node, bytes, waiting, modules, builtins, devices, handles }: StateDescription): string {
  const counted = (count: number, what: string): string =>
    `${count} ${count === 1 ? what : `${what === 'class' ? 'classe' : what}s`}`;
  const counts = new Map(handles.map((name) => [name, handles.filter((each) => each === name).length]));
  const classes = [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
  const lines = [
    `${main === null ? 'a program' : relative(process.cwd(), main)}, captured on Node ${node}: ${bytes} bytes`,
    `waiting: ${counted(waiting.jobs, 'job')}, ${counted(waiting.ticks, 'tick')}, ${counted(waiting.timers, 'timer')}`,
    ...modules.map(
      ({ place, status, functions, classes }) =>
        `${relative(process.cwd(), place) || place}: ${status}, ` +
        `${counted(functions, 'function')} and ${counted(classes, 'class')} in use`,
    ),
    ...(builtins.length === 0 ? [] : [`imports ${builtins.join(', ')}`]),
    ...(devices.length === 0 ? [] : [`makes again ${devices.join(', ')}`]),
    ...(classes.length === 0 ? [] : [`left behind: ${classes.join(', ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}
