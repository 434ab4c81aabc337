import "./rolldown-runtime-C7kxIl-Z.js";
const CODES = Uint8Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", (digit) => digit.charCodeAt(0));
const VALUES = /* @__PURE__ */ new Uint8Array(128);
for (let value = 0; value < 64; value++) VALUES[CODES[value]] = value;
const COMMA = 44;
const SEMICOLON = 59;
/** Base64 VLQ numbers, commas and semicolons, as source maps have them. */
var VlqText = class {
	#bytes = /* @__PURE__ */ new Uint8Array(4096);
	#length = 0;
	punctuate(code) {
		this.#reserve(1);
		this.#bytes[this.#length++] = code;
	}
	number(value) {
		this.#reserve(7);
		const bytes = this.#bytes;
		let at = this.#length;
		let rest = value < 0 ? -value << 1 | 1 : value << 1;
		while (rest >= 32) {
			bytes[at++] = CODES[rest & 31 | 32];
			rest >>>= 5;
		}
		bytes[at++] = CODES[rest];
		this.#length = at;
	}
	text() {
		let end = this.#length;
		while (end > 0 && this.#bytes[end - 1] === SEMICOLON) end--;
		return new TextDecoder("latin1").decode(this.#bytes.subarray(0, end));
	}
	#reserve(more) {
		if (this.#length + more <= this.#bytes.length) return;
		const larger = new Uint8Array(this.#bytes.length * 2);
		larger.set(this.#bytes);
		this.#bytes = larger;
	}
};
/** Each span as what was emitted before it, what of the source was left out before it, and its length. */
function encodeSpans(spans) {
	const text = new VlqText();
	let generatedEnd = 0;
	let sourceEnd = 0;
	for (let i = 0; i < spans.length; i += 3) {
		const generated = spans[i];
		const start = spans[i + 1];
		const length = spans[i + 2];
		text.number(generated - generatedEnd);
		text.number(start - sourceEnd);
		text.number(length);
		generatedEnd = generated + length;
		sourceEnd = start + length;
	}
	return text.text();
}
function decodeSpans(text) {
	const spans = [];
	let at = 0;
	const number = () => {
		let value = 0;
		for (let shift = 0;; shift += 5) {
			const digit = VALUES[text.charCodeAt(at++)];
			value |= (digit & 31) << shift;
			if (digit < 32) return (value & 1) === 1 ? -(value >>> 1) : value >>> 1;
		}
	};
	let generatedEnd = 0;
	let sourceEnd = 0;
	while (at < text.length) {
		const generated = generatedEnd + number();
		const start = sourceEnd + number();
		const length = number();
		spans.push(generated, start, length);
		generatedEnd = generated + length;
		sourceEnd = start + length;
	}
	return spans;
}
/** `spans`: those of flattened code, or their text. `path` names the source. */
function sourceMap(code, spans, source, path) {
	return {
		version: 3,
		file: path,
		names: [],
		sources: [path],
		sourcesContent: [source],
		mappings: encodeMappings(code, typeof spans === "string" ? decodeSpans(spans) : spans, source)
	};
}
/** The map of code that was transformed before; `source` is the text that it was transformed from. */
function readMap(mapText, code, source, path) {
	return mapText.startsWith("{") ? JSON.parse(mapText) : sourceMap(code, mapText, source, path);
}
const WORD = /[\w$]+|\n|[([]/g;
function encodeMappings(code, spans, source) {
	const text = new VlqText();
	const lineStarts = [0];
	for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) lineStarts.push(at + 1);
	let lineStart = 0;
	let nextBreak = code.indexOf("\n");
	let isFirstInLine = true;
	let lastColumn = 0;
	let lastLine = 0;
	let lastSourceColumn = 0;
	let line = 0;
	/** Ends all lines before an offset of the code. */
	const breakLinesBefore = (offset) => {
		while (nextBreak !== -1 && nextBreak < offset) {
			text.punctuate(SEMICOLON);
			lineStart = nextBreak + 1;
			nextBreak = code.indexOf("\n", lineStart);
			isFirstInLine = true;
			lastColumn = 0;
		}
	};
	const segment = (generated, offset) => {
		breakLinesBefore(generated);
		while (line > 0 && lineStarts[line] > offset) line--;
		while (line + 1 < lineStarts.length && lineStarts[line + 1] <= offset) line++;
		const sourceColumn = offset - lineStarts[line];
		if (!isFirstInLine && line === lastLine && sourceColumn === lastSourceColumn) return;
		if (!isFirstInLine) text.punctuate(COMMA);
		const column = generated - lineStart;
		text.number(column - lastColumn);
		text.number(0);
		text.number(line - lastLine);
		text.number(sourceColumn - lastSourceColumn);
		isFirstInLine = false;
		lastColumn = column;
		lastLine = line;
		lastSourceColumn = sourceColumn;
	};
	for (let i = 0; i < spans.length; i += 3) {
		const generated = spans[i];
		const start = spans[i + 1];
		const length = spans[i + 2];
		segment(generated, start);
		if (length === 0) continue;
		const part = source.slice(start, start + length);
		WORD.lastIndex = 0;
		for (let match = WORD.exec(part); match !== null; match = WORD.exec(part)) {
			const at = match[0] === "\n" ? match.index + 1 : match.index;
			segment(generated + at, start + at);
		}
	}
	return text.text();
}
export { encodeSpans, readMap, sourceMap };
