// Stack frames of the program at a paused statement: the functions that V8 has on the stack, without frames of
// Turntable and Node. ThreadInspector calls this from within the statement's probe, so the outer frames are the
// program's.
import { ownDirectories, type ProbeLocation } from '@turntable/loader';
import { pathToFileURL } from 'node:url';
import util from 'node:util';
import type { SourceLocation, StackFrame } from '@turntable/time-machine/replay-process';

/** Maximum number of captured stack frames. */
const MAX_FRAMES = 200;

/** @param probe the statement of the innermost frame */
export function stackFramesAt(probe: ProbeLocation): StackFrame[] {
  const visibleFrames = callersOf(probe).filter(
    ({ scriptName }) => scriptName !== '' && !scriptName.startsWith('node:'),
  );
  const location: SourceLocation = { file: probe.file, line: probe.line, column: probe.column };
  return [
    { index: 0, function: probe.function, location },
    ...visibleFrames.map(({ functionName, scriptName, lineNumber, columnNumber }, i) => ({
      index: i + 1,
      function: functionName,
      location: { file: scriptName, line: lineNumber, column: columnNumber },
    })),
  ];
}

/** The callers of the statement's frame. If that frame is not found, all frames except Turntable's. */
function callersOf({ file, line, endLine }: ProbeLocation): readonly util.CallSiteObject[] {
  const sites = util.getCallSites(MAX_FRAMES);
  const innermost = sites.findIndex(
    ({ scriptName, lineNumber }) => scriptName === file && lineNumber >= line && lineNumber <= endLine,
  );
  if (innermost !== -1) return sites.slice(innermost + 1);
  const ownPrefixes = ownDirectories().map((path) => `${pathToFileURL(path).href}/`);
  return sites.filter(({ scriptName }) => !ownPrefixes.some((prefix) => scriptName.startsWith(prefix)));
}
