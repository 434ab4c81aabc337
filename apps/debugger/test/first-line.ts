import type { ChildProcess } from 'node:child_process';

/** The first line that a process prints. */
export function firstLine({ stdout }: ChildProcess): Promise<string> {
  return new Promise((settle) => {
    let text = '';
    stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.includes('\n')) settle(text.split('\n', 1)[0] ?? '');
    });
    stdout?.on('end', () => settle(text));
  });
}
