import { n as decodeState } from "./container-BkBZVpB8.js";
import { t as TIMER_FIELDS } from "./timer-objects-CbhHBz0y.js";
import { c as CodeLoader, h as transformer, m as runtimeTransform, o as lineIn, p as CodeCache, r as hashOfCode, s as lineStarts } from "./compare-CsEQbnfi.js";
import { c as opName, i as OP, l as opText, r as MICROTASK, t as FORM } from "./crossing-DP3680iQ.js";
const { fileURLToPath } = process.getBuiltinModule("node:url");
const { inspect } = process.getBuiltinModule("node:util");
import { TraceMap, originalPositionFor } from "@jridgewell/trace-mapping";
import { objectOf, readInert } from "@turntable/heap/inert";
// packages/loader/src/state/inert-state.ts
/** Parts of the base that say nothing to anybody, or are told otherwise. */
const LEFT_OUT = /* @__PURE__ */ new Set([
	"records",
	"process",
	"bindings"
]);
function readInertState(bytes, texts, adapters, sizes) {
	const { head, heap } = decodeState(bytes);
	const records = /* @__PURE__ */ new Map();
	const modules = head.records.map((record) => {
		const [url] = record.key.split("\n");
		const module = objectOf("Module", {
			url,
			status: record.status
		});
		records.set(module, record);
		return module;
	});
	const { roots, changes, placeOf } = readInert(heap, {
		...sizes && { sizes },
		texts: texts.of((module) => records.get(module)),
		adapters: [
			modulesOf(modules, (module) => texts.variablesOf(records.get(module))),
			fields("module objects", ["Module object"], ["id"], ["parent"]),
			fields("timers", ["Timeout", "Immediate"], [], TIMER_FIELDS),
			...adapters,
			errors(),
			pairs("headers and forms", ["Headers", "FormData"]),
			fields("channels", ["Channel", "TracingChannel"], ["name"], ["subscribers", "stores"]),
			pairs("async resources", ["AsyncResource"]),
			fields("rejection handlers", ["RejectionHandler"], [], []),
			fields("require functions", [
				"require",
				"require.resolve",
				"require.resolve.paths"
			], ["module"], []),
			handlesOf(head),
			handlesOf(head)
		]
	});
	const [base, , ...pieces] = roots;
	return {
		node: head.node,
		main: head.main,
		cwd: head.cwd,
		modules: modules.filter((module) => "exports" in module),
		base: Object.fromEntries(Object.entries(base?.value ?? {}).filter(([name]) => !LEFT_OUT.has(name))),
		baseBytes: base?.bytes ?? 0,
		pieces,
		changes,
		placeOf
	};
}
/** Objects of kinds whose header and contents have names. */
function fields(name, kinds, header, contents) {
	const assign = (object, names, values) => {
		values.forEach((value, i) => object[names[i] ?? `${i}`] = value);
	};
	return {
		name,
		allocate(kind, values) {
			const object = objectOf(kinds[kind] ?? name);
			assign(object, header, values);
			return object;
		},
		fill: (object, _, values) => assign(object, contents, values)
	};
}
function pairs(name, kinds) {
	return {
		name,
		allocate: (kind) => objectOf(kinds[kind] ?? name),
		fill(object, _, contents) {
			const entries = [];
			for (let i = 0; i + 1 < contents.length; i += 2) entries.push([contents[i], contents[i + 1]]);
			Object.assign(object, { entries });
		}
	};
}
/** Prototypes of Node's errors, whose names end with a code. */
function errors() {
	return {
		name: "prototypes of Node’s errors",
		allocate: (_, header) => objectOf("ErrorPrototype", { header }),
		fill: () => void 0
	};
}
const FIRST_CELL = 6;
function modulesOf(modules, variablesOf) {
	return {
		name: "modules",
		allocate(_, [number]) {
			const module = modules[number];
			if (module === void 0) throw new TypeError(`the program has no module ${String(number)}`);
			return module;
		},
		fill(module, _, contents) {
			if (contents.length === 0) return;
			const [failure, completion, , parameters, , names] = contents;
			if (!Array.isArray(names)) throw new TypeError("a module has a list of exports");
			return () => {
				const variables = variablesOf(module);
				const exported = namedValues(names, contents.slice(FIRST_CELL, FIRST_CELL + names.length));
				const values = contents.slice(FIRST_CELL + names.length);
				const own = namedValues(values.map((_value, i) => variables[i] ?? `variable ${i}`), values);
				for (const name of Object.keys(own)) if (own[name] === void 0 && name in exported) Reflect.deleteProperty(own, name);
				Object.assign(module, {
					exports: exported,
					variables: own,
					...failure === void 0 ? {} : { failure },
					...completion === void 0 ? {} : { completion },
					...parameters === void 0 ? {} : { parameters }
				});
			};
		}
	};
}
function namedValues(names, values) {
	return Object.fromEntries(values.map((value, i) => [String(names[i]), value]));
}
const PROMISE = 2;
/** What stayed behind, by what it was. */
function handlesOf({ handles }) {
	return {
		name: "handles",
		allocate(kind, [number]) {
			const handle = handles[number];
			if (handle === void 0) throw new TypeError("there is no such handle");
			const { class: name, listened } = handle;
			return objectOf(kind === PROMISE ? "NativePromise" : "Handle", {
				class: name,
				...listened === null ? {} : { listened }
			});
		},
		fill: () => void 0
	};
}
// packages/loader/src/state/inert-texts.ts
/** The number of a module's own evaluation. */
const TOP_LEVEL = -1;
var InertTexts = class {
	#code;
	#textsOf;
	/** With what each file was compiled. */
	#settings = /* @__PURE__ */ new Map();
	#files = /* @__PURE__ */ new Map();
	/** `cache`: where transformed code is kept. */
	constructor(cache, textsOf) {
		this.#code = new CodeLoader(transformer, cache === false ? void 0 : new CodeCache(cache));
		this.#code.recorded = {
			textOf: () => void 0,
			settingsOf: (filename) => this.#settings.get(filename),
			has: () => false
		};
		this.#textsOf = textsOf;
	}
	/** `recordAt`: what a stand-in for a module stands for. */
	of(recordAt) {
		const fileOf = (module) => {
			const record = recordAt(module);
			return record === void 0 ? void 0 : this.#file(record);
		};
		return {
			functionAt(module, ordinal) {
				const file = fileOf(module);
				if (file !== void 0 && ordinal === TOP_LEVEL) return {
					name: "the top level",
					captures: [],
					boxed: [],
					file: file.file,
					line: 1
				};
				const entry = file?.table.functions[ordinal];
				if (file === void 0 || entry === void 0) return void 0;
				const { name, captures, boxed, step } = entry;
				const points = step?.points.map(({ at, live }, i) => ({
					line: file.lines.ofPoint(ordinal, i, at),
					live
				}));
				return {
					name,
					captures,
					boxed,
					file: file.file,
					line: file.lines.ofFunction(ordinal),
					...step === null || points === void 0 ? {} : { step: {
						slots: step.slots,
						points
					} }
				};
			},
			classAt(module, ordinal) {
				const file = fileOf(module);
				const entry = file?.table.classes[ordinal];
				if (file === void 0 || entry === void 0) return void 0;
				const { name, captures, fields, statics } = entry;
				return {
					name,
					captures,
					fields,
					statics,
					file: file.file,
					line: file.lines.ofClass(ordinal)
				};
			},
			isShared: (module, name) => fileOf(module)?.shared.has(name) === true
		};
	}
	/** Variables of the top scope of a module, in the order of its contents. */
	variablesOf(record) {
		return this.#file(record)?.table.module.variables ?? [];
	}
	#file(record) {
		const { key, code } = record;
		if (code === null) return void 0;
		const name = `${code.hash}\n${key}\n${code.id ?? ""}`;
		if (!this.#files.has(name)) this.#files.set(name, this.#read(record));
		return this.#files.get(name);
	}
	/** The one that was run, if it can be told; of others that file had, the last. */
	#textOf(url, { settings, hash }) {
		let last;
		for (const text of this.#textsOf(url)) if (hashOfCode(settings, last = text) === hash) return text;
		return last;
	}
	#read({ key, filename, code }) {
		if (code === null) return void 0;
		const [url = ""] = key.split("\n");
		const source = code.source ?? this.#textOf(url, code);
		if (source === void 0) return void 0;
		const { kind } = code;
		try {
			const file = filename ?? url;
			if (kind === "function" || kind === "script") {
				const { table } = runtimeTransform(source, {
					path: file,
					kind,
					prefix: "$$",
					id: "f0",
					lenient: true
				});
				return fileText("made at run time", table, NO_LINES);
			}
			this.#settings.set(file, code.settings);
			const described = this.#code.describe(file, source, kind);
			const table = described.table;
			return fileText(file, table, described.source === source ? linesOf(source, table) : linesThrough(described));
		} catch {
			return;
		}
	}
};
function fileText(file, table, lines) {
	const variables = table.scopes.flatMap((scope) => scope.variables);
	return {
		file,
		table,
		lines,
		shared: new Set(variables.flatMap(({ name, storage }) => storage === "local" ? [] : [name]))
	};
}
const nowhere = () => void 0;
const NO_LINES = {
	ofFunction: nowhere,
	ofClass: nowhere,
	ofPoint: nowhere
};
/** Of a file that positions in the table refer to. */
function linesOf(source, { functions, classes }) {
	const starts = lineStarts(source);
	const at = (offset) => offset === void 0 ? void 0 : lineIn(starts, offset) + 1;
	return {
		ofFunction: (ordinal) => at(functions[ordinal]?.start),
		ofClass: (ordinal) => at(classes[ordinal]?.start),
		ofPoint: (_ordinal, _index, offset) => at(offset)
	};
}
/** Of one that was lowered first, by what stands in the code for its functions and classes. */
function linesThrough({ code, map }) {
	const markers = (pattern) => {
		const found = /* @__PURE__ */ new Map();
		for (const match of code.matchAll(pattern)) {
			const ordinal = Number(match[1]);
			if (!found.has(ordinal)) found.set(ordinal, match.index);
		}
		return found;
	};
	const functions = markers(/\/\*@[\w$]+:(\d+)/g);
	const steps = markers(/\/\*@[\w$]+:(\d+)!/g);
	const classes = markers(/\bdefineClass\(\$\$\w*, (\d+)/g);
	const starts = lineStarts(code);
	let trace;
	const at = (offset) => {
		if (offset === void 0) return void 0;
		trace ??= new TraceMap(map());
		const line = lineIn(starts, offset);
		return originalPositionFor(trace, {
			line: line + 1,
			column: offset - starts[line]
		}).line ?? void 0;
	};
	return {
		ofFunction: (ordinal) => at(functions.get(ordinal)),
		ofClass: (ordinal) => at(classes.get(ordinal)),
		ofPoint: (ordinal, index) => at(pointIn(code, steps.get(ordinal), index + 1))
	};
}
/** Where the code of a step, from `start` on, says that it goes on at that number: `$$await($$F, 1, …`, `$$F.pc = 1`. */
function pointIn(code, start, number) {
	if (start === void 0) return void 0;
	const found = new RegExp(String.raw`\$F(?:, |\.pc = )${number}\b`, "g");
	found.lastIndex = start;
	return found.exec(code)?.index;
}
// packages/loader/src/state/describe-state.ts
async function describeState(bytes) {
	const { decodeState } = await import("./container-BkBZVpB8.js").then((n) => n.t);
	const { head } = decodeState(bytes);
	return {
		main: head.main?.startsWith("file:") === true ? fileURLToPath(head.main) : head.main,
		node: head.node,
		bytes: bytes.length,
		waiting: head.waiting,
		modules: head.records.flatMap(({ key, filename, status, code }) => code === null ? [] : [{
			place: filename ?? key,
			status,
			functions: code.functions.length,
			classes: code.classes.length
		}]),
		builtins: head.records.flatMap(({ key, what }) => what === "builtin" ? [key] : []),
		devices: head.devices.map(({ name }) => name),
		handles: head.handles.map(({ class: name }) => name)
	};
}
// packages/loader/src/membrane/device-words.ts
const PRINTED = {
	breakLength: Infinity,
	compact: true,
	depth: 2,
	maxArrayLength: 6,
	maxStringLength: 60
};
const NESTED = 3;
var DeviceWords = class {
	#labels = /* @__PURE__ */ new Map();
	/** Of the next one; unknown where a trace is not read from the beginning of a life. */
	#count;
	/** @param isWhole whether all events of a life will be told */
	constructor(isWhole) {
		this.#count = isWhole ? 0 : void 0;
	}
	/** Of the source `device`: what somebody asked, or what the outside did meanwhile. */
	outcome(value) {
		const [silent, what, ...rest] = value;
		if (what === 101) return shownText(rest);
		if ((what & 64) !== 0) return this.#act(what, rest.slice(1), rest[0]);
		const [answer, key] = rest;
		const asked = opText(what, void 0, key === void 0 ? void 0 : this.#key(key));
		const known = silent > 0 ? `, after ${silent} that were known` : "";
		return `${asked} ${(what & 32) === 0 ? "→" : "throws"} ${this.#value(answer)}${known}`;
	}
	/** Of the source `device`: the outside calls. `id`: of what it has of the program. */
	entry(id, value) {
		const [what, context, ...values] = value;
		if (what === 97) return `has let go of ${[...numbersOf(context), ...numbersOf(values[0]).map((each) => this.#label(each))].join(", ")}`;
		if (what === 101) return shownText([context, ...values]);
		if (what === 98) return "nobody catches what was thrown";
		if (what === 99) return `nobody catches what no code of the program has thrown: ${this.#value(context)}`;
		if (what === 100) return `nobody handles a rejection: ${this.#value(context)}`;
		return this.#act(what & ~(512 | MICROTASK), values, id);
	}
	/** Of the source `settled`. */
	settled(value) {
		const [isFulfilled, coded] = value;
		return `${isFulfilled ? "fulfilled" : "rejected"}: ${this.#value(coded)}`;
	}
	#act(code, given, id) {
		const isNeutral = (code & 128) !== 0;
		const what = code & -225;
		const values = isNeutral ? given.slice(1) : given;
		const whom = isNeutral ? String(given[0]) : `what it has as ${id}`;
		if (what === OP.apply) {
			const [self, ...args] = values.map((each) => this.#value(each));
			return `calls ${whom}(${args.join(", ")})${self === void 0 || self === "undefined" ? "" : ` of ${self}`}`;
		}
		if (what === OP.construct) return `makes a ${whom}(${values.map((each) => this.#value(each)).join(", ")})`;
		if (what === OP.fill) return `writes ${this.#value(values[1])} into ${whom}`;
		return `${opName(what)} of ${whom}: ${values.map((each) => this.#value(each)).join(", ")}`;
	}
	#key(key) {
		return typeof key === "string" ? key : this.#value(key);
	}
	#label(number) {
		return this.#labels.get(number) ?? `#${number}`;
	}
	#named(name) {
		const label = name === "" ? "object" : name;
		if (this.#count === void 0) return label;
		const named = `${label}#${this.#count}`;
		this.#labels.set(this.#count++, named);
		return named;
	}
	#value(coded, depth = 0) {
		if (coded instanceof Uint8Array) return bytesText(coded);
		if (!Array.isArray(coded)) return inspect(coded, PRINTED);
		const [form, first, second, third] = coded;
		const inner = (each) => this.#value(each, depth + 1);
		switch (form) {
			case FORM.handle:
				if (typeof third === "string" && !this.#labels.has(first)) this.#labels.set(first, `${third === "" ? "object" : third}#${String(first)}`);
				return this.#label(first);
			case FORM.newHandle: {
				const named = this.#named(second);
				if (third !== null) inner(third);
				return named;
			}
			case FORM.static: return this.#named(String(first).replace(/^!/, ""));
			case FORM.handMade: {
				const facts = coded.slice(2).map(inner);
				return `${this.#named(`hand-made ${String(first)}`)}${facts.length === 0 ? "" : `(${facts.join(", ")})`}`;
			}
			case FORM.neutral: return String(first);
			case FORM.exported: return `the program's ${String(first)}`;
			case FORM.plain: return this.#plain(coded.slice(2), depth);
			case FORM.array: return listText(coded.slice(1).map(inner), "[", "]", depth);
			case FORM.rows: return `${String(second)} records`;
			case FORM.bytes: return bytesText(second);
			case FORM.error: return `${String(first)}: ${String(second)}`;
			case FORM.promise: return "a promise";
			case FORM.reason: return `why the program's ${String(first)} was aborted`;
			case FORM.date: return new Date(first).toISOString();
			case FORM.symbol:
			case FORM.ownSymbol: return `Symbol(${String(form === FORM.symbol ? first : second)})`;
			case FORM.hole: return "";
			default: return inspect(coded, PRINTED);
		}
	}
	#plain(entries, depth) {
		const members = [];
		for (let i = 0; i < entries.length; i += 2) members.push(`${this.#key(entries[i])}: ${this.#value(entries[i + 1], depth + 1)}`);
		return listText(members, "{ ", " }", depth);
	}
};
/** All of it has been counted; not all of it is shown. */
function listText(members, begin, end, depth) {
	if (members.length === 0) return begin.trim() + end.trim();
	if (depth >= NESTED) return `${begin}…${end}`;
	const shown = members.slice(0, PRINTED.maxArrayLength);
	return `${begin}${shown.join(", ")}${members.length > shown.length ? ", …" : ""}${end}`;
}
/** Of the outside. */
function shownText([descriptor, bytes]) {
	return `writes ${bytesText(bytes)} to standard ${descriptor === 2 ? "error" : "output"}`;
}
function bytesText(bytes) {
	return `${bytes.length} byte${bytes.length === 1 ? "" : "s"}`;
}
function numbersOf(value) {
	return value instanceof Uint8Array || Array.isArray(value) ? [...value] : [];
}
export { DeviceWords, InertTexts, describeState, readInertState };
