// Thread that runs the queries of a running program, one after the other. It shares nothing with the program, and reads
// snapshots from disk.
import { parentPort, workerData } from 'node:worker_threads';
import { inspect } from 'node:util';
import type { InertSources } from '@turntable/program-state/inert';
import { openRecording, type Recording } from '@turntable/recording';
import { RuntimeError } from '@turntable/runtime';
import { compileQuery, explainFailure } from './query/compile-query.ts';
import { parsedInSandbox, sourcesOf, viewSnapshot } from './query/view-recording.ts';
import type { QueryReply, QueryRequest, QueryThreadData } from './query/query-messages.ts';

const { cache } = workerData as QueryThreadData;
/** The recording and its parsed sources. They are kept between queries, and extended when the recording grows. */
let current: { recording: Recording; readonly sources: InertSources } | undefined;

parentPort?.on('message', (request: QueryRequest) => void handle(request));

async function handle(request: QueryRequest): Promise<void> {
  try {
    sendReply({ kind: 'answer', value: await runQuery(request) });
  } catch (error) {
    const failure = explainFailure(error);
    const { code } = (failure ?? {}) as { code?: unknown };
    sendReply({ kind: 'failure', error: failure, code: typeof code === 'string' ? code : undefined });
  }
}

async function runQuery({ recording: directory, phase, source, args }: QueryRequest): Promise<unknown> {
  const query = compileQuery(source);
  const recording = openRecording(directory);
  if (current?.recording.directory === directory) current.recording = recording;
  else {
    const options = cache === undefined ? parsedInSandbox(recording) : { cache };
    current = { recording, sources: sourcesOf(() => current?.recording ?? recording, options) };
  }
  using snapshot = recording.readSnapshot(phase);
  return await query(viewSnapshot(recording, snapshot, current.sources), ...args);
}

function sendReply(reply: QueryReply): void {
  try {
    parentPort?.postMessage(reply);
  } catch (cause) {
    const message =
      reply.kind === 'answer'
        ? `the result of the query cannot be copied to the program: ${(cause as Error).message}; return plain data`
        : `the query failed: ${inspect(reply.error)}`;
    const error = new RuntimeError('TT_QUERY', message);
    parentPort?.postMessage({ kind: 'failure', error, code: error.code } satisfies QueryReply);
  }
}
