const LINE_BREAK = 0x0a;

/** Splits a stream of bytes into lines. */
export class LineSplitter {
  #parts: Buffer[] = [];
  /** Size of the line whose end has not been received. */
  pendingBytes = 0;

  /** The lines that end in this chunk, without empty ones. */
  split(chunk: Buffer): string[] {
    const lines: string[] = [];
    let rest = chunk;
    for (let end = rest.indexOf(LINE_BREAK); end !== -1; end = rest.indexOf(LINE_BREAK)) {
      const line = Buffer.concat([...this.#parts, rest.subarray(0, end)]).toString();
      if (line !== '') lines.push(line);
      this.#parts = [];
      this.pendingBytes = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) this.#parts.push(rest);
    this.pendingBytes += rest.length;
    return lines;
  }
}
