import { RecordingError } from "@turntable/recording";
// packages/turntable/src/replay/frames.ts
const LINE_END = 10;
/** In a line: how many bytes come behind it. */
const LENGTH = "bytesBehind";
function frameOf(said, bytes) {
	if (bytes === void 0) return [Buffer.from(`${JSON.stringify(said)}\n`)];
	return [Buffer.from(`${JSON.stringify({
		...said,
		[LENGTH]: bytes.length
	})}\n`), bytes];
}
var FrameReader = class {
	/** Of what is not whole yet. */
	#chunks = [];
	#size = 0;
	/** The line whose bytes have not all come, and how many they are. */
	#opened;
	#wanted = 0;
	/** Answers what is whole by now. */
	add(chunk) {
		const whole = [];
		let at = 0;
		while (at < chunk.length) {
			const opened = this.#opened;
			const end = opened === void 0 ? chunk.indexOf(LINE_END, at) : at + this.#wanted - this.#size;
			const isWhole = end !== -1 && end <= chunk.length;
			this.#keep(isWhole ? chunk.subarray(at, end) : chunk.subarray(at));
			if (!isWhole) break;
			at = opened === void 0 ? end + 1 : end;
			const frame = opened === void 0 ? this.#line() : {
				said: opened,
				bytes: this.#take()
			};
			if (frame !== void 0) whole.push(frame);
		}
		return whole;
	}
	/** A line has come; nothing, if there is more to come behind it. */
	#line() {
		const { [LENGTH]: length, ...said } = JSON.parse(this.#take().toString());
		if (typeof length !== "number") return {
			said,
			bytes: void 0
		};
		if (length === 0) return {
			said,
			bytes: Buffer.alloc(0)
		};
		[this.#opened, this.#wanted] = [said, length];
	}
	#keep(chunk) {
		this.#chunks.push(chunk);
		this.#size += chunk.length;
	}
	#take() {
		const whole = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks, this.#size);
		this.#chunks = [];
		this.#size = 0;
		this.#opened = void 0;
		return whole;
	}
};
// packages/turntable/src/trace/events-in.ts
function* eventsIn(recording, { worker, life }, from) {
	try {
		const trace = recording.trace(worker, life, from);
		try {
			for (let { next } = trace; next !== void 0; {next} = trace) {
				yield {
					event: next,
					ordinal: trace.taken + 1,
					phase: trace.phase
				};
				trace.take();
			}
		} finally {
			trace.close();
		}
	} catch (error) {
		if (!(error instanceof RecordingError)) throw error;
	}
}
export { FrameReader as n, frameOf as r, eventsIn as t };
