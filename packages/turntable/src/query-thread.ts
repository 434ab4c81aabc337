// Where queries of a running program run: a thread that has nothing of the program, and reads the snapshot that was written. It answers one
// question after another.
import { parentPort, workerData } from 'node:worker_threads';
import { inspect } from 'node:util';
import type { InertTexts } from '@turntable/program-state/inert';
import { openRecording, type Recording } from '@turntable/recording';
import { RuntimeError } from '@turntable/runtime';
import { compileQuery, failureOf } from './query/compile-query.ts';
import { textsOf, viewSnapshot } from './query/view-recording.ts';
import type { QueryAnswer, QueryQuestion, QueryThreadData } from './query/query-messages.ts';

const { cache } = workerData as QueryThreadData;
/** What was found out of the texts of a recording's modules. More come while it is written. */
let known: { recording: Recording; readonly texts: InertTexts } | undefined;

parentPort?.on('message', (question: QueryQuestion) => void answer(question));

async function answer(question: QueryQuestion): Promise<void> {
  try {
    say({ is: 'answer', value: await ask(question) });
  } catch (error) {
    const failure = failureOf(error);
    const { code } = (failure ?? {}) as { code?: unknown };
    say({ is: 'failure', error: failure, code: typeof code === 'string' ? code : undefined });
  }
}

async function ask({ recording: directory, phase, text, args }: QueryQuestion): Promise<unknown> {
  const query = compileQuery(text);
  const recording = openRecording(directory);
  if (known?.recording.directory === directory) known.recording = recording;
  else known = { recording, texts: textsOf(() => known?.recording ?? recording, cache) };
  using snapshot = recording.readSnapshot(phase);
  return await query(viewSnapshot(recording, snapshot, known.texts), ...args);
}

function say(answered: QueryAnswer): void {
  try {
    parentPort?.postMessage(answered);
  } catch (cause) {
    const message =
      answered.is === 'answer'
        ? `the answer of the query cannot be copied to the program: ${(cause as Error).message}; answer plain data`
        : `the query failed: ${inspect(answered.error)}`;
    const error = new RuntimeError('TT_QUERY', message);
    parentPort?.postMessage({ is: 'failure', error, code: error.code } satisfies QueryAnswer);
  }
}
