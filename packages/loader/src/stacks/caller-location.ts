// The location of the program's code that is running.
import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';
import type { StackMapping } from '@turntable/core';

const MAX_FRAMES = 200;
const UNMAPPED = { sourceMap: false };

/** Returns the location of the innermost running function of the program, as `file:line:column`. */
export function callerLocation(mapping: StackMapping): string | undefined {
  for (const { scriptName, lineNumber, columnNumber, functionName } of getCallSites(MAX_FRAMES, UNMAPPED)) {
    if (scriptName === '' || scriptName.startsWith('node:')) continue;
    const location = mapping.locate(scriptName, lineNumber, columnNumber, functionName);
    if (location === null || location === 'wrapper') continue;
    const { file, line, column } = location ?? { file: scriptName, line: lineNumber, column: columnNumber };
    return `${file.startsWith('file:') ? fileURLToPath(file) : file}:${line}:${column}`;
  }
  return undefined;
}
