// What a command says when it cannot do what it is asked to: what has a code is told in a line, anything else is a defect of ours and thrown on.

/** Answers the exit code. `place`: what it is about, unless the error says it. */
export function toldFailure(command: string, place: string | undefined, error: unknown): number {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  if (typeof code !== 'string') throw error;
  process.stderr.write(`turntable ${command}: ${place === undefined ? '' : `${place}: `}${message}\n`);
  return 1;
}
