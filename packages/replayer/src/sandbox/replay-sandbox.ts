// The sandbox of the replays of one recording, by what the user allows and demands.
import type { REPLAYER_ERRORS } from '../error-table.ts';
import { codeCacheDirectory } from '../paths/code-cache.ts';
import { TransformRelay } from '../transform-service/relay.ts';
import { isolation } from './sandbox.ts';

export interface ReplaySandbox {
  /** Directory for transformed code, which only replays of this recording use. */
  readonly codeCache: string | undefined;
  /** Transforms the code of the recording for its replays. */
  readonly transforms: TransformRelay;
  /** Checkpoints that the process may read, in addition to the recording. */
  readonly checkpoints?: string | undefined;
}

export interface TrustOptions {
  /** Whether replay processes are not restricted. */
  readonly isTrusted: boolean;
  /** Whether nothing runs unless replay processes are isolated. */
  readonly requiresIsolation: boolean;
}

export class SandboxError extends Error {
  readonly code = 'TT_SANDBOX' satisfies keyof typeof REPLAYER_ERRORS;
}

/**
 * Returns the sandbox for the replays of a recording; undefined if the user trusts it.
 * @param directory of the recording
 * @throws {SandboxError} if this machine cannot restrict a process as demanded
 */
export function replaySandbox(
  directory: string,
  { isTrusted, requiresIsolation }: TrustOptions,
): ReplaySandbox | undefined {
  if (isTrusted) return undefined;
  const { level, problem } = isolation();
  if (level === null)
    throw new SandboxError(
      `a replay cannot be restricted here: ${problem}, and Node ${process.versions.node} has no permission model that allows evaluation; install bubblewrap or util-linux, use Node 24.12 or later, or run the code of the recording unrestricted with --trusted`,
    );
  if (requiresIsolation && level !== 'isolated')
    throw new SandboxError(
      `a replay is only ${level} here: ${problem}; install bubblewrap or util-linux and allow user namespaces, or leave out --require-isolation`,
    );
  return { codeCache: codeCacheDirectory(directory, process.env), transforms: new TransformRelay() };
}
