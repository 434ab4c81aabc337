import "./rolldown-runtime-C7kxIl-Z.js";
import { types } from "node:util";
import { InertTexts, readInertState } from "@turntable/loader/inert";
import { Accessor, BuiltIn, InertFrame, ProgramFunction, classOfPrototype, isHeldWeakly, keysBesideElements, weakKindOf } from "@turntable/heap/inert";
import { canonicalPieces, inertRuntimeObjects } from "@turntable/runtime/inert";
import { createHash } from "node:crypto";
// packages/turntable/src/replay/graph-digest.ts
const ROOM = 65536;
const { ownKeys, getPrototypeOf, getOwnPropertyDescriptor, isExtensible } = Reflect;
var GraphDigest = class {
	#options;
	#hash = createHash("sha256");
	#numbers = /* @__PURE__ */ new Map();
	/** Met, and from a place on still to be looked into. */
	#queue = [];
	#prototypes = /* @__PURE__ */ new Map();
	#weak = [];
	#weakFields = [];
	#text = "";
	constructor(options) {
		this.#options = options;
	}
	/** One more root, and what it leads to. */
	add(name, value) {
		this.#put(`root ${name}`);
		this.#value(value);
		this.#lookInto();
	}
	/** 64 hexadecimal digits; nothing can be added any more. */
	finish() {
		this.#weakEntries();
		for (const [object, key, value] of this.#weakFields) {
			const number = this.#numbers.get(value);
			if (number !== void 0) this.#put(`weak #${object} ${key} #${number}`);
		}
		this.#flush();
		return this.#hash.digest("hex");
	}
	#put(text) {
		this.#text += `${text}\n`;
		if (this.#text.length >= ROOM) this.#flush();
	}
	#flush() {
		const text = this.#text;
		this.#hash.update(text, text.isWellFormed() ? "utf8" : "utf16le");
		this.#text = "";
	}
	#lookInto() {
		const queue = this.#queue;
		for (let i = 0; i < queue.length; i++) this.#contents(queue[i]);
		queue.length = 0;
	}
	#value(value) {
		switch (typeof value) {
			case "string": return this.#put(`s${value.length}:${value}`);
			case "number": return this.#put(Object.is(value, -0) ? "-0" : `n${value}`);
			case "symbol": return this.#symbol(value);
			case "object":
			case "function": return value === null ? this.#put("null") : this.#reference(value);
			default: return this.#put(`${typeof value} ${String(value)}`);
		}
	}
	#symbol(symbol) {
		const key = Symbol.keyFor(symbol);
		if (key !== void 0) return this.#put(`symbol for ${key}`);
		this.#put(`symbol ${this.#numberOf(symbol)} ${String(symbol.description)}`);
	}
	#reference(object) {
		if (object instanceof BuiltIn) return this.#put(`builtin ${object.name}`);
		if (typeof object === "function") return this.#put(`builtin function ${object.name}`);
		const known = this.#numbers.get(object);
		if (known !== void 0) return this.#put(`#${known}`);
		this.#put(`new #${this.#numberOf(object)}`);
		this.#queue.push(object);
	}
	#numberOf(met) {
		let number = this.#numbers.get(met);
		if (number === void 0) this.#numbers.set(met, number = this.#numbers.size);
		return number;
	}
	#contents(object) {
		this.#put(`${isExtensible(object) ? "of" : "closed"} #${this.#numberOf(object)}`);
		this.#kind(object);
		const next = this.#options.leadsTo?.(object);
		if (next !== void 0) this.#value(next);
		if (weakKindOf(object) !== void 0) this.#weak.push([
			this.#numberOf(object),
			object,
			weakKindOf(object) === "set"
		]);
		else if (types.isMap(object)) Map.prototype.forEach.call(object, (value, key) => (this.#value(key), this.#value(value)));
		else if (types.isSet(object)) Set.prototype.forEach.call(object, (value) => this.#value(value));
		else if (types.isDate(object)) this.#put(String(Date.prototype.getTime.call(object)));
		else if (types.isRegExp(object)) this.#put(patternOf(object));
		else if (types.isBoxedPrimitive(object)) this.#value(unboxed(object));
		else if (types.isAnyArrayBuffer(object)) this.#buffer(object);
		else if (ArrayBuffer.isView(object)) {
			this.#view(object);
			if (!types.isDataView(object)) return this.#properties(object, keysBesideElements(object));
		}
		this.#properties(object);
	}
	/** What it is, beside its properties. */
	#kind(object) {
		if (object instanceof ProgramFunction) return this.#put(`code ${this.#options.codeOf(object)}`);
		if (object instanceof InertFrame) this.#put(`at ${String(object.pc)}`);
		const prototype = getPrototypeOf(object);
		if (prototype === null) return this.#put("no prototype");
		const { type, isOfProgram, name } = this.#prototype(prototype);
		if (type !== void 0) return this.#value(type);
		if (isOfProgram) return this.#value(prototype);
		this.#put(`a ${name ?? (types.isNativeError(object) ? "Error" : "?")}`);
	}
	#prototype(prototype) {
		let known = this.#prototypes.get(prototype);
		if (known === void 0) {
			known = {
				type: classOfPrototype(prototype),
				isOfProgram: !Object.hasOwn(prototype, "constructor"),
				name: nameOf(prototype)
			};
			this.#prototypes.set(prototype, known);
		}
		return known;
	}
	#properties(object, keys = ownKeys(object)) {
		for (const key of keys) {
			const descriptor = getOwnPropertyDescriptor(object, key);
			if (descriptor === void 0 || isEmptyLength(object, key) || this.#options.isLeftOut?.(object, key) === true) continue;
			if (isHeldWeakly(object, key)) {
				const { value } = descriptor;
				if (typeof value === "object" && value !== null || typeof value === "symbol") this.#weakFields.push([
					this.#numberOf(object),
					String(key),
					value
				]);
				continue;
			}
			const { enumerable = false, configurable = false, writable = false } = descriptor;
			this.#put(`${enumerable ? "" : "hidden "}${configurable ? "" : "fixed "}${writable ? "" : "constant "}`);
			if (typeof key === "symbol") this.#symbol(key);
			else this.#put(String(key));
			const value = "value" in descriptor ? descriptor.value : new Accessor(descriptor.get, descriptor.set);
			this.#value(this.#options.shown === void 0 ? value : this.#options.shown(object, key, value));
		}
	}
	/** Whatever it is below, and whatever stands in its properties. */
	#view(view) {
		const of = types.isDataView(view) ? DataView.prototype : typedArrays;
		const buffer = Reflect.get(of, "buffer", view);
		const [type, from, length] = isDetached(buffer) ? ["of nothing"] : FIELDS.map((key) => Reflect.get(of, key, view));
		this.#put(`view ${String(type)} ${String(from)} ${String(length)}`);
		this.#value(buffer);
	}
	#buffer(buffer) {
		if (isDetached(buffer)) return this.#put("detached");
		const bytes = new Uint8Array(buffer);
		this.#put(`bytes ${bytes.length}`);
		this.#flush();
		this.#hash.update(bytes);
	}
	/** Those whose keys are held by something else, in the order of these; that may lead to others. */
	#weakEntries() {
		const done = /* @__PURE__ */ new Set();
		for (let any = true; any;) {
			any = false;
			const found = this.#weak.flatMap(([collection, entries, isSet]) => [...Map.prototype.entries.call(entries)].flatMap(([key, value]) => {
				const number = this.#numbers.get(key);
				return number === void 0 ? [] : [{
					collection,
					entries,
					number,
					key,
					value,
					isSet
				}];
			}));
			for (const { collection, entries, number, key, value, isSet } of found.toSorted((a, b) => a.collection - b.collection || a.number - b.number)) {
				const entry = entryOf(entries, key);
				if (done.has(entry)) continue;
				done.add(entry);
				any = true;
				this.#put(`weak #${collection} #${number}`);
				if (!isSet) this.#value(value);
				this.#lookInto();
			}
		}
	}
};
const entriesOf = /* @__PURE__ */ new WeakMap();
/** What stands for a key in a collection. */
function entryOf(collection, key) {
	let those = entriesOf.get(collection);
	if (those === void 0) entriesOf.set(collection, those = /* @__PURE__ */ new WeakMap());
	let entry = those.get(key);
	if (entry === void 0) those.set(key, entry = {});
	return entry;
}
/** Of an array, its length stands behind its elements and says something if those have gaps. */
function isEmptyLength(object, key) {
	return key === "length" && Array.isArray(object) && object.length === 0;
}
function nameOf(prototype) {
	const { value } = getOwnPropertyDescriptor(prototype, "constructor") ?? {};
	return typeof value === "function" ? value.name : void 0;
}
/** Whatever it is below, and whatever stands in its properties. */
function unboxed(object) {
	if (types.isNumberObject(object)) return Number.prototype.valueOf.call(object);
	if (types.isStringObject(object)) return String.prototype.valueOf.call(object);
	if (types.isBooleanObject(object)) return Boolean.prototype.valueOf.call(object);
	if (types.isBigIntObject(object)) return BigInt.prototype.valueOf.call(object);
	return Symbol.prototype.valueOf.call(object);
}
const typedArrays = getPrototypeOf(Uint8Array.prototype);
/** Of a view. */
const FIELDS = [
	Symbol.toStringTag,
	"byteOffset",
	"byteLength"
];
/** `source`, and what `flags` is made of. */
const OF_PATTERNS = ownKeys(RegExp.prototype).flatMap((key) => {
	const { get } = getOwnPropertyDescriptor(RegExp.prototype, key) ?? {};
	return get === void 0 || key === "flags" ? [] : [get];
});
function patternOf(object) {
	return OF_PATTERNS.map((get) => String(Reflect.apply(get, object, []))).join(" ");
}
/** What was in it has gone elsewhere, and nothing can look at it any more. */
function isDetached(buffer) {
	return !types.isSharedArrayBuffer(buffer) && buffer.detached;
}
// packages/turntable/src/replay/part-digest.ts
/** Of what is read by numbers, no names are needed. */
const NO_TEXTS = new InertTexts(false, () => []);
/** Fields of kinds that say when, or which of what the process has numbered. */
const OF_THE_MOMENT = /* @__PURE__ */ new Map([
	["Timeout", /* @__PURE__ */ new Set(["remaining", "id"])],
	["Immediate", /* @__PURE__ */ new Set(["remaining", "id"])],
	["Event", /* @__PURE__ */ new Set(["timeStamp"])],
	["CustomEvent", /* @__PURE__ */ new Set(["timeStamp"])]
]);
/** What is configured, and counts for itself, beyond the membrane: in a replay nothing is done there. */
const OUTSIDE = /^node:https?\.globalAgent/;
function partDigest(bytes) {
	const { base, modules, pieces, changes, placeOf } = readInertState(bytes, NO_TEXTS, [inertRuntimeObjects()]);
	const canonical = canonicalPieces(pieces);
	const met = /* @__PURE__ */ new Set();
	const momentary = momentaryFields();
	const digest = new GraphDigest({
		codeOf(fn) {
			const [module, ordinal] = placeOf(fn) ?? [];
			const { url } = module ?? {};
			met.add(module);
			return `${String(url)} ${String(ordinal)}`;
		},
		isLeftOut: (object, key) => isForPrinting(key) || key === "listened" && kindOf(object) === "Handle",
		leadsTo: (object) => canonical.leadsTo(object),
		shown(object, key, value) {
			return momentary(object)?.has(key) === true ? void 0 : canonical.shown(object, key, value);
		}
	});
	for (const [name, value] of Object.entries(base)) digest.add(name, name === "timers" ? inOrder(value) : value);
	for (const module of modules) if (!isCommonJs(module)) digest.add(module.url, module);
	for (const [name, value] of canonical.pieces) digest.add(name, value);
	changes.filter(({ of }) => !(of instanceof BuiltIn && OUTSIDE.test(of.name))).forEach(({ of, properties }, i) => digest.add(`change ${i}`, [of, properties]));
	for (let left = modules.filter(isCommonJs);;) {
		const found = left.filter((module) => met.has(module));
		if (found.length === 0) return digest.finish();
		left = left.filter((module) => !found.includes(module));
		for (const module of found) digest.add(module.url, module);
	}
}
function isCommonJs(module) {
	return "parameters" in module;
}
/** Asked for all properties of an object, one behind the other. */
function momentaryFields() {
	let last;
	let fields;
	return (object) => {
		if (object !== last) fields = OF_THE_MOMENT.get(kindOf(object));
		last = object;
		return fields;
	};
}
/** What Node's emitters put on an error to which nobody listens, so that it is printed with where it was emitted. */
function isForPrinting(key) {
	return typeof key === "symbol" && key.description === "kEnhanceStackBeforeInspector";
}
/** Timers in the order in which they were made: in which they will fire is for the clock to say. */
function inOrder(timers) {
	const numberOf = (timer) => Number(timer.number);
	return Array.isArray(timers) ? timers.toSorted((a, b) => numberOf(a) - numberOf(b)) : timers;
}
function kindOf(object) {
	const prototype = Reflect.getPrototypeOf(object);
	const { value } = (prototype && Reflect.getOwnPropertyDescriptor(prototype, "constructor")) ?? {};
	return typeof value === "function" ? value.name : "";
}
export { partDigest as t };
