import { RecordingError, SOURCES } from "@turntable/recording";
// packages/turntable/src/trace/timeline.ts
/** Milliseconds between events of which nothing but their order is known. */
const APART = .001;
/** Events that wait for the next time that is known; of more there is nothing but the order. */
const MOST_WAITING = 1 << 20;
/** Nanoseconds: what is larger counts from 1970, not from the machine's start. */
const SINCE_1970 = 10n ** 18n;
/** Events in the order of their times; of those of one time, that of the workers. `ends` gets an entry for each thread. */
function* timeline(recording, ends) {
	const threads = recording.traces().map((entry) => threadEvents(recording, entry, ends));
	const heads = threads.map((each) => each.next().value);
	try {
		for (;;) {
			let first;
			for (const [i, head] of heads.entries()) if (head !== void 0 && (first === void 0 || head.time < (heads[first]?.time ?? 0))) first = i;
			const event = first === void 0 ? void 0 : heads[first];
			if (first === void 0 || event === void 0) return;
			yield event;
			heads[first] = threads[first]?.next().value;
		}
	} finally {
		for (const each of threads) each.return(void 0);
	}
}
function* threadEvents(recording, entry, ends) {
	const { worker, life } = entry;
	const clock = new Clock(beginOf(recording, entry));
	let waiting = [];
	let events = 0;
	let how;
	let reader;
	const placed = function* (until) {
		const from = clock.now;
		const step = until === void 0 ? APART : (until - from) / (waiting.length + 1);
		for (const each of waiting) {
			clock.now += step;
			yield {
				...each,
				time: clock.now,
				isRead: false
			};
		}
		waiting = [];
	};
	try {
		reader = recording.trace(worker, life);
		for (let { next: event } = reader; event !== void 0; {next: event} = reader) {
			const at = {
				worker,
				life,
				phase: reader.phase,
				number: ++events,
				event
			};
			reader.take();
			const time = clock.read(event);
			if (time === void 0) waiting.push(at);
			if (time !== void 0 || waiting.length >= MOST_WAITING) yield* placed(time);
			if (time === void 0) continue;
			clock.now = time;
			yield {
				...at,
				time,
				isRead: true
			};
		}
		how = { end: reader.end };
	} catch (error) {
		if (!(error instanceof RecordingError) || error.code === "TT_RECORDING_KEY") throw error;
		how = {
			end: "damaged",
			why: error.message
		};
	} finally {
		reader?.close();
	}
	yield* placed(void 0);
	ends.push({
		worker,
		life,
		events,
		...how
	});
}
/** When the first of a trace's events may have been. */
function beginOf(recording, { phases }) {
	const [first = 0] = phases;
	return (first === 0 ? void 0 : recording.snapshots().find(({ phase }) => phase === first))?.time ?? Date.parse(recording.manifest.created);
}
/** What a thread's readings say of the time. It does not go back, whatever they say. */
var Clock = class {
	now;
	/** What is to be added to milliseconds of `performance` and of `hrtime`. */
	#offsets = {};
	constructor(now) {
		this.now = now;
	}
	/** Milliseconds since 1970, if this is a reading. */
	read(event) {
		const time = event.what === "outcome" ? this.#timeOf(event.source, event.value) : void 0;
		return time === void 0 || !Number.isFinite(time) ? void 0 : Math.max(this.now, time);
	}
	#timeOf(source, value) {
		if (source === SOURCES.date && typeof value === "number") return value;
		if (source === SOURCES.performance && typeof value === "number") return this.#since("performance", value);
		if (source === SOURCES.hrtime && typeof value === "bigint") return value > SINCE_1970 ? Number(value / 1000n) / 1e3 : this.#since("hrtime", Number(value) / 1e6);
		if (source !== SOURCES.machine || !Array.isArray(value) || value[0] !== "start") return void 0;
		const { timeOrigin } = value[2] ?? {};
		if (typeof timeOrigin !== "number") return void 0;
		return this.#offsets.performance = timeOrigin;
	}
	/** By the first reading, if it is not known otherwise when it begins to count. */
	#since(clock, milliseconds) {
		return (this.#offsets[clock] ??= this.now - milliseconds) + milliseconds;
	}
};
export { beginOf as n, timeline as r, Clock as t };
