// How a replay process and the transform service talk: each request is a line, and has a line as its answer. A line
// starts with the request's id. A request starts with a line break, which ends a request that was cut off.

/** File descriptor of the connection in a replay process. */
export const TRANSFORM_DESCRIPTOR = 6;
/** Set for a replay process that has the connection. */
export const TRANSFORM_VARIABLE = 'TURNTABLE_TRANSFORM_SERVICE';
/** Time after which an answer is no longer expected. */
export const MAX_REQUEST_MS = 60_000;
/** Maximum size of a request. */
export const MAX_REQUEST_BYTES = 256 * 1024 * 1024;

export function requestLine(id: string, request: string): string {
  return `\n${id} ${request}\n`;
}

export function answerLine(id: string, answer: string): string {
  return `${id} ${answer}`;
}

/** Splits a line into the id and the request or answer. */
export function parseLine(line: string): readonly [id: string, text: string] {
  const end = line.indexOf(' ');
  return end === -1 ? ['', line] : [line.slice(0, end), line.slice(end + 1)];
}

/** Answer to a request during which the service has ended. */
export function failureAnswer(description: string): string {
  const message = `code could not be transformed, because the transform service ended: ${description}`;
  return JSON.stringify({ failure: { name: 'Error', message } });
}
