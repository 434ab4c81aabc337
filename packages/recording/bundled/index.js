import "./rolldown-runtime-C7kxIl-Z.js";
import { d as Feed, f as WriterState, i as TraceCounts, l as decodeIndex, m as sendModule, n as CHUNK_STATE, p as sendChunk, r as Chunk, s as readSource, t as CHUNK_LENGTH } from "./chunk-tgPDWv1Z.js";
import { B as tracePath, F as recordingName, G as KEY_VARIABLE, H as isSealedFile, K as keyHere, L as snapshotPath, Q as INDEX_LIMIT, T as checkRetention, V as fileSource, _ as readManifest, _t as RecordingError, a as TEXTS_LIMIT, bt as misuse, c as decodeTraceBlock, dt as viewOf, g as phasesIn, it as decodeHeader, l as decodeTraceHeader, mt as describeProcess, n as EVENT_LIMIT, nt as contentOf, o as contentOfTraceBlock, p as listRecordings, q as takeKey, r as FORM, rt as decodeEnd, s as damagedTrace, tt as checkBlock, v as removeRecording, vt as damaged, y as segmentsIn, yt as missing } from "./trace-format-QHleBwc9.js";
import { SOURCES, sourceName } from "./trace-sources.js";
import { i as readValue, n as TraceEncoder, r as readRepeated, t as Pen } from "./pen-CIHUO1p5.js";
const { MessageChannel, Worker } = process.getBuiltinModule("node:worker_threads");
const { statSync } = process.getBuiltinModule("node:fs");
const { crc32 } = process.getBuiltinModule("node:zlib");
const { join } = process.getBuiltinModule("node:path");
// packages/recording/src/snapshot-reader.ts
/** Bytes of content that `read` takes without being asked for more. */
const READ_LIMIT = 2 ** 30;
var SnapshotReader = class {
	phase;
	/** Milliseconds since 1970. */
	time;
	/** What `beginSnapshot` and `commit` were given. */
	meta;
	/** Length of the file. */
	size;
	parts;
	#source;
	#index;
	#byKey;
	/** @throws {RecordingError} and closes the source */
	constructor(source) {
		this.#source = source;
		this.size = source.size;
		try {
			this.phase = decodeHeader(this.#bytes(0, 24), source.name);
			this.#index = this.#readIndex();
			this.time = this.#index.time;
			this.meta = this.#metaOf(this.#index.meta);
		} catch (error) {
			source.close();
			throw error;
		}
		this.parts = this.#index.parts.map((entry) => this.#part(entry));
		this.#byKey = new Map(this.parts.map((part) => [`${part.worker} ${part.name}`, part]));
	}
	get file() {
		return this.#source.name;
	}
	/** Workers that have parts, ascending. */
	get workers() {
		return [...new Set(this.parts.map(({ worker }) => worker))].sort((one, other) => one - other);
	}
	part(worker, name) {
		const found = this.#byKey.get(`${worker} ${name}`);
		if (found !== void 0) return found;
		const names = this.parts.filter((each) => each.worker === worker).map((each) => each.name);
		throw missing(this.file, `worker ${worker} has no part ${JSON.stringify(name)}`, names.length === 0 ? "it has none at all" : `it has ${names.join(", ")}`);
	}
	/** Whether every byte is what was written: reads all blocks, decompresses none. Throws if not. */
	verify() {
		for (const entry of this.#index.parts) for (const place of entry.blocks) this.#block(entry, place);
	}
	close() {
		this.#source.close();
	}
	[Symbol.dispose]() {
		this.close();
	}
	#bytes(offset, length) {
		const { name, size } = this.#source;
		if (offset + length > size) throw damaged(name, size, `${offset + length - size} more bytes: the file is cut off`);
		return this.#source.read(offset, length);
	}
	#readIndex() {
		const { name, size } = this.#source;
		if (size < 72) throw damaged(name, size, "an index: the file is cut off");
		const at = decodeEnd(this.#bytes(size - 24, 24), size, name);
		if (size - 24 - at > 67108864) throw tooLarge(name, "index", size - 24 - at, INDEX_LIMIT);
		const bytes = this.#bytes(at, size - 24 - at);
		const length = viewOf(bytes).readUInt32LE(16);
		checkBlock(bytes, {
			kind: 2,
			worker: 0,
			name: 0,
			stored: bytes.length - 24,
			length
		}, name, at);
		if (length > 67108864) throw tooLarge(name, "index", length, INDEX_LIMIT);
		return decodeIndex(contentOf(bytes, length, name, at), name, at);
	}
	#metaOf(text) {
		try {
			return JSON.parse(text);
		} catch (error) {
			throw damaged(this.file, this.size - 24, "JSON in the index", error);
		}
	}
	#block({ worker, name }, { offset, stored, length }) {
		const bytes = this.#bytes(offset, 24 + stored);
		checkBlock(bytes, {
			kind: 1,
			worker,
			name,
			stored,
			length
		}, this.file, offset);
		return bytes;
	}
	*#blocks(entry) {
		let checksum = 0;
		for (const place of entry.blocks) {
			const content = contentOf(this.#block(entry, place), place.length, this.file, place.offset);
			checksum = crc32(content, checksum);
			yield content;
		}
		if (checksum !== entry.checksum) throw damaged(this.file, entry.blocks[0]?.offset ?? 24, "the checksum of a part, over all its blocks");
	}
	#part(entry) {
		const length = entry.blocks.reduce((sum, block) => sum + block.length, 0);
		const name = this.#index.names[entry.name] ?? "";
		const blocks = () => this.#blocks(entry);
		return {
			worker: entry.worker,
			name,
			length,
			stored: entry.blocks.reduce((sum, block) => sum + block.stored + 24, 0),
			blocks,
			read: (limit = READ_LIMIT) => {
				if (!(limit >= 0)) throw misuse(`a part cannot be read within ${limit} bytes`);
				if (length > limit) throw tooLarge(this.file, `part ${JSON.stringify(name)} of worker ${entry.worker}`, length, limit);
				return joined(blocks(), length);
			}
		};
	}
};
function joined(blocks, length) {
	const whole = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
	let at = 0;
	for (const block of blocks) {
		whole.set(block, at);
		at += block.length;
	}
	return whole;
}
function tooLarge(file, what, length, limit) {
	return new RecordingError("TT_RECORDING_TOO_LARGE", `${file}: the ${what} has ${length} bytes, more than the ${limit} allowed; allow more if you trust where it comes from`, { file });
}
// packages/recording/src/trace/beginning.ts
function isOfBeginning(source, value) {
	return source === SOURCES.seed || source === SOURCES.machine && Array.isArray(value) && value[0] === "start";
}
function isBeginning(event) {
	return event.what === "outcome" && isOfBeginning(event.source, event.value);
}
/** As one thread has asked it. */
var Beginning = class {
	#asked = [];
	#isOver = false;
	/** Told of all that is asked, in its order. */
	note(source, value) {
		if (this.#isOver) return;
		if (isOfBeginning(source, value)) this.#asked.push([source, value]);
		else this.#isOver = true;
	}
	tell(outcome) {
		for (const [source, value] of this.#asked) outcome(source, value);
	}
};
// packages/recording/src/trace/cursor.ts
/** Thrown where the bytes end within an event: no error, and nobody's but the decoder's. */
const SHORT = Symbol("more bytes are needed");
var Cursor = class {
	#bytes = Buffer.alloc(0);
	#at = 0;
	#start = 0;
	/** How many bytes from the start of the event on it has at least, if it has been tried. */
	#wanted = 0;
	#waiting = [];
	#waitingLength = 0;
	#texts = [];
	#knownTexts = 0;
	#damaged;
	constructor(damaged) {
		this.#damaged = damaged;
	}
	/** More bytes, behind those before. */
	feed(bytes) {
		this.#waiting.push(bytes);
		this.#waitingLength += bytes.length;
	}
	/** Whether an event may be there; `isAll` if no more bytes come. */
	begin(isAll) {
		this.#start = this.#at;
		this.#knownTexts = this.#texts.length;
		const left = this.#bytes.length - this.#at;
		if (left > 0 && left >= this.#wanted) return true;
		if (this.#waitingLength === 0 || left + this.#waitingLength < this.#wanted && !isAll) return false;
		const [first = this.#bytes] = this.#waiting;
		const isOne = left === 0 && this.#waiting.length === 1;
		this.#bytes = isOne ? viewOf(first) : Buffer.concat([this.#bytes.subarray(this.#at), ...this.#waiting]);
		this.#waiting = [];
		this.#waitingLength = 0;
		this.#start = this.#at = 0;
		return true;
	}
	/** The event has been read. */
	accept() {
		this.#wanted = 0;
	}
	/** It has not: it is tried again when there is more. */
	retreat() {
		this.#at = this.#start;
		this.#texts.length = this.#knownTexts;
		this.#wanted = Math.max(this.#wanted, 2 * (this.#bytes.length - this.#start));
		if (this.#bytes.length - this.#start > 134217728) throw this.expected(`an event of at most ${EVENT_LIMIT} bytes`);
	}
	/** Bytes of an event that is not whole. */
	get rest() {
		return this.#bytes.length - this.#at + this.#waitingLength;
	}
	expected(what) {
		return this.#damaged(what);
	}
	byte() {
		const byte = this.#bytes[this.#at];
		if (byte === void 0) throw SHORT;
		this.#at++;
		return byte;
	}
	varint() {
		let value = 0;
		for (let unit = 1;; unit *= 128) {
			const byte = this.byte();
			value += (byte & 127) * unit;
			if (value > Number.MAX_SAFE_INTEGER) throw this.expected("a number below 2^53");
			if (byte < 128) {
				if (byte === 0 && unit > 1) throw this.expected("a number in its shortest form");
				return value;
			}
		}
	}
	zigzag() {
		const value = this.varint();
		return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
	}
	double() {
		return this.#need(8).readDoubleLE(0);
	}
	/** How many units of so many bytes follow. */
	length(unit) {
		const length = this.varint();
		if (length * unit > 67108864) throw this.expected(`at most ${EVENT_LIMIT} bytes`);
		return length;
	}
	raw(length) {
		return this.#need(length);
	}
	latin1(length) {
		return this.#need(length).toString("latin1");
	}
	utf16(length) {
		return this.#need(2 * length).toString("utf16le");
	}
	known(number) {
		const text = this.#texts[number];
		if (text === void 0) throw this.expected("the number of a text that came before");
		return text;
	}
	learn(text) {
		if (this.#texts.length >= 4096 || text.length > 256) throw this.expected(`at most ${TEXTS_LIMIT} texts of at most 256 units`);
		this.#texts.push(text);
	}
	#need(length) {
		const end = this.#at + length;
		if (end > this.#bytes.length) {
			this.#wanted = Math.max(this.#wanted, end - this.#start);
			throw SHORT;
		}
		const bytes = this.#bytes.subarray(this.#at, end);
		this.#at = end;
		return bytes;
	}
};
// packages/recording/src/trace/decoder.ts
var TraceDecoder = class {
	#cursor;
	#round = 0;
	#turns = 0;
	#step = 0;
	#ids = /* @__PURE__ */ new Float64Array(16);
	#integers = /* @__PURE__ */ new Float64Array(16);
	#nanoseconds = /* @__PURE__ */ new Float64Array(16);
	#bigints = Array.from({ length: 16 }, () => 0n);
	/** @param damaged makes the error that says where such bytes are */
	constructor(damaged) {
		this.#cursor = new Cursor(damaged);
	}
	feed(bytes) {
		this.#cursor.feed(bytes);
	}
	/** Bytes that have been fed and are no whole event. */
	get rest() {
		return this.#cursor.rest;
	}
	/** Nothing, if more bytes are needed. @param isAll whether no more come */
	next(isAll) {
		const cursor = this.#cursor;
		while (cursor.begin(isAll)) try {
			const event = this.#event();
			cursor.accept();
			return event;
		} catch (error) {
			if (error !== SHORT) throw error;
			cursor.retreat();
		}
	}
	#event() {
		const first = this.#cursor.byte();
		if (first >= 128) return this.#messages(first);
		if (first >= 64) return this.#entry(first);
		if (first === 32) return this.#happened();
		return this.#outcome(first);
	}
	#messages(first) {
		const cursor = this.#cursor;
		const rounds = first >> 5 & 3;
		const round = this.#sum(this.#round, rounds === 3 ? cursor.varint() : rounds);
		const turns = this.#sum(this.#turns, cursor.varint());
		const few = first >> 3 & 3;
		const count = few === 0 ? cursor.varint() : few;
		const near = first & 7;
		const worker = near === 7 ? cursor.varint() : near;
		this.#round = round;
		this.#turns = turns;
		return {
			what: "messages",
			round,
			turns,
			worker,
			count
		};
	}
	#happened() {
		const cursor = this.#cursor;
		const round = this.#sum(this.#round, cursor.varint());
		const turns = this.#sum(this.#turns, cursor.varint());
		const kind = readRepeated(cursor);
		const key = readRepeated(cursor);
		const value = readValue(cursor);
		this.#round = round;
		this.#turns = turns;
		return {
			what: "happened",
			round,
			turns,
			kind,
			key,
			value
		};
	}
	#entry(first) {
		const cursor = this.#cursor;
		const place = first & 15;
		const source = place === 0 ? cursor.varint() : place;
		const round = this.#sum(this.#round, (first & 16) === 0 ? 0 : cursor.varint());
		const step = this.#sum(this.#step, cursor.varint());
		const id = this.#sum(this.#ids[place] ?? 0, cursor.zigzag());
		const value = (first & 32) === 0 ? void 0 : readValue(cursor);
		this.#round = round;
		this.#step = step;
		this.#ids[place] = id;
		return {
			what: "entry",
			round,
			step,
			source,
			id,
			value
		};
	}
	#outcome(first) {
		const source = first & 15;
		if (source === 0) {
			if (first !== 16) throw this.#cursor.expected("an event");
			return {
				what: "outcome",
				source: this.#cursor.varint(),
				value: readValue(this.#cursor)
			};
		}
		return {
			what: "outcome",
			source,
			value: this.#answer(first - source, source)
		};
	}
	#answer(form, source) {
		const cursor = this.#cursor;
		switch (form) {
			case FORM.integer: return this.#integers[source] = this.#sum(this.#integers[source] ?? 0, cursor.zigzag());
			case FORM.nanoseconds: return (this.#nanoseconds[source] = this.#sum(this.#nanoseconds[source] ?? 0, cursor.zigzag())) / 1e6;
			case FORM.bigint: return this.#bigints[source] = (this.#bigints[source] ?? 0n) + BigInt(cursor.zigzag());
			default: return readValue(cursor);
		}
	}
	#sum(before, more) {
		const sum = before + more;
		if (!Number.isSafeInteger(sum)) throw this.#cursor.expected("a number below 2^53");
		return sum;
	}
};
// packages/recording/src/trace/reader.ts
/** The blocks of one segment. */
var SegmentReader = class {
	#source;
	#decoder;
	#at = 28;
	/** Bytes of events. */
	#place = 0;
	/** Of the last block. */
	#blockAt = 0;
	#ending;
	constructor(source, segment) {
		this.#source = source;
		this.#decoder = new TraceDecoder((expected) => damagedTrace(this.#source.name, this.#blockAt, expected));
		try {
			this.#open(segment);
		} catch (error) {
			source.close();
			throw error;
		}
	}
	get ending() {
		return this.#ending ?? "cut off";
	}
	next() {
		for (;;) {
			const event = this.#decoder.next(this.#ending !== void 0);
			if (event !== void 0) return event;
			if (this.#ending !== void 0) return this.#finish();
			this.#block();
		}
	}
	close() {
		this.#source.close();
	}
	#open(segment) {
		const { name, size } = this.#source;
		if (size < 28) {
			this.#ending = "cut off";
			return;
		}
		const { phase, worker, life } = decodeTraceHeader(this.#source.read(0, 28), name);
		if (phase !== segment.phase || worker !== segment.worker || life !== segment.life) throw new RecordingError("TT_RECORDING", `${name} holds phase ${phase} of worker ${worker} in its life ${life}; it has been renamed`, { file: name });
	}
	#finish() {
		if (this.#ending !== "cut off" && this.#decoder.rest > 0) throw damagedTrace(this.#source.name, this.#blockAt, "the rest of an event");
	}
	#block() {
		const { name, size } = this.#source;
		const at = this.#at;
		if (at + 28 > size) return void (this.#ending = "cut off");
		this.#blockAt = at;
		const head = this.#source.read(at, 28);
		if (isNothing(head) && this.#isNothingFrom(at)) return void (this.#ending = "cut off");
		const block = decodeTraceBlock(head, name, at, this.#place);
		const end = at + 28 + block.stored;
		if (end > size) return void (this.#ending = "cut off");
		const payload = this.#source.read(at + 28, block.stored);
		const content = contentOfTraceBlock(block, payload, name, at);
		this.#at = end;
		if (block.kind === 2) this.#ending = this.#markOf(content);
		else {
			this.#place += content.length;
			this.#decoder.feed(content);
		}
	}
	#markOf(content) {
		const { name, size } = this.#source;
		if (content.length !== 9 || (content[0] ?? 2) > 1) throw damagedTrace(name, this.#blockAt, "a mark");
		if (this.#at !== size) throw damagedTrace(name, this.#at, "the end of the file, behind a mark");
		return content[0] === 0 ? "ended" : { next: Number(viewOf(content).readBigUInt64LE(1)) };
	}
	/** A machine that loses its power may leave a file that is longer than what was written to it. */
	#isNothingFrom(start) {
		const { size } = this.#source;
		for (let at = start; at < size; at += 65536) if (!isNothing(this.#source.read(at, Math.min(65536, size - at)))) return false;
		return true;
	}
};
var TraceReader = class {
	#directory;
	#worker;
	#life;
	#segment;
	#phase;
	#next;
	#error;
	#taken = 0;
	#end = "cut off";
	/** At the beginning of a segment behind another one, which says again what that has said. */
	#isAgain = false;
	/** @throws {RecordingError} if there is no such segment, or it is none */
	constructor(directory, { phase, worker, life }) {
		this.#directory = directory;
		this.#worker = worker;
		this.#life = life;
		this.#phase = phase;
		this.#segment = this.#open(phase);
	}
	/** @throws {RecordingError} where a file is damaged */
	get next() {
		if (this.#next === void 0 && this.#segment !== void 0) this.#next = this.#read(this.#segment);
		if (this.#next === void 0 && this.#error !== void 0) throw this.#error;
		return this.#next;
	}
	get taken() {
		return this.#taken;
	}
	get end() {
		return this.#end;
	}
	/** Phase of the segment that it has come to. */
	get phase() {
		return this.#phase;
	}
	take() {
		if (this.next === void 0) return;
		this.#next = void 0;
		this.#taken++;
	}
	close() {
		this.#segment?.close();
		this.#segment = void 0;
		this.#next = void 0;
	}
	#read(from) {
		try {
			for (let segment = from;;) {
				const event = segment.next();
				if (event !== void 0 && this.#isAgain && isBeginning(event)) continue;
				this.#isAgain = false;
				if (event !== void 0) return event;
				const { ending } = segment;
				this.close();
				if (ending === "ended") this.#end = "ended";
				if (typeof ending === "string") return void 0;
				if (ending.next <= this.#phase) throw this.#misplaced(ending.next);
				segment = this.#open(ending.next);
				this.#segment = segment;
				this.#phase = ending.next;
				this.#isAgain = true;
			}
		} catch (error) {
			this.close();
			if (!(error instanceof RecordingError && error.code === "TT_RECORDING_MISSING")) this.#error = error;
			return;
		}
	}
	#open(phase) {
		const segment = {
			phase,
			worker: this.#worker,
			life: this.#life
		};
		return new SegmentReader(fileSource(tracePath(this.#directory, segment)), segment);
	}
	#misplaced(next) {
		const file = tracePath(this.#directory, {
			phase: this.#phase,
			worker: this.#worker,
			life: this.#life
		});
		return new RecordingError("TT_RECORDING", `${file} is followed by phase ${next}; phases rise`, { file });
	}
};
function isNothing(bytes) {
	return bytes.every((byte) => byte === 0);
}
// packages/recording/src/recording.ts
/** @throws {RecordingError} if there is no recording, or its manifest cannot be read */
function openRecording(directory) {
	return new Recording(directory, readManifest(directory));
}
var Recording = class {
	directory;
	/** As it was when the recording was opened. */
	manifest;
	#damage = /* @__PURE__ */ new Map();
	constructor(directory, manifest) {
		this.directory = directory;
		this.manifest = manifest;
	}
	/** What `snapshots` and `latest` have left out so far. */
	get damage() {
		return [...this.#damage.values()];
	}
	/** Phases of the snapshots there are now, ascending. Nothing of them has been read. */
	phases() {
		return phasesIn(this.directory);
	}
	/** Whether it takes a key to read more of it than its manifest. */
	isSealed() {
		const [trace] = segmentsIn(this.directory);
		const [phase] = this.phases();
		const path = trace?.path ?? (phase === void 0 ? void 0 : snapshotPath(this.directory, phase));
		return path !== void 0 && isSealedFile(path);
	}
	/** Those there are now, ascending. Their indexes have been read, their parts have not. */
	snapshots() {
		return phasesIn(this.directory).flatMap((phase) => {
			const snapshot = this.#usable(phase, () => void 0);
			if (snapshot === void 0) return [];
			snapshot.close();
			const { time, size, workers, parts } = snapshot;
			return [{
				phase,
				time,
				bytes: size,
				length: parts.reduce((sum, part) => sum + part.length, 0),
				workers
			}];
		});
	}
	/** To be closed by the caller; until then it stays readable, also if it is deleted. */
	readSnapshot(phase) {
		const file = snapshotPath(this.directory, phase);
		const snapshot = new SnapshotReader(fileSource(file));
		if (snapshot.phase === phase) return snapshot;
		snapshot.close();
		throw new RecordingError("TT_RECORDING", `${file} holds snapshot ${snapshot.phase}; it has been renamed`, { file });
	}
	/** The newest of which every byte is as it was written. To be closed by the caller. */
	latest() {
		for (let before = [];;) {
			const phases = phasesIn(this.directory);
			for (const phase of phases.toReversed()) {
				const snapshot = this.#damage.has(phase) ? void 0 : this.#usable(phase, (each) => each.verify());
				if (snapshot !== void 0) return snapshot;
			}
			if (String(phases) === String(before)) return void 0;
			before = phases;
		}
	}
	/** What a worker was in the newest snapshot, up to a phase, that says so and is not damaged there. */
	lastPart(worker, name, upTo) {
		for (const phase of phasesIn(this.directory).toReversed()) {
			const read = [];
			const look = (snapshot) => void (snapshot.workers.includes(worker) && read.push(snapshot.part(worker, name).read()));
			if (phase <= upTo) this.#usable(phase, look)?.close();
			const [bytes] = read;
			if (bytes !== void 0) return {
				phase,
				bytes
			};
		}
	}
	/** The text of a module. */
	source(sha256) {
		return readSource(this.directory, sha256);
	}
	/** Those there are now, by worker and life. Nothing of them has been read. */
	traces() {
		const segments = segmentsIn(this.directory);
		return [...Map.groupBy(segments, ({ worker, life }) => `${worker}.${life}`).values()].flatMap((all) => {
			const [first] = all;
			if (first === void 0) return [];
			const { worker, life } = first;
			const bytes = all.map(({ path }) => statSync(path, { throwIfNoEntry: false })?.size ?? 0).reduce((sum, size) => sum + size, 0);
			return [{
				worker,
				life,
				phases: all.map(({ phase }) => phase),
				bytes
			}];
		}).sort((one, other) => one.worker - other.worker || one.life - other.life);
	}
	/**
	* What has come to a worker in one of its lives, from a phase on, or from the first there is. To be closed by the caller.
	* @throws {RecordingError} if there is none, or its first segment cannot be read
	*/
	trace(worker, life, fromPhase) {
		const { phases = [] } = this.traces().find((each) => each.worker === worker && each.life === life) ?? {};
		const phase = fromPhase ?? phases[0];
		if (phase !== void 0 && phases.includes(phase)) return new TraceReader(this.directory, {
			phase,
			worker,
			life
		});
		const what = `worker ${worker} has no trace of its life ${life}${phase === void 0 ? "" : ` from phase ${phase} on`}`;
		throw missing(this.directory, what, phases.length === 0 ? "it was not recorded, or was deleted to make room" : `it has phases ${phases.join(", ")}`);
	}
	#usable(phase, check) {
		let snapshot;
		try {
			snapshot = this.readSnapshot(phase);
			check(snapshot);
			return snapshot;
		} catch (error) {
			snapshot?.close();
			if (!(error instanceof RecordingError)) throw error;
			if (error.code !== "TT_RECORDING_MISSING") this.#damage.set(phase, {
				phase,
				file: snapshotPath(this.directory, phase),
				error
			});
			return;
		}
	}
};
// packages/recording/src/trace/span.ts
const NEVER = 2n ** 62n;
var TraceSpan = class {
	memory;
	#words;
	constructor(memory) {
		this.memory = memory ?? new SharedArrayBuffer(8);
		this.#words = new BigInt64Array(this.memory);
		if (memory === void 0) this.rest();
	}
	begin(phase) {
		Atomics.store(this.#words, 0, BigInt(phase));
	}
	rest() {
		Atomics.store(this.#words, 0, NEVER);
	}
	get isResting() {
		return Atomics.load(this.#words, 0) === NEVER;
	}
	/** Whether what comes in that phase is kept. */
	keeps(phase) {
		return Atomics.load(this.#words, 0) <= BigInt(phase);
	}
};
// packages/recording/src/writer.ts
/** A program may put its own in the places of these: tests do. */
const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;
const CLOSE_DEADLINE = 1e4;
const CLOSE_SYNC_DEADLINE = 1e3;
function startWriter(options) {
	return new WriterHandle(options);
}
var WriterHandle = class {
	#options;
	#state = new WriterState();
	#worker;
	/** Commits that have not been answered, by recording and phase. */
	#asked = /* @__PURE__ */ new Map();
	/** Who waits for traces to be flushed, by number. */
	#flushes = /* @__PURE__ */ new Map();
	#flushed = 0;
	/** By recording. */
	#due = /* @__PURE__ */ new Map();
	#holders = 0;
	#recordings = 0;
	#lastTime = 0;
	#closing;
	#closed = () => void 0;
	#isTold = false;
	constructor(options) {
		const { recordings, retention: { snapshots = {}, recordings: ofAll = {} } = {}, level } = options;
		checkRetention(snapshots, "retention.snapshots");
		checkRetention(ofAll, "retention.recordings");
		this.#options = options;
		const workerData = {
			recordings,
			snapshotRetention: snapshots,
			recordingRetention: ofAll,
			level,
			processStart: performance.timeOrigin,
			state: this.#state.memory,
			key: keyHere()
		};
		this.#worker = new Worker(new URL(import.meta.url.endsWith(".ts") ? "./writer-thread.ts" : "./writer-thread.js", import.meta.url), {
			name: "turntable writer",
			workerData,
			execArgv: [],
			env: {}
		});
		this.#worker.on("message", (message) => this.#hear(message));
		this.#worker.on("error", (error) => this.#fail(ofThread(error, recordings)));
		this.#worker.on("exit", (code) => {
			if (this.#closing === void 0) this.#fail(ofThread(/* @__PURE__ */ new Error(`it has ended with code ${code}`), recordings));
			this.#ended();
		});
		this.#worker.unref();
	}
	get pending() {
		return this.#state.pending;
	}
	get isOff() {
		return this.#state.isOff;
	}
	create(manifest, { isLater = false } = {}) {
		const recording = ++this.#recordings;
		this.#lastTime = Math.max(Date.parse(manifest.created), this.#lastTime + 1);
		const name = recordingName(new Date(this.#lastTime), manifest.pid);
		const counts = new TraceCounts();
		const span = isLater ? new TraceSpan() : void 0;
		this.#send({
			what: "create",
			recording,
			name,
			manifest,
			counts: counts.memory,
			isLater
		});
		let lastPhase = -1;
		return {
			directory: join(this.#options.recordings, name),
			number: recording,
			addModule: (url, text, settings) => {
				if (this.#closing === void 0) sendModule(this.#worker, this.#state, {
					recording,
					url,
					text,
					settings
				});
			},
			update: (patch) => this.#send({
				what: "update",
				recording,
				patch
			}),
			beginSnapshot: (phase, meta = {}) => {
				if (!Number.isSafeInteger(phase) || phase <= lastPhase) throw misuse(`snapshot ${phase} cannot follow snapshot ${lastPhase}; phases of a recording are integers that rise`);
				lastPhase = phase;
				this.#send({
					what: "begin",
					recording,
					phase,
					meta
				});
				return this.#snapshot({
					recording,
					phase
				});
			},
			abandon: (phase) => this.#send({
				what: "abandon",
				recording,
				phase
			}),
			trace: (worker, life, phase = 0) => {
				const { port1, port2 } = new MessageChannel();
				this.#worker.postMessage({
					what: "trace",
					recording,
					worker,
					life,
					port: port2
				}, [port2]);
				const limit = this.#options.traceLimit ?? 268435456;
				return {
					port: port1,
					state: this.#state.memory,
					counts: counts.memory,
					phase,
					limit,
					span: span?.memory
				};
			},
			get traceBytes() {
				return counts.sinceSnapshot;
			},
			whenTraced: (bytes, callback) => {
				this.#due.set(recording, callback);
				this.#send({
					what: "due",
					recording,
					bytes
				});
			},
			begin: (phase) => {
				this.#send({
					what: "resume",
					recording
				});
				span?.begin(phase);
			},
			rest: (why) => {
				span?.rest();
				this.#send({
					what: "rest",
					recording,
					why
				});
			},
			end: (why) => this.#send({
				what: "end",
				recording,
				why
			})
		};
	}
	#snapshot(key) {
		let chunks = 0;
		let outcome;
		return {
			key,
			add: (worker, name, bytes) => {
				if (outcome !== void 0) throw misuse(`snapshot ${key.phase} has been committed; nothing can be added to it`);
				if (sendChunk(this.#worker, this.#state, key, worker, name, bytes)) chunks++;
			},
			commit: ({ chunks: fed = 0, meta = {}, holds = false } = {}) => outcome ??= this.#commit({
				what: "commit",
				...key,
				chunks: chunks + fed,
				meta
			}, holds),
			abandon: () => this.#send({
				what: "abandon",
				...key
			})
		};
	}
	#commit(message, holds) {
		if (this.isOff || this.#closing !== void 0) return Promise.resolve(void 0);
		const { promise, resolve } = Promise.withResolvers();
		this.#asked.set(`${message.recording} ${message.phase}`, resolve);
		this.#send(message);
		return holds ? this.#holding(promise) : promise;
	}
	feed() {
		const { port1, port2 } = new MessageChannel();
		this.#worker.postMessage({
			what: "feed",
			port: port2
		}, [port2]);
		return {
			port: port1,
			state: this.#state.memory
		};
	}
	flushTraces() {
		if (this.isOff || this.#closing !== void 0) return Promise.resolve();
		const { promise, resolve } = Promise.withResolvers();
		const number = ++this.#flushed;
		this.#flushes.set(number, resolve);
		this.#send({
			what: "flush",
			number
		});
		return this.#holding(promise);
	}
	close({ deadline = CLOSE_DEADLINE } = {}) {
		return this.#closing ??= this.#holding(this.#close(deadline));
	}
	async #close(deadline) {
		const { promise: closed, resolve } = Promise.withResolvers();
		this.#closed = () => resolve(true);
		this.#worker.postMessage({ what: "close" });
		const timer = deadline < 2 ** 31 ? nativeSetTimeout(() => resolve(false), deadline) : void 0;
		const isWhole = await closed && !this.#state.hasFailed;
		nativeClearTimeout(timer);
		await this.#worker.terminate();
		this.#ended();
		return isWhole;
	}
	closeSync({ deadline = CLOSE_SYNC_DEADLINE } = {}) {
		if (this.#closing === void 0) this.#worker.postMessage({ what: "close" });
		const isWhole = this.#state.waitForClosed(deadline) && !this.#state.hasFailed;
		this.#closing ??= this.#worker.terminate().then(() => isWhole);
		this.#ended();
		return isWhole;
	}
	#send(message) {
		if (!this.isOff && this.#closing === void 0) this.#worker.postMessage(message);
	}
	#hear(message) {
		if (message.what === "closed") return this.#closed();
		if (message.what === "trouble") {
			const error = errorOf(message.trouble);
			return message.trouble.isPassing ? this.#say(error) : this.#fail(error);
		}
		if (message.what === "due") return this.#due.get(message.recording)?.();
		if (message.what === "flushed") {
			this.#flushes.get(message.number)?.();
			this.#flushes.delete(message.number);
			return;
		}
		const key = `${message.recording} ${message.phase}`;
		this.#asked.get(key)?.(message.written);
		this.#asked.delete(key);
	}
	#fail(error) {
		this.#state.turnOff(true);
		if (this.#isTold) return;
		this.#isTold = true;
		this.#say(error);
	}
	#say(error) {
		if (this.#options.onTrouble === void 0) process.emitWarning(error);
		else this.#options.onTrouble(error);
	}
	#ended() {
		this.#state.turnOff(false);
		this.#closed();
		for (const answer of this.#asked.values()) answer(void 0);
		this.#asked.clear();
		for (const answer of this.#flushes.values()) answer();
		this.#flushes.clear();
	}
	async #holding(promise) {
		if (this.#holders++ === 0) this.#worker.ref();
		try {
			return await promise;
		} finally {
			if (--this.#holders === 0) this.#worker.unref();
		}
	}
};
function errorOf({ code, message, file, cause }) {
	return new RecordingError(code, message, {
		file,
		cause
	});
}
function ofThread(error, recordings) {
	const why = error instanceof Error ? error.message : String(error);
	return new RecordingError("TT_RECORDING_WRITE", `nothing is recorded any more to ${recordings}: the writer's thread has failed: ${why}; snapshots already there stay usable; start again`, { cause: error });
}
// packages/recording/src/trace/chunk-supply.ts
/** Chunks that a worker keeps for later use. */
const KEPT = 4;
var ChunkSupply = class {
	#port;
	#state;
	#counts;
	#limit;
	#kept = [];
	#phase;
	#chunk;
	#committed = 0;
	constructor({ port, state, counts, phase, limit }) {
		this.#port = port;
		this.#state = new WriterState(state);
		this.#counts = new TraceCounts(counts);
		this.#limit = limit;
		this.#phase = phase;
	}
	get phase() {
		return this.#phase;
	}
	first() {
		return this.#follow(0, 0);
	}
	next(length, least) {
		return this.#follow(length, least);
	}
	/** The same for a new phase. */
	enter(phase, length) {
		this.#phase = phase;
		return this.#follow(length, 0);
	}
	commit(length) {
		if (length === this.#committed) return;
		this.#committed = length;
		this.#chunk?.commit(length);
	}
	end(length) {
		this.#close(length, CHUNK_STATE.ended);
	}
	/** What comes next is not to be kept, until a phase is entered. */
	rest(length) {
		this.#close(length, CHUNK_STATE.stopped);
	}
	stop(length, why) {
		this.#close(length, CHUNK_STATE.stopped);
		this.#port.postMessage({
			what: "stopped",
			why
		});
	}
	close() {
		this.#port.close();
	}
	#close(length, state) {
		this.#chunk?.close(length, state);
		this.#chunk = void 0;
		this.#committed = 0;
	}
	#follow(length, least) {
		const chunk = this.#reserved(Math.max(least, CHUNK_LENGTH));
		this.#close(length, chunk === void 0 ? CHUNK_STATE.stopped : CHUNK_STATE.full);
		if (chunk === void 0) return void 0;
		this.#chunk = chunk;
		this.#port.postMessage({
			what: "chunk",
			phase: this.#phase,
			memory: chunk.memory
		});
		return chunk.bytes;
	}
	#reserved(length) {
		if (this.#state.isOff) return void 0;
		if (this.#counts.held + length > this.#limit) {
			this.#port.postMessage({
				what: "stopped",
				why: tooSlow(this.#limit)
			});
			return;
		}
		this.#counts.hold(length);
		return length === 262144 ? this.#usual() : Chunk.of(length);
	}
	#usual() {
		const free = this.#kept.find(({ state }) => state === CHUNK_STATE.free);
		if (free !== void 0) {
			free.reuse();
			return free;
		}
		const made = Chunk.of(CHUNK_LENGTH);
		if (this.#kept.length < KEPT) this.#kept.push(made);
		return made;
	}
};
function tooSlow(limit) {
	return `more than ${limit} bytes wait for the disk; record to a faster one, or allow more`;
}
// packages/recording/src/trace/trace-writer.ts
var TraceWriter = class extends TraceEncoder {
	isResting = false;
	#pen;
	#supply;
	#hasEnded = false;
	/** What each segment begins with. */
	#beginning = new Beginning();
	constructor(handle) {
		const supply = new ChunkSupply(handle);
		const pen = new Pen(supply, supply.first());
		super(pen);
		this.#pen = pen;
		this.#supply = supply;
	}
	/** Whether events are kept nowhere: something could not be kept, and no phase has begun since. */
	get isStopped() {
		return this.#pen.isStopped;
	}
	commit() {
		this.#supply.commit(this.#pen.length);
	}
	outcome(source, value) {
		this.#beginning.note(source, value);
		super.outcome(source, value);
	}
	cut(phase) {
		if (this.#hasEnded || phase <= this.#supply.phase) return;
		this.#pen.restart(this.#supply.enter(phase, this.#pen.length));
		this.forget();
		this.#beginning.tell((source, value) => super.outcome(source, value));
	}
	/** Nothing is kept, until a phase begins. */
	rest() {
		if (this.#hasEnded) return;
		this.#supply.rest(this.#pen.length);
		this.#pen.restart(void 0);
	}
	end() {
		if (this.#hasEnded) return;
		this.#hasEnded = true;
		this.#supply.end(this.#pen.length);
		this.#supply.close();
		this.#pen.restart(void 0);
	}
};
// packages/recording/src/trace/later-trace.ts
/** A sink that can be ended. To be made on the worker's own thread. */
function traceSink(handle) {
	return handle.span === void 0 ? new TraceWriter(handle) : new LaterTrace(handle, new TraceSpan(handle.span));
}
var LaterTrace = class {
	#handle;
	#span;
	#beginning = new Beginning();
	/** From the first phase on that was kept. */
	#writer;
	/** The same, while it is. */
	#kept;
	constructor(handle, span) {
		this.#handle = handle;
		this.#span = span;
		this.cut(handle.phase);
	}
	get isResting() {
		return this.#kept === void 0;
	}
	messages(round, turns, worker, count) {
		this.#kept?.messages(round, turns, worker, count);
	}
	happened(round, turns, kind, key, value) {
		this.#kept?.happened(round, turns, kind, key, value);
	}
	entry(round, step, source, id, value) {
		this.#kept?.entry(round, step, source, id, value);
	}
	outcome(source, value) {
		if (this.#kept !== void 0) this.#kept.outcome(source, value);
		this.#beginning.note(source, value);
	}
	commit() {
		const kept = this.#kept;
		if (kept === void 0) return;
		if (!this.#span.isResting) return kept.commit();
		this.#kept = void 0;
		kept.rest();
	}
	cut(phase) {
		if (this.#kept !== void 0 && this.#span.isResting) this.commit();
		if (this.#kept !== void 0) return this.#kept.cut(phase);
		if (!this.#span.keeps(phase)) return;
		if (this.#writer === void 0) {
			const writer = new TraceWriter({
				...this.#handle,
				phase
			});
			this.#beginning.tell((source, value) => writer.outcome(source, value));
			this.#writer = writer;
		} else this.#writer.cut(phase);
		this.#kept = this.#writer;
	}
	end() {
		if (this.#writer === void 0) this.#handle.port.close();
		else this.#writer.end();
		this.#kept = void 0;
	}
};
export { Feed, KEY_VARIABLE, RecordingError, SOURCES, TraceWriter, describeProcess, listRecordings, openRecording, removeRecording, sourceName, startWriter, takeKey, traceSink };
