/** What differs from run to run in the output of an example, and what to show in its place. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  // Paths, ids and times.
  [/\S*\b\d{8}T\d{6}\.\d{3}Z-\d+/g, 'RECORDING'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\b(process|port|host callback) \d+/g, '$1 N'],
  [/\+\d+\.\d{3}s/g, '+TIME'],
  [/\d+\.\d{3} s$/gm, 'TIME'],
  [/ +\d+\.\d{3} ms/g, ' TIME'],
  [/ in \d+\.\d s/g, ' in TIME'],
  // Threads and connections may interleave otherwise, so positions and numbers of tasks and events differ.
  [/^\d+\.\d+(?::\d+\.\d+)?(?=>|, the end of the recording)/gm, 'POSITION'],
  [/\b\d+\.\d+ -> \d+\.\d+\b/g, 'POSITION -> POSITION'],
  [/(sent at) \S+/g, '$1 POSITION'],
  [/(sent by) \d+/g, '$1 N'],
  [/^ +\d+ +(?=\+TIME)/gm, 'N  '],
  [/ +(?=\+TIME)/g, '  '],
  [/\d+ (tasks on|events,)/g, 'N $1'],
  // Sizes of texts and state.
  [/\(prints \d+ bytes\)/g, '(prints N bytes)'],
  [/^ +(\d+) +\d+ +\d+ {2}(?=\w)/gm, '$1 BYTES BYTES  '],
  // The winner of a draw.
  [/\w+ wins$/gm, 'NAME wins'],
  [/^ {2}index = \d$/gm, '  index = N'],
];

export const normalize = (output: string): string =>
  renumberThreads(VARYING.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), output));

/**
 * Numbers the threads in the order in which the text names them: their ids are higher if the cache has no transformed
 * code, because the thread that transforms it is started first.
 */
function renumberThreads(output: string): string {
  const ids: string[] = [];
  return output.replaceAll(/\b(on thread) (\d+)/g, (_, words: string, id: string) => {
    if (!ids.includes(id)) ids.push(id);
    return `${words} T${ids.indexOf(id) + 1}`;
  });
}
