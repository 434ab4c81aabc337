// The process of the transform service: the only one in the sandbox that loads the parser, which is native code, and
// that writes the code cache of a recording. It runs no recorded code.
import { createTransformServer } from '@turntable/loader';
import { LineSplitter } from './line-splitter.ts';
import { answerLine, parseLine } from './protocol.ts';

/** Answers requests until standard input ends. @param cache directory of the code cache, if there is one */
export function serveTransforms([cache]: readonly string[]): void {
  const answer = createTransformServer({ cache: cache ?? false });
  const splitter = new LineSplitter();
  process.stdin.on('data', (chunk: Buffer) => {
    for (const line of splitter.split(chunk)) {
      const [id, request] = parseLine(line);
      process.stdout.write(`${answerLine(id, answer(request))}\n`);
    }
  });
}
