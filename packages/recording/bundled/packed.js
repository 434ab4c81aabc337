import "./rolldown-runtime-C7kxIl-Z.js";
import { A as TRACES, B as tracePath, C as writeAll, D as MANIFEST, F as recordingName, I as snapshotName, M as parseSnapshotName, N as parseSourceName, O as SNAPSHOTS, P as parseTraceName, U as rawSource, V as fileSource, W as readWhole, _t as RecordingError, at as deflated, bt as misuse, dt as viewOf, ft as MANIFEST_LIMIT, g as phasesIn, h as namesIn, ht as encodeManifest, j as parseRecordingName, k as SOURCES, lt as inflated, pt as decodeManifest, ut as safe, vt as damaged, w as writeWhole, x as WholeFile, y as segmentsIn, yt as missing, z as traceName } from "./trace-format-QHleBwc9.js";
import { SOURCES as SOURCES$1 } from "./trace-sources.js";
import { n as TraceEncoder, t as Pen } from "./pen-CIHUO1p5.js";
import { t as SegmentFile } from "./segment-file-CBNuPxmF.js";
const { closeSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, statSync, statfsSync } = process.getBuiltinModule("node:fs");
const { createHash } = process.getBuiltinModule("node:crypto");
const { crc32 } = process.getBuiltinModule("node:zlib");
const { join } = process.getBuiltinModule("node:path");
const { setImmediate } = process.getBuiltinModule("node:timers/promises");
/** Content of one block as our writer makes them. */
const PACKED_BLOCK = 1 << 20;
const MAGIC = "TTRP";
const ZSTD = 1;
/** Smaller than the source files that there are most of. */
const WORTH_COMPRESSING = 64;
function encodePackedHeader() {
	const bytes = Buffer.alloc(12);
	bytes.write(MAGIC, 0, "latin1");
	bytes.writeUInt16LE(1, 4);
	bytes.writeUInt32LE(crc32(bytes.subarray(0, 8)), 8);
	return bytes;
}
function isPackedHeader(bytes) {
	return viewOf(bytes).toString("latin1", 0, 4) === MAGIC;
}
function checkPackedHeader(bytes, file) {
	const header = viewOf(bytes);
	if (!isPackedHeader(bytes)) throw other(file, 0, `is not a packed recording: it does not begin with ${MAGIC}`);
	const version = header.readUInt16LE(4);
	if (version !== 1) throw other(file, 4, `is packed in format ${version}, this Turntable reads format 1`);
	if (crc32(header.subarray(0, 8)) !== header.readUInt32LE(8)) throw damagedPack(file, 8, "the checksum of the header");
	if (header.readUInt16LE(6) !== 0) throw other(file, 6, "uses features that this version does not know");
}
/** @param place how many bytes of content the blocks before hold */
function encodePackedBlock(content, place, level) {
	const { payload, isSmaller } = content.length < WORTH_COMPRESSING ? {
		payload: content,
		isSmaller: false
	} : deflated(content, level);
	const head = Buffer.alloc(28);
	head.writeUInt8(isSmaller ? ZSTD : 0, 0);
	head.writeUInt32LE(payload.length, 4);
	head.writeUInt32LE(content.length, 8);
	head.writeBigUInt64LE(BigInt(place), 12);
	head.writeUInt32LE(crc32(payload), 20);
	head.writeUInt32LE(crc32(head.subarray(0, 24)), 24);
	return [head, payload];
}
/** @param at where the head is, @param place as when it was written */
function decodePackedBlock(bytes, file, at, place) {
	const head = viewOf(bytes);
	if (crc32(head.subarray(0, 24)) !== head.readUInt32LE(24)) throw damagedPack(file, at + 24, "the checksum of the head of a block");
	const compression = head.readUInt8(0);
	const [stored, length] = [head.readUInt32LE(4), head.readUInt32LE(8)];
	if (!(compression <= ZSTD && head.readUIntLE(1, 3) === 0 && length > 0 && length <= (place === 0 ? 67108864 : 16777216) && (compression === ZSTD ? stored < length : stored === length))) throw damagedPack(file, at, "the head of a block");
	if (safe(head.readBigUInt64LE(12), file, at + 12) !== place) throw damagedPack(file, at + 12, `the block of content from byte ${place} on`);
	return {
		isCompressed: compression === ZSTD,
		stored,
		length,
		checksum: head.readUInt32LE(20)
	};
}
/** What a block holds. Takes as much memory as its head says, whatever the payload says. */
function contentOfPackedBlock(block, payload, file, at) {
	if (crc32(payload) !== block.checksum) throw damagedPack(file, at + 20, "the checksum of a block");
	return block.isCompressed ? inflated(payload, block.length, file, at + 28) : payload;
}
function encodeDirectory(files) {
	return Buffer.from(JSON.stringify(files.map(({ name, length }) => [name, length])));
}
/** The manifest first, and nothing that is no file of a recording: what a name says is where something is going to be written. */
function decodeDirectory(bytes, file) {
	const at = 40;
	let list;
	try {
		list = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch (error) {
		throw damagedPack(file, at, "JSON in UTF-8", error);
	}
	if (!Array.isArray(list)) throw damagedPack(file, at, "a list of files");
	const names = /* @__PURE__ */ new Set();
	let sum = 0;
	const files = list.map((each, i) => {
		const [name, length] = Array.isArray(each) && each.length === 2 ? each : [];
		if (typeof name !== "string" || !Number.isSafeInteger(length) || length < 0) throw damagedPack(file, at, `a name and a length as number ${i} of the list of files`);
		if (names.has(name) || !(i === 0 ? name === "manifest.json" : isFileOfRecording(name))) throw damagedPack(file, at, `the name of a file of a recording, not ${JSON.stringify(name.slice(0, 200))}`);
		names.add(name);
		sum += length;
		return {
			name,
			length
		};
	});
	if (files.length === 0) throw damagedPack(file, at, "a manifest");
	if (!Number.isSafeInteger(sum)) throw damagedPack(file, at, "files of less than 2^53 bytes");
	return files;
}
/** Names that are written nowhere but into a recording. */
function isFileOfRecording(path) {
	const [directory, name, ...rest] = path.split("/");
	if (name === void 0 || rest.length > 0) return false;
	if (directory === "sources") return parseSourceName(name) !== void 0;
	if (directory === "snapshots") return parseSnapshotName(name) !== void 0;
	return directory === "traces" && parseTraceName(name) !== void 0;
}
function damagedPack(file, offset, expected, cause) {
	return damaged(file, offset, expected, cause, "get it again from where it was packed");
}
function other(file, offset, why) {
	return new RecordingError("TT_RECORDING_VERSION", `${file} ${why}; unpack it with the version that packed it`, {
		file,
		offset
	});
}
// packages/recording/src/packed/packed-reader.ts
const NOTHING = /* @__PURE__ */ new Uint8Array(0);
var PackedReader = class {
	#source;
	#hash = createHash("sha256");
	#at = 0;
	#place = 0;
	/** In their order: the manifest is the first. */
	files;
	/** Bytes of all files. */
	length;
	/** @throws {RecordingError} and closes the source */
	constructor(source) {
		this.#source = source;
		try {
			checkPackedHeader(this.#next(12), source.name);
			this.files = decodeDirectory(this.#block(), source.name);
		} catch (error) {
			source.close();
			throw error;
		}
		this.length = this.files.reduce((sum, { length }) => sum + length, 0);
	}
	/** Once: the files, each in as many pieces as it takes. Closes the source. */
	*pieces() {
		try {
			for (const file of this.files) {
				let left = file.length;
				if (left === 0) yield {
					file,
					bytes: NOTHING,
					isLast: true
				};
				while (left > 0) {
					const at = this.#at;
					const bytes = this.#block();
					if (bytes.length > left) throw damagedPack(this.#source.name, at, `at most ${left} bytes of ${file.name}`);
					left -= bytes.length;
					yield {
						file,
						bytes,
						isLast: left === 0
					};
				}
			}
			this.#finish();
		} finally {
			this.close();
		}
	}
	close() {
		this.#source.close();
	}
	#finish() {
		const { name, size } = this.#source;
		const digest = this.#hash.digest();
		const at = this.#at;
		if (size < at + 32) throw damagedPack(name, size, "the digest of all: the file is cut off");
		if (size > at + 32) throw damagedPack(name, at + 32, "the end of the file");
		if (!digest.equals(this.#source.read(at, 32))) throw damagedPack(name, at, "the digest of all that is before it");
	}
	#block() {
		const { name } = this.#source;
		const at = this.#at;
		const block = decodePackedBlock(this.#next(28), name, at, this.#place);
		const content = contentOfPackedBlock(block, this.#next(block.stored), name, at);
		this.#place += content.length;
		return content;
	}
	#next(length) {
		const { name, size } = this.#source;
		if (this.#at + length > size) throw damagedPack(name, size, `${this.#at + length - size} more bytes: the file is cut off`);
		const bytes = this.#source.read(this.#at, length);
		this.#hash.update(bytes);
		this.#at += length;
		return bytes;
	}
};
// packages/recording/src/packed/described.ts
/** @throws {RecordingError} if the file does not begin as one; what comes behind its manifest is not looked at */
function describePacked(file) {
	const reader = new PackedReader(fileSource(file));
	const parts = [];
	for (const { file: each, bytes, isLast } of reader.pieces()) {
		if (each.name !== "manifest.json") break;
		parts.push(bytes);
		if (isLast) break;
	}
	if (parts.length === 0) throw damagedPack(file, 0, `the file ${MANIFEST}`);
	const phasesOf = (place, phaseIn) => {
		const names = reader.files.flatMap(({ name }) => name.startsWith(`${place}/`) ? name.slice(place.length + 1) : []);
		return [...new Set(names.flatMap((name) => phaseIn(name) ?? []))].toSorted((a, b) => a - b);
	};
	return {
		manifest: decodeManifest(Buffer.concat(parts), file),
		snapshots: phasesOf(SNAPSHOTS, parseSnapshotName),
		traces: phasesOf(TRACES, (name) => parseTraceName(name)?.phase)
	};
}
// packages/recording/src/packed/pack.ts
/** What is packed is mostly compressed already, and is to be sent about: it may take a little longer. */
const LEVEL = 6;
/** Bytes between two looks of the process at what else there is. */
const STRETCH$1 = 16 << 20;
/** @throws {RecordingError} if the recording cannot be read, or the file is there already */
async function packRecording(directory, file, told = () => {}) {
	if (existsSync(file)) throw misuse(`${file} is there already; name another file, or remove it`);
	const grown = [...tracesIn(directory), ...snapshotsIn(directory)];
	const manifest = readWhole(join(directory, MANIFEST), MANIFEST_LIMIT);
	decodeManifest(manifest, join(directory, MANIFEST));
	const files = [
		{
			name: MANIFEST,
			length: manifest.length
		},
		...sourcesIn(directory),
		...grown
	];
	const length = files.reduce((sum, each) => sum + each.length, 0);
	const output = new PackedOutput(file);
	try {
		output.add(encodeDirectory(files));
		output.add(manifest);
		let [done, rested] = [manifest.length, 0];
		for (const each of files.slice(1)) for (const bytes of contentOf(directory, each)) {
			output.add(bytes);
			done += bytes.length;
			told(done, length);
			if (done - rested < STRETCH$1) continue;
			rested = done;
			await setImmediate();
		}
		return {
			file,
			files: files.length,
			length,
			bytes: output.end()
		};
	} catch (error) {
		output.abandon();
		throw error;
	}
}
var PackedOutput = class {
	#file;
	#hash = createHash("sha256");
	#place = 0;
	#bytes = 0;
	constructor(path) {
		this.#file = new WholeFile(path);
		this.#write(encodePackedHeader());
	}
	add(content) {
		for (const piece of encodePackedBlock(content, this.#place, LEVEL)) this.#write(piece);
		this.#place += content.length;
	}
	/** How many bytes that are, all together. */
	end() {
		this.#write(this.#hash.digest(), false);
		this.#file.commit();
		return this.#bytes;
	}
	abandon() {
		this.#file.abandon();
	}
	#write(bytes, counts = true) {
		if (counts) this.#hash.update(bytes);
		this.#file.write(bytes);
		this.#bytes += bytes.length;
	}
};
function tracesIn(directory) {
	return segmentsIn(directory).flatMap((segment) => sized(directory, `${TRACES}/${traceName(segment)}`));
}
function snapshotsIn(directory) {
	return phasesIn(directory).flatMap((phase) => sized(directory, `${SNAPSHOTS}/${snapshotName(phase)}`));
}
function sourcesIn(directory) {
	return namesIn(join(directory, SOURCES)).toSorted().flatMap((name) => parseSourceName(name) === void 0 ? [] : sized(directory, `${SOURCES}/${name}`));
}
/** Nothing, if it has just been deleted. */
function sized(directory, name) {
	const stat = statSync(join(directory, name), { throwIfNoEntry: false });
	return stat === void 0 ? [] : [{
		name,
		length: stat.size
	}];
}
function* contentOf(directory, { name, length }) {
	const path = join(directory, name);
	let source;
	try {
		source = rawSource(path);
	} catch (error) {
		if (!(error instanceof RecordingError && error.code === "TT_RECORDING_MISSING")) throw error;
		throw missing(path, "it has just been deleted to make room", "pack it again, or when the program has ended", error);
	}
	try {
		for (let at = 0; at < length; at += PACKED_BLOCK) yield source.read(at, Math.min(PACKED_BLOCK, length - at));
	} finally {
		source.close();
	}
}
// packages/recording/src/packed/redaction.ts
const REDACTED = "[redacted]";
/** In bytes each of what is taken out becomes this, so that there are as many. */
const BLACK = 42;
/** A shorter text stands for itself in too many places to be taken out of all of them. */
const TELLING = 6;
var Redaction = class {
	names;
	#lower;
	/** Values that are written out behind a name, which is in a group. */
	#written;
	#patterns;
	/** Texts that are what a name stands for, by what they look like. */
	#shapes;
	#isAll;
	#secrets = /* @__PURE__ */ new Set();
	#sorted;
	/** `wanted`: names of whatever case, patterns (`/sk_live_\w+/`), `*` for all texts and bytes. */
	constructor(wanted) {
		this.names = wanted;
		const patterns = wanted.filter((each) => PATTERN.test(each));
		const names = wanted.filter((each) => each !== ALL && !PATTERN.test(each)).map((name) => name.toLowerCase());
		if (wanted.length === 0 || names.includes("")) throw misuse("nothing is named that is to be redacted");
		this.#isAll = wanted.includes(ALL);
		this.#lower = new Set(names);
		this.#written = names.length === 0 ? void 0 : writtenOut(names);
		this.#patterns = patterns.map((each) => patternOf(each));
		this.#shapes = names.flatMap((name) => Object.hasOwn(SHAPES, name) ? SHAPES[name] ?? [] : []);
	}
	/** Learns what stands in a recording under the names. @throws {RecordingError} if a trace is damaged */
	learnAll(recording) {
		this.learn(openOf(recording.manifest));
		for (const { worker, life } of recording.traces()) {
			const trace = recording.trace(worker, life);
			try {
				for (let { next } = trace; next !== void 0; {next} = trace) {
					if ("value" in next) this.learn(next.value);
					trace.take();
				}
			} finally {
				trace.close();
			}
		}
	}
	learn(value) {
		this.#walk(value, (found) => this.#learnTexts(found));
		this.#sorted = void 0;
	}
	value(value) {
		if (typeof value === "string") return this.text(value);
		if (typeof value !== "object" || value === null) return value;
		if (value instanceof Uint8Array) return this.#bytes(value);
		if (Array.isArray(value)) return value.map((each, i) => this.#isNamedIn(value, i) ? REDACTED : this.value(each));
		const object = {};
		for (const [key, each] of Object.entries(value)) Object.defineProperty(object, key, {
			value: this.#isNamed(key) ? REDACTED : this.value(each),
			writable: true,
			enumerable: true,
			configurable: true
		});
		return object;
	}
	text(text) {
		if (this.#isAll || this.#shapes.some((shape) => shape.test(text))) return REDACTED;
		let redacted = text;
		if (this.#written !== void 0) redacted = redacted.replaceAll(this.#written, (...match) => `${before(match)}${REDACTED}`);
		for (const pattern of this.#patterns) redacted = redacted.replaceAll(pattern, REDACTED);
		for (const secret of this.#known) redacted = redacted.replaceAll(secret, REDACTED);
		return redacted;
	}
	event(event) {
		switch (event.what) {
			case "messages": return event;
			case "happened": return {
				...event,
				key: this.#isAll ? event.key : this.text(event.key),
				value: this.value(event.value)
			};
			case "entry": return {
				...event,
				value: this.value(event.value)
			};
			case "outcome": return {
				...event,
				value: this.#answer(event.source, event.value)
			};
		}
	}
	/** Says in it that it has been done. */
	manifest(manifest) {
		const open = this.value(openOf(manifest));
		return {
			...manifest,
			...open,
			notes: open.notes,
			redacted: [...this.names]
		};
	}
	/** What was asked of the machine is a function of Node's. */
	#answer(source, value) {
		if (source !== SOURCES$1.machine || !Array.isArray(value)) return this.value(value);
		const [asked, ...rest] = value;
		return [asked, ...rest.map((each) => this.value(each))];
	}
	get #known() {
		return this.#sorted ??= [...this.#secrets].toSorted((one, other) => other.length - one.length);
	}
	#isNamed(name) {
		return typeof name === "string" && name.length < 1e3 && this.#lower.has(name.replace(/^--?/, "").toLowerCase());
	}
	/** Behind its name; or, in what was read off an object of the outside, before it: two numbers, the value, and its name. */
	#isNamedIn(list, i) {
		if (this.#isNamed(list[i - 1])) return true;
		const [one, other] = list;
		return i === 2 && list.length === 4 && typeof one === "number" && typeof other === "number" && this.#isNamed(list[3]);
	}
	#walk(value, found) {
		if (typeof value === "string") this.#walkText(value, found);
		else if (value instanceof Uint8Array) this.#walkText(Buffer.from(value).toString("latin1"), found);
		else if (Array.isArray(value)) for (const [i, each] of value.entries()) if (this.#isNamedIn(value, i)) found(each);
		else this.#walk(each, found);
		else if (typeof value === "object" && value !== null) for (const [key, each] of Object.entries(value)) if (this.#isNamed(key)) found(each);
		else this.#walk(each, found);
	}
	#walkText(text, found) {
		if (this.#shapes.some((shape) => shape.test(text))) found(text);
		for (const [start, end] of this.#places(text)) found(text.slice(start, end));
	}
	/** Where in a text something stands that is to go. */
	*#places(text) {
		if (this.#written !== void 0) for (const match of text.matchAll(this.#written)) yield [match.index + before(match).length, match.index + match[0].length];
		for (const pattern of this.#patterns) for (const match of text.matchAll(pattern)) yield [match.index, match.index + match[0].length];
	}
	#learnTexts(value) {
		if (typeof value === "string") {
			if (value.length >= TELLING && value !== "[redacted]") this.#secrets.add(value);
		} else if (Array.isArray(value)) for (const each of value) this.#learnTexts(each);
		else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) for (const each of Object.values(value)) this.#learnTexts(each);
	}
	#bytes(bytes) {
		const copy = Buffer.from(bytes);
		const text = copy.toString("latin1");
		if (this.#isAll || this.#shapes.some((shape) => shape.test(text))) return new Uint8Array(copy.fill(BLACK));
		for (const [start, end] of this.#places(text)) copy.fill(BLACK, start, end);
		for (const secret of this.#known) for (const encoding of ["utf8", "utf16le"]) {
			const wanted = Buffer.from(secret, encoding);
			for (let at = copy.indexOf(wanted); at !== -1; at = copy.indexOf(wanted, at + wanted.length)) copy.fill(BLACK, at, at + wanted.length);
		}
		return new Uint8Array(copy);
	}
};
function openOf({ argv, execArgv, env, devices, notes }) {
	return {
		argv,
		execArgv,
		env,
		devices,
		notes
	};
}
const ALL = "*";
const PATTERN = /^\/(.+)\/([a-z]*)$/s;
function patternOf(text) {
	const [, source = "", flags = ""] = PATTERN.exec(text) ?? [];
	try {
		return new RegExp(source, flags.includes("g") ? flags : `${flags}g`);
	} catch (error) {
		throw misuse(`${text} is no regular expression: ${error.message}`);
	}
}
const CREDENTIALS = /^(?:basic|bearer|digest|negotiate|ntlm|token|aws4-hmac-sha256) +\S/i;
const COOKIES = /^[^\s=;,"]+=[^;\r\n]*(?:; *[^\s=;,"]+(?:=[^;\r\n]*)?)*$/;
/** What the values of headers look like that are mostly meant. */
const SHAPES = {
	authorization: CREDENTIALS,
	"proxy-authorization": CREDENTIALS,
	cookie: COOKIES,
	"set-cookie": COOKIES
};
/** What of a match stays: the name and what is between it and the value. */
function before([, header, json, parameter]) {
	return header ?? json ?? parameter ?? "";
}
/** A line of a header, a member of an object in JSON, a parameter: what stands before the value is in one of the groups. */
function writtenOut(names) {
	const any = names.map((name) => name.replaceAll(/[$()*+./?[\\\]^{|}]/g, "\\$&")).join("|");
	const header = `((?<=^|[\\r\\n])(?:${any}):[ \\t]*)[^\\r\\n]+`;
	const json = `("(?:${any})"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*(?=")`;
	const parameter = `((?<![\\w-])(?:--?)?(?:${any})=)[^\\s&;"']+`;
	return new RegExp(`${header}|${json}|${parameter}`, "gi");
}
// packages/recording/src/packed/redacted.ts
/** Makes `into`, which must not be there. @throws {RecordingError} if a trace is damaged, before anything is written */
function redactRecording(recording, into, redaction) {
	redaction.learnAll(recording);
	for (const place of [
		into,
		join(into, SOURCES),
		join(into, TRACES)
	]) mkdirSync(place, { mode: 448 });
	writeWhole(join(into, MANIFEST), encodeManifest(redaction.manifest(recording.manifest)), false);
	for (const name of namesIn(join(recording.directory, SOURCES))) if (parseSourceName(name) !== void 0) copyFileSync(join(recording.directory, SOURCES, name), join(into, SOURCES, name));
	for (const each of recording.traces()) redactTrace(recording, each, into, redaction);
}
function redactTrace(recording, { worker, life }, into, redaction) {
	const trace = recording.trace(worker, life);
	const open = (phase) => new Segment(into, {
		phase,
		worker,
		life
	});
	let segment;
	try {
		segment = open(trace.phase);
		for (let { next } = trace; next !== void 0; {next} = trace) {
			if (trace.phase !== segment.phase) {
				segment.end(trace.phase);
				segment = open(trace.phase);
			}
			segment.add(redaction.event(next));
			trace.take();
		}
		if (trace.phase !== segment.phase) {
			segment.end(trace.phase);
			segment = open(trace.phase);
		}
		if (trace.end === "ended") segment.end(void 0);
		else segment.cutOff();
	} finally {
		segment?.close();
		trace.close();
	}
}
/** Bytes of events that are written at once. */
const PIECE = 1 << 18;
var Segment = class {
	phase;
	#file;
	#pen;
	#encoder;
	#piece = new Uint8Array(PIECE);
	#isOpen = true;
	constructor(directory, segment) {
		this.phase = segment.phase;
		this.#file = new SegmentFile(tracePath(directory, segment), segment, 1);
		this.#pen = new Pen(this, this.#piece);
		this.#encoder = new TraceEncoder(this.#pen);
	}
	add(event) {
		const encoder = this.#encoder;
		if (event.what === "messages") encoder.messages(event.round, event.turns, event.worker, event.count);
		else if (event.what === "happened") encoder.happened(event.round, event.turns, event.kind, event.key, event.value);
		else if (event.what === "entry") encoder.entry(event.round, event.step, event.source, event.id, event.value);
		else encoder.outcome(event.source, event.value);
	}
	end(next) {
		this.#flush(this.#pen.length);
		this.#file.mark(next);
		this.close();
	}
	/** As it does where it was cut off. */
	cutOff() {
		this.#flush(this.#pen.length);
		this.close();
	}
	close() {
		if (this.#isOpen) this.#file.close();
		this.#isOpen = false;
	}
	next(length, least) {
		this.#flush(length);
		return this.#piece = new Uint8Array(Math.max(PIECE, least));
	}
	/** Of the pen: an event has become too large. */
	stop(_length, why) {
		throw new RecordingError("TT_RECORDING_USE", `a redacted event cannot be written: ${why}`);
	}
	#flush(length) {
		if (length > 0) this.#file.add(this.#piece.subarray(0, length));
	}
};
// packages/recording/src/packed/unpack.ts
/** Bytes between two looks of the process at what else there is. */
const STRETCH = 16 << 20;
/** Whether a file is one; nothing of it is checked but how it begins. */
function isPacked(file) {
	try {
		const source = fileSource(file);
		try {
			return source.size >= 12 && isPackedHeader(source.read(0, 12));
		} finally {
			source.close();
		}
	} catch {
		return false;
	}
}
/**
* Makes the recording, under the name it had, in a directory of recordings.
* @throws {RecordingError} if the file is no whole one, or the recording is there already
*/
async function unpackRecording(file, recordings, told = () => {}) {
	const reader = new PackedReader(fileSource(file));
	mkdirSync(recordings, {
		recursive: true,
		mode: 448
	});
	let temporary;
	try {
		checkRoom(file, reader.length, recordings);
		const pieces = reader.pieces();
		const manifest = manifestIn(pieces, file);
		const directory = join(recordings, nameOf(manifest, file));
		if (existsSync(directory)) throw misuse(`${directory} is there already; unpack it elsewhere, or remove it`);
		temporary = mkdtempSync(join(recordings, ".unpacking-"));
		await write(temporary, manifest, pieces, (done) => told(done, reader.length));
		renameSync(temporary, directory);
		return {
			directory,
			files: reader.files.length,
			bytes: reader.length
		};
	} catch (error) {
		if (temporary !== void 0) rmSync(temporary, {
			recursive: true,
			force: true
		});
		throw error;
	} finally {
		reader.close();
	}
}
function checkRoom(file, length, recordings) {
	const { bavail, bsize } = statfsSync(recordings);
	if (length <= bavail * bsize) return;
	throw new RecordingError("TT_RECORDING_TOO_LARGE", `${file} holds ${length} bytes, and ${recordings} has room for ${bavail * bsize}; make room, or unpack it elsewhere`, { file });
}
/** The first of the files. */
function manifestIn(pieces, file) {
	const parts = [];
	for (let length = 0;;) {
		const { value } = pieces.next();
		if (value === void 0) throw damagedPack(file, 12, "a manifest");
		const { bytes, isLast } = value;
		parts.push(bytes);
		length += bytes.length;
		if (length > 67108864) throw damagedPack(file, 12, `a manifest of at most ${MANIFEST_LIMIT} bytes`);
		if (isLast) return Buffer.concat(parts);
	}
}
function nameOf(manifest, file) {
	const { created, pid } = decodeManifest(manifest, join(file, MANIFEST));
	const name = recordingName(new Date(created), pid);
	if (parseRecordingName(name) === void 0) throw damagedPack(file, 12, "a recording of our time");
	return name;
}
async function write(directory, manifest, pieces, told) {
	for (const place of [
		SOURCES,
		SNAPSHOTS,
		TRACES
	]) mkdirSync(join(directory, place), { mode: 448 });
	let descriptor;
	let [done, rested] = [manifest.length, 0];
	try {
		descriptor = create(join(directory, MANIFEST));
		writeAll(descriptor, manifest);
		closeSync(descriptor);
		descriptor = void 0;
		for (const { file, bytes, isLast } of pieces) {
			descriptor ??= create(join(directory, file.name));
			writeAll(descriptor, bytes);
			if (isLast) {
				closeSync(descriptor);
				descriptor = void 0;
			}
			done += bytes.length;
			told(done);
			if (done - rested < STRETCH) continue;
			rested = done;
			await setImmediate();
		}
	} finally {
		if (descriptor !== void 0) closeSync(descriptor);
	}
}
function create(path) {
	return openSync(path, "wx", 384);
}
export { REDACTED, Redaction, describePacked, isPacked, packRecording, redactRecording, unpackRecording };
