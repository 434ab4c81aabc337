// `turntable completion SHELL`: prints a completion script.
import { COMPLETION, SHELLS } from '../command-line/maintain-commands.ts';
import { completionScript } from '../command-line/completion-scripts.ts';
import { didYouMean } from '../nearest.ts';
import { parseSubjectArguments } from './arguments.ts';
import { reportUsageError } from './failure.ts';
import { print } from '../printing.ts';

export function completion(args: readonly string[]): number {
  const parsed = parseSubjectArguments(args, COMPLETION, { subjectName: 'shell' });
  if (typeof parsed === 'string') return reportUsageError('completion', parsed);
  const shell = SHELLS.find((each) => each === parsed.subject);
  if (shell === undefined)
    return reportUsageError(
      'completion',
      `the shell must be one of ${SHELLS.join(', ')}, not "${parsed.subject}"${didYouMean(parsed.subject, SHELLS)}`,
    );
  print(completionScript(shell));
  return 0;
}
