import "./rolldown-runtime-C7kxIl-Z.js";
import { a as digestOf, c as sourcePath, f as WriterState, i as TraceCounts, n as CHUNK_STATE, o as encodeSource, r as Chunk, u as encodeIndex } from "./chunk-tgPDWv1Z.js";
import { $ as META_LIMIT, A as TRACES, B as tracePath, D as MANIFEST, E as surplusOf, J as useKey, K as keyHere, L as snapshotPath, O as SNAPSHOTS, S as makeDurable, X as BLOCK_LENGTH, _t as RecordingError, b as sweep, bt as misuse, ct as encodeHeader, et as NAME_LIMIT, f as SILENCE, g as phasesIn, ht as encodeManifest, k as SOURCES, m as makeRoom, ot as encodeBlock, st as encodeEnd, w as writeWhole, x as WholeFile, xt as systemCode, y as segmentsIn } from "./trace-format-QHleBwc9.js";
import { t as SegmentFile } from "./segment-file-CBNuPxmF.js";
const { parentPort, receiveMessageOnPort, workerData } = process.getBuiltinModule("node:worker_threads");
const { mkdirSync, rmSync, statSync, utimesSync } = process.getBuiltinModule("node:fs");
const { crc32 } = process.getBuiltinModule("node:zlib");
const { join } = process.getBuiltinModule("node:path");
// packages/recording/src/snapshot-encoder.ts
const WAITING = 16 << 20;
var SnapshotEncoder = class {
	/** Bytes of content so far. */
	length = 0;
	#write;
	#level;
	#names = /* @__PURE__ */ new Map();
	#parts = /* @__PURE__ */ new Map();
	#offset = 0;
	#waiting = 0;
	constructor(phase, write, level = 1) {
		this.#write = write;
		this.#level = level;
		this.#put(encodeHeader(phase));
	}
	/** The bytes are kept for a while and must not change. */
	add(worker, name, bytes) {
		const part = this.#part(worker, name);
		part.checksum = crc32(bytes, part.checksum);
		this.length += bytes.length;
		for (let at = 0; at < bytes.length;) {
			const piece = bytes.subarray(at, at + BLOCK_LENGTH - part.waitingLength);
			at += piece.length;
			if (piece.length === 262144) this.#block(part, piece);
			else this.#wait(part, piece);
		}
		if (this.#waiting > WAITING) for (const each of this.#parts.values()) this.#flush(each);
	}
	/** Writes what is left, the index and the end mark. Answers the length of the file. */
	finish(time, meta) {
		for (const part of this.#parts.values()) {
			if (part.blocks.length === 0 && part.waitingLength === 0) this.#block(part, /* @__PURE__ */ new Uint8Array());
			this.#flush(part);
		}
		const index = encodeIndex({
			time,
			meta,
			names: [...this.#names.keys()],
			parts: [...this.#parts.values()]
		});
		if (index.length > 67108864) throw misuse(`a snapshot of ${this.#parts.size} parts is too large for an index`);
		const at = this.#offset;
		this.#encode(2, 0, 0, index);
		this.#put(encodeEnd(at, this.#offset + 24));
		return this.#offset;
	}
	#part(worker, name) {
		const wellFormed = name.toWellFormed();
		let number = this.#names.get(wellFormed);
		if (number === void 0) {
			if (Buffer.byteLength(wellFormed) > 4096) throw misuse(`the name of a part is longer than ${NAME_LIMIT} bytes`);
			number = this.#names.size;
			this.#names.set(wellFormed, number);
		}
		const key = `${worker} ${number}`;
		let part = this.#parts.get(key);
		if (part === void 0) {
			part = {
				worker,
				name: number,
				checksum: 0,
				blocks: [],
				waiting: [],
				waitingLength: 0
			};
			this.#parts.set(key, part);
		}
		return part;
	}
	#wait(part, piece) {
		part.waiting.push(piece);
		part.waitingLength += piece.length;
		this.#waiting += piece.length;
		if (part.waitingLength === 262144) this.#flush(part);
	}
	#flush(part) {
		if (part.waitingLength === 0) return;
		const content = Buffer.concat(part.waiting, part.waitingLength);
		this.#waiting -= part.waitingLength;
		part.waiting = [];
		part.waitingLength = 0;
		this.#block(part, content);
	}
	#block(part, content) {
		const offset = this.#offset;
		this.#encode(1, part.worker, part.name, content);
		part.blocks.push({
			offset,
			stored: this.#offset - offset - 24,
			length: content.length
		});
	}
	#encode(kind, worker, name, content) {
		const { head, payload } = encodeBlock({
			kind,
			worker,
			name
		}, content, this.#level);
		this.#put(head);
		if (payload.length > 0) this.#put(payload);
	}
	#put(bytes) {
		this.#write(bytes);
		this.#offset += bytes.length;
	}
};
// packages/recording/src/recording-writer.ts
/** Phases that are known to be over, in case that somebody who does not know yet still adds to them. */
const REMEMBERED = 1024;
var RecordingWriter = class {
	directory;
	traces;
	#retention;
	#level;
	#manifest;
	#modules = [];
	/** That are not written yet. */
	#texts = [];
	/** It has not begun. */
	#isAsleep;
	/** It has ended in order, and may begin again. */
	#isResting = false;
	#isThere = false;
	#known = /* @__PURE__ */ new Set();
	#digests = /* @__PURE__ */ new Set();
	#unsure = [];
	#isDirty = false;
	#open = /* @__PURE__ */ new Map();
	#over = /* @__PURE__ */ new Set();
	constructor(directory, manifest, traces, { retention = {}, level, isLater = false } = {}) {
		this.directory = directory;
		this.traces = traces;
		this.#retention = retention;
		this.#level = level;
		this.#manifest = manifest;
		this.#isAsleep = isLater;
	}
	/** Makes the directory, if it is not there yet. */
	make() {
		if (this.#isThere || this.#isAsleep) return;
		mkdirSync(this.directory, {
			recursive: true,
			mode: 448
		});
		for (const inner of [SOURCES, SNAPSHOTS]) mkdirSync(join(this.directory, inner), {
			recursive: true,
			mode: 448
		});
		this.#isThere = true;
		this.#isDirty = true;
		this.flush();
		makeDurable(join(this.directory, ".."));
	}
	addModule(url, text, settings = "") {
		const sha256 = digestOf(text);
		const key = `${sha256} ${url}`;
		if (this.#known.has(key)) return;
		this.#known.add(key);
		this.#texts.push({
			entry: {
				url,
				sha256,
				...settings === "" ? {} : { settings }
			},
			text
		});
		this.#isDirty = true;
		this.#writeTexts();
	}
	/** Whether its directory has been made. */
	get isThere() {
		return this.#isThere;
	}
	/** Begins, or begins again. */
	resume() {
		this.#isAsleep = false;
		this.#isResting = false;
		this.#manifest = {
			...this.#manifest,
			ended: null,
			why: null
		};
		this.#isDirty = true;
		this.flush();
	}
	/** Has ended, and may begin again. */
	rest(why) {
		this.#isResting = true;
		this.traces.sync();
		this.#ended(why);
	}
	#writeTexts() {
		if (this.#isAsleep) return;
		this.make();
		for (let next = this.#texts[0]; next !== void 0; next = this.#texts[0]) {
			const { entry, text } = next;
			const { sha256 } = entry;
			if (!this.#digests.has(sha256)) {
				const path = sourcePath(this.directory, sha256);
				writeWhole(path, encodeSource(text), false, keyHere());
				this.#digests.add(sha256);
				this.#unsure.push(path);
			}
			this.#modules.push(entry);
			this.#texts.shift();
		}
	}
	update(patch) {
		this.#manifest = {
			...this.#manifest,
			...patch
		};
		this.#isDirty = true;
	}
	get isDirty() {
		return this.#isDirty;
	}
	/** Brings manifest and sources to the disk, if anything has been added. */
	flush() {
		this.make();
		if (!this.#isDirty || this.#isAsleep) return;
		this.#writeTexts();
		for (const path of this.#unsure) makeDurable(path);
		if (this.#unsure.length > 0) makeDurable(join(this.directory, SOURCES));
		this.#unsure.length = 0;
		writeWhole(join(this.directory, MANIFEST), encodeManifest({
			...this.#manifest,
			modules: this.#modules
		}));
		this.#isDirty = false;
	}
	/** Shows other machines that somebody is at it. */
	touch() {
		if (!this.#isThere) return;
		const now = Date.now() / 1e3;
		utimesSync(join(this.directory, MANIFEST), now, now);
	}
	beginSnapshot(phase, meta) {
		const snapshot = this.#snapshot(phase);
		if (snapshot !== void 0) snapshot.meta = meta;
	}
	/** What comes for a snapshot that is over is dropped. */
	add(phase, worker, name, bytes) {
		const snapshot = this.#snapshot(phase);
		if (snapshot === void 0) return;
		snapshot.encoder.add(worker, name, bytes);
		snapshot.chunks++;
	}
	/** Whether so many chunks have come; they come from several threads, in no order between those. */
	has(phase, chunks) {
		return (this.#open.get(phase)?.chunks ?? chunks) >= chunks;
	}
	/** Undefined if it has been abandoned. */
	commit(phase, more) {
		const snapshot = this.#open.get(phase);
		if (snapshot === void 0) return void 0;
		const { file, encoder } = snapshot;
		const meta = JSON.stringify({
			...snapshot.meta,
			...more
		});
		if (Buffer.byteLength(meta) > 4194304) throw misuse(`what snapshot ${phase} says of itself is larger than ${META_LIMIT} bytes`);
		this.flush();
		this.traces.sync();
		const bytes = encoder.finish(Date.now(), meta);
		file.commit();
		this.#close(phase);
		this.traces.committed(phase);
		this.#makeRoom();
		return {
			phase,
			file: file.path,
			bytes,
			length: encoder.length
		};
	}
	abandon(phase) {
		this.#open.get(phase)?.file.abandon();
		this.#close(phase);
	}
	/** Removes what is not whole and says that the recording has ended in order, and why, if not because the program has. */
	end(why = null) {
		this.abandonAll();
		this.traces.end();
		if (!this.#isResting) this.#ended(why);
	}
	#ended(why) {
		this.#manifest = {
			...this.#manifest,
			ended: (/* @__PURE__ */ new Date()).toISOString(),
			why
		};
		this.#isDirty = true;
		this.flush();
	}
	/** Never throws: for when nothing works any more. */
	abandonAll() {
		for (const phase of this.#open.keys()) this.abandon(phase);
	}
	#snapshot(phase) {
		if (this.#over.has(phase)) return void 0;
		const found = this.#open.get(phase);
		if (found !== void 0) return found;
		this.#isAsleep = false;
		let file;
		try {
			this.make();
			const whole = new WholeFile(snapshotPath(this.directory, phase), keyHere());
			file = whole;
			const encoder = new SnapshotEncoder(phase, (bytes) => whole.write(bytes), this.#level);
			const made = {
				file,
				encoder,
				meta: {},
				chunks: 0
			};
			this.#open.set(phase, made);
			return made;
		} catch (error) {
			file?.abandon();
			this.#close(phase);
			throw error;
		}
	}
	#close(phase) {
		this.#open.delete(phase);
		this.#over.add(phase);
		const [oldest] = this.#over;
		if (this.#over.size > REMEMBERED && oldest !== void 0) this.#over.delete(oldest);
	}
	/** A snapshot goes with what the traces tell from its phase to the next one's. What was before the first one is the start of the program. */
	#makeRoom() {
		const segments = segmentsIn(this.directory).flatMap((segment) => sizedOf(segment.phase, segment.path));
		const phases = phasesIn(this.directory);
		const snapshots = phases.flatMap((phase, place) => {
			const [snapshot] = sizedOf(phase, snapshotPath(this.directory, phase));
			const traced = segments.filter((each) => each.phase >= phase && each.phase < (phases[place + 1] ?? Infinity));
			return snapshot === void 0 ? [] : [{
				...snapshot,
				bytes: snapshot.bytes + bytesOf(traced)
			}];
		});
		const [oldest] = snapshots;
		if (oldest === void 0) return;
		const surplus = surplusOf(snapshots, this.#retention, Date.now());
		const kept = snapshots[surplus.length] ?? oldest;
		const before = segments.filter(({ phase }) => phase < kept.phase);
		if (surplus.length > 0 || this.#isStartSurplus(before, snapshots)) {
			for (const { path } of before) if (!this.traces.open.has(path)) rmSync(path, { force: true });
		}
		for (const { path } of surplus) rmSync(path, { force: true });
	}
	/** It is no snapshot that would count, but it takes room and grows old. */
	#isStartSurplus(start, snapshots) {
		if (start.length === 0) return false;
		const time = Math.max(...start.map((each) => each.time));
		const rules = {
			...this.#retention,
			count: Infinity
		};
		return surplusOf([{
			time,
			bytes: bytesOf(start)
		}, ...snapshots], rules, Date.now()).length > 0;
	}
};
/** None, if it has gone. */
function sizedOf(phase, path) {
	const stat = statSync(path, { throwIfNoEntry: false });
	return stat === void 0 ? [] : [{
		phase,
		path,
		time: stat.mtimeMs,
		bytes: stat.size
	}];
}
function bytesOf(all) {
	return all.reduce((sum, { bytes }) => sum + bytes, 0);
}
// packages/recording/src/trace/trace-drain.ts
var TraceDrain = class {
	#ports;
	#traced;
	#waiting = [];
	#file;
	/** In which there is a gap: nothing of it is written any more. */
	#lostPhase;
	/** Complete, and perhaps not on the disk yet. */
	#unsure = [];
	/** Whether its port may be asked. */
	#isOpen = true;
	constructor(ports, traced) {
		this.#ports = ports;
		this.#traced = traced;
	}
	/** Which file is being written. */
	get path() {
		return this.#file?.path;
	}
	/** Whether nothing more can come. */
	get isOver() {
		return !this.#isOpen && this.#file === void 0 && this.#unsure.length === 0;
	}
	hear(message) {
		if (message.what === "stopped") return this.#ports.stopped(this.#traced.worker, message.why);
		this.#waiting.push({
			phase: message.phase,
			chunk: new Chunk(message.memory),
			taken: 0
		});
	}
	/** Writes what is there. Never throws. */
	drain() {
		this.#hearAll();
		for (let first = this.#waiting[0]; first !== void 0; first = this.#waiting[0]) {
			const { state, committed } = stateOf(first.chunk);
			this.#begin(first.phase);
			this.#add(first, committed);
			if (state === CHUNK_STATE.open) return;
			this.#waiting.shift();
			this.#ports.counts.hold(-first.chunk.bytes.length);
			if (state === CHUNK_STATE.full) first.chunk.giveBack();
			else if (state === CHUNK_STATE.ended) this.#end();
			else this.#stop(first.phase);
		}
	}
	/** What was written is on the disk when this returns, or it has been told. */
	sync() {
		this.#try(() => {
			for (let path = this.#unsure[0]; path !== void 0; path = this.#unsure[0]) {
				this.#unsure.shift();
				makeDurable(path);
			}
			this.#file?.sync();
		});
	}
	/** The worker's thread is gone, and its port with it: Node must not be asked for messages of one that is closed, not even in its `close` event. */
	lose() {
		if (!this.#isOpen) return;
		this.#isOpen = false;
		this.drain();
		this.#finish();
	}
	/** More is not taken. */
	close() {
		if (!this.#isOpen) return;
		this.drain();
		this.#isOpen = false;
		this.#finish();
		this.#traced.port.close();
	}
	#finish() {
		for (const { chunk } of this.#waiting.splice(0)) this.#ports.counts.hold(-chunk.bytes.length);
		this.#leave();
	}
	#hearAll() {
		if (!this.#isOpen) return;
		const { port } = this.#traced;
		for (let next = receiveMessageOnPort(port); next !== void 0; next = receiveMessageOnPort(port)) this.hear(next.message);
	}
	/** The segment of that phase. */
	#begin(phase) {
		if (this.#file?.phase === phase || this.#lostPhase === phase) return;
		this.#try(() => {
			if (this.#file !== void 0) this.#write(() => this.#file?.mark(phase));
		});
		this.#leave();
		this.#lostPhase = void 0;
		const { worker, life } = this.#traced;
		const segment = {
			phase,
			worker,
			life
		};
		try {
			this.#ports.opening();
			this.#file = new SegmentFile(tracePath(this.#ports.directory, segment), segment, this.#ports.level);
			this.#ports.written(phase, this.#file.size);
		} catch (error) {
			this.#stop(phase);
			this.#ports.failed(error);
		}
	}
	#add(from, committed) {
		if (committed === from.taken) return;
		const events = Buffer.from(from.chunk.bytes.subarray(from.taken, committed));
		from.taken = committed;
		this.#try(() => this.#write(() => this.#file?.add(events)));
	}
	#end() {
		this.#try(() => this.#write(() => this.#file?.mark(void 0)));
		this.#leave();
	}
	#write(act) {
		const file = this.#file;
		if (file === void 0) return;
		const before = file.size;
		act();
		this.#ports.written(file.phase, file.size - before);
	}
	#try(act) {
		try {
			act();
		} catch (error) {
			if (this.#file !== void 0) this.#stop(this.#file.phase);
			this.#ports.failed(error);
		}
	}
	#stop(phase) {
		this.#lostPhase = phase;
		this.#leave();
	}
	/** The file is as complete as it gets. */
	#leave() {
		const file = this.#file;
		this.#file = void 0;
		if (file === void 0) return;
		this.#unsure.push(file.path);
		file.close();
	}
};
function stateOf(chunk) {
	const { state } = chunk;
	return {
		state,
		committed: chunk.committed
	};
}
// packages/recording/src/trace/recording-traces.ts
var RecordingTraces = class {
	#directory;
	#counts;
	#level;
	#tell;
	#drains = /* @__PURE__ */ new Set();
	#bytes = /* @__PURE__ */ new Map();
	#isThere = false;
	/** Whether something has been written since it was brought to the disk. */
	#isDirty = false;
	#failures = [];
	/** After how many bytes somebody wants to know. */
	#due = Infinity;
	#nextDue = Infinity;
	constructor(directory, counts, level, tell) {
		this.#directory = directory;
		this.#counts = new TraceCounts(counts);
		this.#level = level;
		this.#tell = tell;
	}
	get isEmpty() {
		return this.#drains.size === 0;
	}
	add(traced) {
		const { port } = traced;
		const drain = new TraceDrain({
			directory: this.#directory,
			level: this.#level,
			counts: this.#counts,
			written: (phase, bytes) => {
				this.#isDirty = true;
				this.#bytes.set(phase, (this.#bytes.get(phase) ?? 0) + bytes);
			},
			stopped: (worker, why) => this.#tell.stopped(worker, why),
			failed: (error) => this.#failures.push(error),
			opening: () => this.#make()
		}, traced);
		this.#drains.add(drain);
		port.on("message", (message) => {
			drain.hear(message);
			this.drain();
		});
		port.on("close", () => {
			drain.lose();
			this.#report();
		});
		this.#report();
	}
	/** Tells when so many bytes have been written since the last snapshot, and again when that took no snapshot and as many have followed. */
	whenDue(bytes) {
		this.#due = this.#nextDue = bytes;
	}
	/** Writes what all workers have committed so far. Never throws. */
	drain() {
		for (const drain of this.#drains) drain.drain();
		this.#report();
		const bytes = this.#count();
		if (bytes < this.#nextDue) return;
		this.#nextDue = bytes + this.#due;
		this.#tell.due();
	}
	/** The same, and it is on the disk when this returns. */
	sync() {
		this.drain();
		for (const drain of this.#drains) {
			drain.sync();
			if (drain.isOver) this.#drains.delete(drain);
		}
		if (this.#isDirty) this.#try(() => makeDurable(join(this.#directory, TRACES)));
		this.#isDirty = false;
		this.#report();
	}
	/** A snapshot is there: what counts from now on is what came since. */
	committed(snapshot) {
		for (const phase of this.#bytes.keys()) if (phase < snapshot) this.#bytes.delete(phase);
		this.#nextDue = this.#due;
		this.#count();
	}
	/** Files that are being written. */
	get open() {
		return new Set([...this.#drains].flatMap(({ path }) => path ?? []));
	}
	/** Nothing comes any more. */
	end() {
		for (const drain of this.#drains) drain.close();
		this.sync();
		this.#drains.clear();
	}
	#make() {
		if (this.#isThere) return;
		this.#try(() => {
			mkdirSync(join(this.#directory, TRACES), {
				recursive: true,
				mode: 448
			});
			makeDurable(this.#directory);
			this.#isThere = true;
		});
	}
	#try(act) {
		try {
			act();
		} catch (error) {
			this.#failures.push(error);
		}
	}
	/** Only when nothing is under way: who is told may end all traces. */
	#report() {
		for (const failure of this.#failures.splice(0)) this.#tell.failed(failure);
	}
	#count() {
		let sum = 0;
		for (const bytes of this.#bytes.values()) sum += bytes;
		this.#counts.sinceSnapshot = sum;
		return sum;
	}
};
// packages/recording/src/writer-thread.ts
/** Modules come one by one while a program starts; a manifest for each would be written hundreds of times. */
const FLUSH_AFTER = 250;
/** How long what a worker has committed may wait before it is written, in milliseconds. A full chunk does not wait. */
const DRAIN_EVERY = 50;
/** Reached by tests; in its thread, it makes itself. */
var WriterThread = class {
	#data;
	#state;
	#tell;
	#recordings = /* @__PURE__ */ new Map();
	#names = /* @__PURE__ */ new Map();
	/** Those whose chunks have not all come. */
	#waiting = /* @__PURE__ */ new Set();
	#hearParent;
	#created = 0;
	/** The system's word for what keeps failing, which has been told. */
	#told;
	#isClosing = false;
	#timer;
	#touching;
	#draining;
	/** @param hearParent hears all that the parent has sent so far */
	constructor(data, tell, hearParent) {
		this.#data = data;
		this.#hearParent = hearParent;
		this.#state = new WriterState(data.state);
		this.#tell = tell;
	}
	hear(message) {
		try {
			this.#do(message);
		} catch (error) {
			this.#fail(error);
		}
		if (message.what === "add") this.#state.count(-message.bytes.length);
		else if (message.what === "module") this.#state.count(-message.text.length);
		this.#commitWaiting();
		if (this.#isClosing && this.#waiting.size === 0) this.#close();
	}
	#do(message) {
		if (message.what === "feed") return void message.port.on("message", (fed) => this.hear(fed));
		if (message.what === "close") {
			this.#isClosing = true;
			return;
		}
		if (message.what === "create") return this.#create(message);
		if (message.what === "flush") {
			this.#ofEach((each) => each.traces.sync());
			return this.#tell({
				what: "flushed",
				number: message.number
			});
		}
		if ((message.what === "add" || message.what === "module") && message.recording > this.#created) this.#hearParent();
		const recording = this.#recordings.get(message.recording);
		if (recording === void 0) {
			if (message.what === "commit") this.#over(message, void 0);
			if (message.what === "trace") message.port.close();
			return;
		}
		switch (message.what) {
			case "add": return recording.add(message.phase, message.worker, message.name, message.bytes);
			case "module":
				recording.addModule(message.url, message.text, message.settings);
				return this.#flushSoon();
			case "update":
				recording.update(message.patch);
				return this.#flushSoon();
			case "begin": return recording.beginSnapshot(message.phase, message.meta);
			case "commit":
				this.#waiting.add(message);
				return;
			case "abandon": return recording.abandon(message.phase);
			case "trace":
				recording.traces.add(message);
				this.#draining ??= setInterval(() => this.#ofEach((each) => each.traces.drain()), 50);
				return;
			case "due": return recording.traces.whenDue(message.bytes);
			case "resume": return recording.resume();
			case "rest": return recording.rest(message.why);
			case "end":
				recording.end(message.why);
				this.#recordings.delete(message.recording);
				return;
			default: return message;
		}
	}
	#create({ recording, name, manifest, counts, isLater }) {
		this.#created = recording;
		if (this.#state.isOff) return;
		const { recordings, snapshotRetention, level, processStart } = this.#data;
		if (this.#names.size === 0) sweep(recordings, processStart);
		this.#names.set(recording, name);
		const directory = join(recordings, name);
		const made = new RecordingWriter(directory, manifest, new RecordingTraces(directory, counts, level ?? 1, {
			failed: (error) => this.#fail(error, true),
			stopped: (worker, why) => this.#stopped(worker, why),
			due: () => this.#tell({
				what: "due",
				recording
			})
		}), {
			retention: snapshotRetention,
			level,
			isLater
		});
		this.#recordings.set(recording, made);
		made.make();
		this.#touching ??= setInterval(() => this.#ofEach((each) => each.touch()), SILENCE / 6);
	}
	#commitWaiting() {
		for (const commit of this.#waiting) {
			const recording = this.#recordings.get(commit.recording);
			if (recording !== void 0 && !recording.has(commit.phase, commit.chunks)) continue;
			this.#waiting.delete(commit);
			let written;
			try {
				written = recording?.commit(commit.phase, commit.meta);
				if (written !== void 0) this.#isWritten(commit.recording);
			} catch (error) {
				this.#fail(error);
			}
			this.#over(commit, written);
		}
	}
	#isWritten(recording) {
		this.#told = void 0;
		this.#makeRoom(recording);
	}
	/** Only behind a commit: as long as a new recording has no snapshot, the last one of an old recording is all there is. */
	#makeRoom(recording) {
		const { recordings, recordingRetention, processStart } = this.#data;
		makeRoom(recordings, recordingRetention, this.#names.get(recording) ?? "", processStart);
	}
	#over({ recording, phase }, written) {
		this.#tell({
			what: "over",
			recording,
			phase,
			written
		});
	}
	#flushSoon() {
		this.#timer ??= setTimeout(() => {
			this.#timer = void 0;
			this.#ofEach((recording) => recording.flush());
		}, FLUSH_AFTER);
	}
	#ofEach(act) {
		try {
			for (const recording of this.#recordings.values()) act(recording);
		} catch (error) {
			this.#fail(error);
		}
	}
	/** @param isTrace whether it is a trace that has a gap now, and what else is being written may still succeed */
	#fail(error, isTrace = false) {
		if (this.#state.isOff) return;
		const code = systemCode(error) ?? "";
		const isOfNone = code === "ENOENT" && [...this.#recordings.values()].some((each) => !each.isThere);
		const isPassing = Object.hasOwn(PASSING, code);
		this.#state.setFailed();
		if (!isPassing) this.#state.turnOff(true);
		if (!isPassing || !isTrace) {
			for (const recording of this.#recordings.values()) recording.abandonAll();
			for (const commit of this.#waiting) this.#over(commit, void 0);
			this.#waiting.clear();
		}
		if (!isPassing) {
			for (const recording of this.#recordings.values()) recording.traces.end();
			this.#recordings.clear();
		}
		if (this.#told !== code && !(isOfNone && this.#told !== void 0)) this.#tell({
			what: "trouble",
			trouble: troubleOf(error, this.#data.recordings, isPassing, isTrace)
		});
		this.#told = code;
	}
	#stopped(worker, why) {
		if (this.#told === why) return;
		this.#told = why;
		const trouble = {
			code: "TT_RECORDING_WRITE",
			message: `the trace of worker ${worker} ends here: ${why}; what came before can be replayed, and another trace begins with the next snapshot`,
			isPassing: true,
			file: void 0,
			cause: void 0
		};
		this.#state.setFailed();
		this.#tell({
			what: "trouble",
			trouble
		});
	}
	#close() {
		clearTimeout(this.#timer);
		this.#isClosing = false;
		clearInterval(this.#touching);
		clearInterval(this.#draining);
		this.#ofEach((recording) => recording.end());
		this.#recordings.clear();
		this.#state.setClosed();
		this.#tell({ what: "closed" });
	}
};
/** What to do about what may be otherwise the next time. */
const PASSING = {
	ENOSPC: "make room on that disk, or set a smaller retention",
	EDQUOT: "raise the quota, or set a smaller retention",
	EFBIG: "raise the limit on the size of files, or set a smaller retention",
	EACCES: "give this user the right to write there, or record elsewhere",
	EPERM: "give this user the right to write there, or record elsewhere",
	EROFS: "record to a disk that can be written to",
	EMFILE: "let the process have more files open",
	ENFILE: "let the machine have more files open"
};
const REMEDIES = {
	...PASSING,
	ENOENT: "do not delete a recording while it is being written",
	ENOTDIR: "have recordings go to a directory",
	EEXIST: "have recordings go to a directory"
};
function troubleOf(error, recordings, isPassing, isTrace) {
	const { path } = error;
	const file = error instanceof RecordingError ? error.file : typeof path === "string" ? path : void 0;
	const why = error instanceof Error ? error.message : String(error);
	const remedy = REMEDIES[systemCode(error) ?? ""] ?? "see the cause";
	const place = file ?? recordings;
	const otherwise = isTrace ? `the trace ends here, nothing more of it can be recorded to ${place}: ${why}; what came before can be replayed, and another trace begins with the next snapshot; ${remedy}` : `nothing can be recorded to ${place}: ${why}; snapshots already there stay usable, each trigger tries again; ${remedy}`;
	return {
		code: "TT_RECORDING_WRITE",
		message: isPassing ? otherwise : `nothing is recorded any more to ${place}: ${why}; snapshots already there stay usable; ${remedy}, then start again`,
		isPassing,
		file,
		cause: error
	};
}
if (parentPort !== null) {
	const port = parentPort;
	const hearParent = () => {
		for (let next = receiveMessageOnPort(port); next !== void 0; next = receiveMessageOnPort(port)) thread.hear(next.message);
	};
	const data = workerData;
	useKey(data.key);
	const thread = new WriterThread(data, (message) => port.postMessage(message), hearParent);
	port.on("message", (message) => thread.hear(message));
}
export { DRAIN_EVERY, WriterThread };
