import { t as counted } from "./wording-B9SlRgao.js";
import { inspect } from "node:util";
import { SOURCES, sourceName } from "@turntable/recording";
// packages/turntable/src/trace/event-line.ts
/** What stands in a recording is whatever somebody has put there; a terminal is to do nothing but show it. */
const CONTROL = /\p{Cc}/gu;
/** `words`: of the trace it is in, which tell what is behind the membrane. */
function eventLine(event, words) {
	const [position, what] = partsOf(event, words);
	return `${position.padEnd(22)} ${what}`.replaceAll(CONTROL, "�").trimEnd();
}
/** What it is, without where. */
function eventName(event, words) {
	return partsOf(event, words)[1].replaceAll(CONTROL, "�").trimEnd();
}
function partsOf(event, words) {
	switch (event.what) {
		case "messages": return [turnOf(event), `${counted(event.count, "message")} of ${workerName(event.worker)}`];
		case "happened": return [turnOf(event), `${event.kind} ${event.key}${behind(event.value)}`];
		case "entry": return [`round ${event.round} step ${event.step}`, entryText(event, words)];
		case "outcome": return ["", `asks ${sourceName(event.source)}: ${event.source === SOURCES.device ? worded(() => words.outcome(event.value), event.value) : shown(event.value)}`];
	}
}
function entryText({ source, id, value }, words) {
	if (source === SOURCES.device) return `device: ${worded(() => words.entry(id, value), value)}`;
	if (source === SOURCES.settled) return `settled ${id}: ${worded(() => words.settled(value), value)}`;
	return `${sourceName(source)} ${id} calls${behind(value)}`;
}
/** What a recording has there may be anything: what has no words is shown as it is. */
function worded(words, value) {
	let text;
	try {
		text = words();
	} catch {
		return shown(value);
	}
	return cut(text);
}
function workerName(worker) {
	return worker === 0 ? "the main thread" : `worker ${worker}`;
}
function turnOf({ round, turns }) {
	return `round ${round} turn ${turns}`;
}
function behind(value) {
	return value === void 0 ? "" : `: ${shown(value)}`;
}
const LINE = {
	breakLength: Infinity,
	compact: true,
	depth: 3,
	maxArrayLength: 12,
	maxStringLength: 120
};
/** Units of a value; JSON has all of it. */
const SHOWN = 160;
const BYTES_SHOWN = 16;
function shown(value) {
	return cut(inspect(readable(value), LINE));
}
function cut(text) {
	return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
/** Bytes as they are written in a hex dump, objects without prototypes that would be named. */
function readable(value) {
	if (value instanceof Uint8Array) return new Bytes(value);
	if (Array.isArray(value)) return value.map((each) => readable(each));
	if (typeof value === "object" && value !== null) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, readable(each)]));
	return value;
}
var Bytes = class {
	#bytes;
	constructor(bytes) {
		this.#bytes = bytes;
	}
	[inspect.custom]() {
		const { length } = this.#bytes;
		const hex = Buffer.from(this.#bytes.subarray(0, BYTES_SHOWN)).toString("hex");
		return `<${length} bytes${length === 0 ? "" : `: ${hex}${length > BYTES_SHOWN ? "…" : ""}`}>`;
	}
};
export { eventName as n, workerName as r, eventLine as t };
