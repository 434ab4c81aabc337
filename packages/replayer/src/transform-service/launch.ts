import { fileURLToPath } from 'node:url';
import { PACKAGE_FORM_FLAGS, programFileUrl } from '../program-file.ts';
import type { ReadableRecording } from '../sandbox/readable-paths.ts';
import { confine, type Launch } from '../sandbox/sandbox.ts';

/**
 * Returns the launch of the transform service's process. It sees the same files as a replay.
 * @param codeCache directory of the code cache of the recording, if there is one
 */
export function transformServiceLaunch(readable: ReadableRecording, codeCache: string | undefined): Launch {
  const cache = codeCache === undefined ? [] : [codeCache];
  return confine(
    {
      flags: PACKAGE_FORM_FLAGS,
      args: [fileURLToPath(programFileUrl('transform-process')), ...cache],
      cwd: readable.manifest.cwd,
      env: {},
    },
    { ...readable, readable: [], writable: cache, allowsAddons: true },
  );
}
