import "./rolldown-runtime-C7kxIl-Z.js";
import { t as counted } from "./wording-B9SlRgao.js";
import { t as eventJson } from "./event-json-DIRyc2Tq.js";
import { r as workerName, t as eventLine } from "./event-line-Dp6QN7gF.js";
import { RecordingError, openRecording, sourceName } from "@turntable/recording";
import { DeviceWords } from "@turntable/loader/inert";
// packages/turntable/src/trace/trace-summary.ts
var Counts = class {
	#counts = /* @__PURE__ */ new Map();
	add(name, more = 1) {
		const key = String(name);
		this.#counts.set(key, (this.#counts.get(key) ?? 0) + more);
	}
	/** The most first. */
	get all() {
		return Object.fromEntries([...this.#counts].toSorted(([, one], [, other]) => other - one));
	}
};
/** Reads all of it. */
function summaryOf(recording, { worker, life, phases, bytes }) {
	const [messages, happened, entries, outcomes] = [
		new Counts(),
		new Counts(),
		new Counts(),
		new Counts()
	];
	let [events, rounds, turns] = [
		0,
		0,
		0
	];
	const add = (event) => {
		events++;
		if (event.what === "outcome") return outcomes.add(sourceName(event.source));
		rounds = event.round;
		if (event.what === "entry") return entries.add(sourceName(event.source));
		({turns} = event);
		if (event.what === "messages") messages.add(event.worker, event.count);
		else happened.add(event.kind);
	};
	const how = readAll(recording, worker, life, add);
	return {
		worker,
		life,
		phases,
		bytes,
		events,
		rounds,
		turns,
		messages: messages.all,
		happened: happened.all,
		entries: entries.all,
		outcomes: outcomes.all,
		...how
	};
}
function readAll(recording, worker, life, add) {
	try {
		const trace = recording.trace(worker, life);
		try {
			for (let { next } = trace; next !== void 0; {next} = trace) {
				add(next);
				trace.take();
			}
			return { end: trace.end };
		} finally {
			trace.close();
		}
	} catch (error) {
		if (!(error instanceof RecordingError) || error.code === "TT_RECORDING_KEY") throw error;
		return {
			end: "damaged",
			why: error.message
		};
	}
}
// packages/turntable/src/trace/inspect-trace.ts
/** Events that are shown of themselves. */
const SCREEN = 100;
/** Lines, read while they are taken. @throws {RecordingError} where a file is damaged, behind what came before */
function* inspectTrace(directory, wishes) {
	const recording = openRecording(directory);
	const { worker, life, from, count, json } = wishes;
	const traces = recording.traces().filter((each) => (worker ?? each.worker) === each.worker && (life ?? each.life) === each.life);
	if (traces.length === 0) throw nothingOf(recording, wishes);
	if (from === void 0 && count === void 0) {
		const all = traces.map((each) => summaryOf(recording, each));
		yield json ? `${JSON.stringify(all)}\n` : all.map((each) => summaryText(each)).join("\n");
		return;
	}
	const those = traces.filter((each) => each.worker === (worker ?? 0));
	const [one] = those;
	if (one === void 0) throw nothingOf(recording, {
		...wishes,
		worker: 0
	});
	if (those.length > 1) throw new RecordingError("TT_RECORDING_USE", `${workerName(one.worker)} has had lives ${those.map((each) => each.life).join(", ")}: say which, --worker ${one.worker}.${one.life}`);
	yield* eventsOf(recording, one, wishes);
}
function nothingOf(recording, { worker, life }) {
	const there = recording.traces().map((each) => each.life === 0 ? `${each.worker}` : `${each.worker}.${each.life}`);
	const whose = worker === void 0 ? "no thread" : `${workerName(worker)}${life === void 0 ? "" : ` in its life ${life}`}`;
	return new RecordingError("TT_RECORDING_MISSING", there.length === 0 ? "it has no traces: record the program with turntable record, or with the setting trace" : `there is no trace of ${whose}; there are those of --worker ${there.join(", ")}`);
}
function* eventsOf(recording, { worker, life }, { phase, from = 1, count = SCREEN, json }) {
	const trace = recording.trace(worker, life, phase);
	try {
		let last = trace.phase;
		const words = new DeviceWords(trace.phase === 0);
		for (let { next } = trace; next !== void 0; {next} = trace) {
			const number = trace.taken + 1;
			if (number >= from + count) {
				if (!json) yield `more follow: --from ${number}\n`;
				return;
			}
			const line = json ? "" : eventLine(next, words);
			if (number >= from) {
				if (json) yield `${JSON.stringify({
					worker,
					life,
					phase: trace.phase,
					event: number,
					...eventJson(next)
				})}\n`;
				else {
					if (last !== trace.phase) yield `${" ".repeat(8)}  phase ${trace.phase}\n`;
					yield `${String(number).padStart(8)}  ${line}\n`;
				}
			}
			last = trace.phase;
			trace.take();
		}
		if (!json) yield `${" ".repeat(8)}  ${trace.end === "ended" ? "the end" : "it stops here: cut off"}\n`;
	} finally {
		trace.close();
	}
}
function summaryText({ worker, life, phases, bytes, events, rounds, turns, end, why, ...counts }) {
	const [first = 0] = phases;
	const lives = life === 0 ? "" : `, life ${life}`;
	const since = first === 0 ? "" : ` from phase ${first} on`;
	const lines = [`${workerName(worker)}${lives}${since}: ${counted(events, "event")} in ${counted(bytes, "byte")}, ${counted(rounds, "round")}, ${counted(turns, "turn")}, ${end}`];
	const messages = Object.entries(counts.messages).map(([from, count]) => `${count} of ${workerName(Number(from))}`);
	if (messages.length > 0) lines.push(`  messages  ${messages.join(", ")}`);
	for (const [title, those] of [
		["happened", counts.happened],
		["calls", counts.entries],
		["asked", counts.outcomes]
	]) {
		const all = Object.entries(those).map(([name, count]) => `${name} ${count}`);
		if (all.length > 0) lines.push(`  ${title.padEnd(8)}  ${all.join(", ")}`);
	}
	if (why !== void 0) lines.push(`  ${why}`);
	return `${lines.join("\n").replaceAll(CONTROL, "�")}\n`;
}
const CONTROL = /(?!\n)\p{Cc}/gu;
export { inspectTrace };
