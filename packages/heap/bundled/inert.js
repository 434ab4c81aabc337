import { D as defineOwn, T as KINDS_OF_CODE, _ as ENGINE_FIELDS, c as KIND_BY_TAG, g as CORE_KINDS, h as CORE_FIELDS, n as totally, t as HeapReader, v as ENGINE_KINDS } from "./reader-C65lpEFc.js";
import { FULFILLED, PENDING } from "@turntable/core";
// packages/heap/src/inert/stand-ins.ts
/** Something of the language or the host that every process has, by its name. */
var BuiltIn = class {
	name;
	constructor(name) {
		this.name = name;
	}
};
/** A function of the program. */
var ProgramFunction = class {
	name;
	file;
	line;
	/** Variables of the scopes around it that it uses, by their names. */
	captured = {};
	constructor({ name, file, line }) {
		this.name = name;
		this.file = file;
		this.line = line;
	}
	/** Its own: what it inherits from may be a function that has some, too. */
	static propertiesOf(fn) {
		if (!Object.hasOwn(fn, "properties")) fn.properties = {};
		return fn.properties;
	}
};
/** A class of the program. Its instances are below `instances`. */
var ProgramClass = class extends ProgramFunction {
	extends;
	constructor(place, above) {
		super(place);
		this.extends = above;
		hide(this, "instances", prototypeNamed(place.name, prototypeOf(above)));
		classes.set(instancesOf(this), this);
	}
};
/** An accessor, where a value would stand. */
var Accessor = class {
	get;
	set;
	constructor(get, set) {
		this.get = get;
		this.set = set;
	}
};
/** A promise: `state` is `pending`, `fulfilled` or `rejected`. */
var Eventual = class {
	state = "pending";
};
/** A function that waits at an `await` or a `yield`. */
var Frame = class {
	/** Its variables that can still be read. */
	variables = {};
};
/** A variable that several scopes share. */
var Cell = class {};
/** A bound function. */
var BoundFunction = class {
	name;
	function;
	this;
	args;
	constructor(name, [target, self, args]) {
		this.name = name;
		this.function = target;
		this.this = self;
		this.args = args;
	}
};
var ProxyStandIn = class {
	target;
	handler;
	constructor(target, handler) {
		this.target = target;
		this.handler = handler;
	}
};
function hide(object, key, value) {
	Object.defineProperty(object, key, { value });
}
const classes = /* @__PURE__ */ new WeakMap();
const functions = /* @__PURE__ */ new WeakMap();
/** What the instances of a class are below. */
function instancesOf(type) {
	return type.instances;
}
/** The class of the program whose instances are directly below the prototype. */
function classOfPrototype(prototype) {
	return classes.get(prototype);
}
/** What stands for the `prototype` of a function, or of anything else that may be extended. */
function prototypeOf(value) {
	if (value === null) return null;
	if (value instanceof ProgramClass) return instancesOf(value);
	if (value instanceof ProgramFunction) {
		let prototype = functions.get(value);
		if (prototype === void 0) functions.set(value, prototype = prototypeNamed(value.name, Object.prototype));
		return prototype;
	}
	return value instanceof BuiltIn ? builtInPrototype(`${value.name}.prototype`) : Object.prototype;
}
/** A prototype whose objects show as instances of a class of that name. */
function prototypeNamed(name, above) {
	const shown = name === "" ? "(anonymous)" : name;
	const { [shown]: type } = { [shown]: function() {} };
	const prototype = Object.create(above);
	type.prototype = prototype;
	Object.defineProperty(prototype, "constructor", {
		value: type,
		writable: true,
		configurable: true
	});
	return prototype;
}
/** Objects of these classes hold nothing that a look at them could run. */
const REAL = /^(?:Object|Array|Function|Map|Set|Date|RegExp|\w*Error|ArrayBuffer|\w+Array|DataView|Number|String|Boolean|Symbol|BigInt|Buffer|URL|URLSearchParams|DOMException)$/;
const builtIns = new Map(["WeakMap", "WeakSet"].map((name) => [`${name}.prototype`, prototypeNamed(name, Map.prototype)]));
/** What stands for the prototype of a class of the language or the host. */
function builtInPrototype(name) {
	const [, path = "", type = ""] = /^(.*?([^.:]*))\.prototype$/.exec(name) ?? [];
	const real = REAL.test(path) ? globalThis[path] : void 0;
	if (typeof real === "function") return real.prototype;
	if (/(?:^|\.)Buffer$/.test(path)) return Buffer.prototype;
	let made = builtIns.get(name);
	if (made === void 0) {
		made = prototypeNamed(type, Object.prototype);
		builtIns.set(name, made);
	}
	return made;
}
const named$1 = /* @__PURE__ */ new Map();
/** An object of a kind that belongs to core or to the host, with what is known of it. */
function objectOf(kind, fields = {}) {
	let prototype = named$1.get(kind);
	if (prototype === void 0) named$1.set(kind, prototype = prototypeNamed(kind, Object.prototype));
	return Object.assign(Object.create(prototype), fields);
}
const weakFields = /* @__PURE__ */ new WeakMap();
/** Whatever stands under these keys the object does not keep: WeakRefs, and what is registered with a FinalizationRegistry. */
function holdWeakly(object, isWeak) {
	weakFields.set(object, isWeak);
}
function isHeldWeakly(object, key) {
	return typeof key === "string" && weakFields.get(object)?.(key) === true;
}
const besideElements = /* @__PURE__ */ new WeakMap();
/** A typed array has a property that is none of its elements: whoever asked it for its keys would be given all of those, too. */
function notePropertyOf(array, key) {
	const keys = besideElements.get(array);
	if (keys === void 0) besideElements.set(array, [key]);
	else if (!keys.includes(key)) keys.push(key);
}
/** Keys of properties of a typed array that are none of its elements. */
function keysBesideElements(array) {
	return besideElements.get(array) ?? [];
}
const weak = /* @__PURE__ */ new WeakMap();
/** A weak collection: its keys are held by others. */
function weakCollection(what) {
	const made = Object.setPrototypeOf(/* @__PURE__ */ new Map(), builtInPrototype(`Weak${what === "map" ? "Map" : "Set"}.prototype`));
	weak.set(made, what);
	return made;
}
/** Nothing if it is something else. */
function weakKindOf(value) {
	return weak.get(value);
}
// packages/heap/src/inert/inert-adapters.ts
const { FUNCTION, CLASS, MEMBER, STEP, PROTOTYPE, HANDLE, CLASS_WITH_DEAD } = KINDS_OF_CODE;
/** The two adapters of code, in their order. */
var InertCode = class {
	#texts;
	#origins = /* @__PURE__ */ new WeakMap();
	/** Of classes, the ordinal within their file. */
	#classes = /* @__PURE__ */ new WeakMap();
	constructor(texts) {
		this.#texts = texts;
	}
	/** Private fields of instances of a class, by their names. */
	privateNames(owner) {
		return this.#classes.get(owner)?.fields ?? [];
	}
	/** Where a function or class stands: in what stands for a module, and which of its functions or classes it is. */
	placeOf(fn) {
		const origin = this.#origins.get(fn);
		return origin && [origin.module, origin.ordinal];
	}
	stepOf(fn) {
		const text = this.#origins.get(fn)?.text;
		return text !== void 0 && "step" in text ? text.step : void 0;
	}
	isShared(fn, name) {
		return this.#texts.isShared(this.#origins.get(fn)?.module, name);
	}
	get adapters() {
		return [{
			name: "code",
			allocate: (kind, header) => this.#allocate(kind, header),
			fill: (object, _, contents) => this.#fill(object, contents)
		}, {
			name: "prototypes",
			odd: true,
			allocate(kind, [owner], prototype) {
				if (kind === HANDLE) return objectOf("ClassHandle", { class: owner });
				if (kind !== PROTOTYPE) throw new TypeError(`there is no kind ${kind} of prototype`);
				const found = owner instanceof ProgramClass ? instancesOf(owner) : prototypeOf(owner);
				if (found === null || !(owner instanceof ProgramFunction)) throw new TypeError("a prototype has an owner");
				if (prototype !== void 0 && !Object.is(prototype, found)) Reflect.setPrototypeOf(found, prototype);
				return found;
			},
			fill: () => void 0
		}];
	}
	#allocate(kind, header) {
		const [module, number] = header;
		const ordinal = Number(number);
		switch (kind) {
			case CLASS:
			case CLASS_WITH_DEAD: {
				const text = this.#texts.classAt(module, ordinal);
				const made = new ProgramClass(text ?? unknownPlace("class", ordinal), header[2]);
				this.#origins.set(made, {
					module,
					ordinal,
					text
				});
				this.#classes.set(made, text);
				return made;
			}
			case FUNCTION:
			case STEP: return this.#function(module, ordinal);
			case MEMBER: return this.#function(this.#origins.get(module)?.module, ordinal);
			default: throw new TypeError(`there is no kind ${kind} of function`);
		}
	}
	#function(module, ordinal) {
		const text = this.#texts.functionAt(module, ordinal);
		const made = new ProgramFunction(text ?? unknownPlace("function", ordinal));
		this.#origins.set(made, {
			module,
			ordinal,
			text
		});
		return made;
	}
	#fill(fn, contents) {
		const { module, text } = this.#origins.get(fn) ?? {};
		const { captures = [] } = text ?? {};
		const isClass = fn instanceof ProgramClass;
		const count = isClass ? Number(contents[0]) : text === void 0 ? contents.length : captures.length;
		const from = isClass ? 1 : 0;
		const boxed = text !== void 0 && "boxed" in text ? text.boxed : [];
		const shared = [];
		for (let i = 0; i < count && from + i < contents.length; i++) {
			const name = captures[i] ?? `captured ${i}`;
			defineData(fn.captured, name, contents[from + i]);
			if (boxed[i] === true || isClass && this.#texts.isShared(module, name)) shared.push(name);
		}
		if (isClass) {
			const statics = text !== void 0 && "statics" in text ? text.statics : [];
			for (let i = from + count; i < contents.length - 1; i++) defineData(ProgramFunction.propertiesOf(fn), `#${statics[i - from - count] ?? i - from - count}`, contents[i]);
		}
		return Object.keys(fn.captured).length === 0 ? void 0 : () => unbox(fn.captured, (name) => shared.includes(name));
	}
};
function unknownPlace(what, ordinal) {
	return {
		name: `${what} ${ordinal}`,
		file: void 0,
		line: void 0
	};
}
function defineData(object, key, value) {
	Object.defineProperty(object, key, {
		value,
		writable: true,
		enumerable: true,
		configurable: true
	});
}
/** Variables that several scopes share stand in objects of their own. */
function unbox(variables, isShared) {
	for (const [name, value] of Object.entries(variables)) if (value instanceof Cell) defineData(variables, name, value.value);
	else if (isShared(name) && typeof value === "object" && value !== null && Object.keys(value).join() === "v") defineData(variables, name, value.v);
}
/** Core's own objects, the first adapter of all. */
function inertCore(code) {
	return {
		name: "core",
		allocate(kind, header, prototype) {
			const name = nameOfKind(kind);
			const object = name === "eventual" ? new Eventual() : name === "frame" ? new Frame() : name === "cell" ? new Cell() : objectOf(capitalised(name), named(ENGINE_FIELDS[name], header));
			if (name === "weakRef") holdWeakly(object, (key) => key === "deref");
			if (name === "finalizationRegistry") holdWeakly(object, isTargetOrToken);
			if (prototype && classOfPrototype(prototype) !== void 0) Reflect.setPrototypeOf(object, prototype);
			return object;
		},
		fill(object, kind, contents) {
			const name = nameOfKind(kind);
			if (name === "eventual") return fillEventual(object, contents);
			if (name === "frame") return fillFrame(object, contents, code);
			if (name === "cell") return void Object.assign(object, {
				name: contents[0],
				value: contents[1]
			});
			const fields = CORE_FIELDS[name];
			const engine = ENGINE_FIELDS[name] ?? [];
			const before = Object.keys(object).length;
			Object.assign(object, named(fields ?? engine.slice(before), contents));
		}
	};
}
function nameOfKind(kind) {
	const name = kind < 32 ? CORE_KINDS[kind] : ENGINE_KINDS[kind - 32];
	if (name === void 0) throw new TypeError(`core has no kind ${kind}`);
	return name;
}
function capitalised(name) {
	return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
/** Of a registration: four fields each, behind two of the registry's. */
function isTargetOrToken(key) {
	const at = Number(key);
	return at % 4 === 2 || at > 0 && at % 4 === 0;
}
/** Labels begin and end as in a path. */
const FRAMING = /^[ .]+|\(\)$/g;
function named(names = [], values) {
	return Object.fromEntries(values.map((value, i) => [(names[i] ?? String(i)).replaceAll(FRAMING, ""), value]));
}
function fillEventual(eventual, [state, value, waiting]) {
	if (state === PENDING) {
		if (waiting !== void 0) eventual.waiting = waiting;
	} else if (state === FULFILLED) Object.assign(eventual, {
		state: "fulfilled",
		value
	});
	else Object.assign(eventual, {
		state: "rejected",
		reason: value
	});
}
const SLOTS = CORE_FIELDS.frame.indexOf("s0");
const MORE = CORE_FIELDS.frame.indexOf("more");
function fillFrame(frame, contents, code) {
	const [fn, pc, result, , context] = contents;
	const step = code.stepOf(fn);
	const point = step?.points[Number(pc) - 1];
	Object.assign(frame, {
		function: fn,
		line: point?.line,
		result,
		context
	});
	Object.defineProperty(frame, "pc", { value: pc });
	return () => {
		const more = contents[MORE];
		[...contents.slice(SLOTS, MORE), ...Array.isArray(more) ? more : []].forEach((value, i) => {
			if (point === void 0 ? value !== void 0 : point.live.includes(i)) defineData(frame.variables, step?.slots[i] ?? `slot ${i}`, value);
		});
		unbox(frame.variables, (name) => code.isShared(fn, name));
	};
}
/** Core's closures, bound functions and asynchronous contexts: the last adapter but one. */
function inertCoreFunctions() {
	return {
		name: "core functions",
		allocate(kind, header) {
			if (kind === 0) return new BoundFunction(header[2], [
				header[0],
				header[1],
				header.slice(4)
			]);
			if (kind === 1) return objectOf("AsyncContext", { values: header });
			return objectOf("CoreFunction", { captured: header });
		},
		fill: () => void 0
	};
}
/** Proxies, the last adapter. */
function inertProxies() {
	return {
		name: "proxies",
		allocate: (_, [target, handler]) => new ProxyStandIn(target, handler),
		fill: () => void 0
	};
}
// packages/heap/src/inert/inert-kinds.ts
const REMOVAL = 2;
/** Flags of a signal. */
const ABORTED = 1;
const SOURCES = 2;
/** Of an event. */
const CUSTOM = 128;
function readListeners(reader) {
	const listeners = {};
	reader.value();
	reader.byte();
	for (let types = reader.count(4, "types of events"); types > 0; types--) {
		const type = reader.text();
		reader.varint();
		reader.byte();
		const list = [];
		for (let left = reader.count(3, "listeners"); left > 0; left--) {
			reader.byte();
			if (reader.byte() !== REMOVAL) list.push(reader.value());
			else {
				const removal = {
					removes: reader.value(),
					type: reader.value(),
					listener: reader.value()
				};
				list.push(removal);
				reader.byte();
			}
		}
		Object.defineProperty(listeners, type, {
			value: list,
			enumerable: true,
			configurable: true,
			writable: true
		});
	}
	return listeners;
}
function readAll(reader) {
	const all = [];
	for (let left = reader.count(1, "signals"); left > 0; left--) all.push(reader.value());
	return all;
}
const KINDS = [
	{
		name: "WeakMap",
		allocate: () => weakCollection("map")
	},
	{
		name: "WeakSet",
		allocate: () => weakCollection("set")
	},
	{
		name: "arguments",
		allocate(reader) {
			reader.byte();
			return objectOf("Arguments");
		}
	},
	{
		name: "EventTarget",
		allocate: () => objectOf("EventTarget"),
		fill: (reader, object) => void Object.assign(object, { listeners: readListeners(reader) })
	},
	{
		name: "AbortSignal",
		allocate(reader) {
			reader.byte();
			return objectOf("AbortSignal");
		},
		fill(reader, object) {
			const flags = reader.byte();
			const aborted = (flags & ABORTED) !== 0;
			const reason = aborted ? reader.value() : void 0;
			const sources = (flags & SOURCES) === 0 ? [] : readAll(reader);
			const dependants = readAll(reader);
			Object.assign(object, {
				aborted,
				reason,
				sources,
				dependants,
				listeners: readListeners(reader)
			});
		}
	},
	{
		name: "AbortController",
		allocate: (reader) => objectOf("AbortController", { signal: reader.reference() })
	},
	{
		name: "Event",
		allocate(reader) {
			const type = reader.text();
			const isCustom = (reader.byte() & CUSTOM) !== 0;
			return objectOf(isCustom ? "CustomEvent" : "Event", {
				type,
				timeStamp: reader.double(),
				...isCustom && { detail: void 0 }
			});
		},
		fill(reader, object) {
			Object.assign(object, { target: reader.value() });
			if ("detail" in object) Object.assign(object, { detail: reader.value() });
		}
	}
];
/** All kinds, with these in their places. */
const INERT_KINDS = KIND_BY_TAG.map((kind) => KINDS.find(({ name }) => name === kind?.name) ?? kind);
/** What stands for the prototypes of these. */
const REPLACED = new Map([
	WeakMap,
	WeakSet,
	EventTarget,
	AbortSignal,
	AbortController,
	Event
].map(({ name, prototype }) => [prototype, builtInPrototype(`${name}.prototype`)]));
// packages/heap/src/inert/inert-reader.ts
function readInert(bytes, options) {
	return totally(() => new InertReader(bytes, options).readInert());
}
/** Everything that begins with one of these is an object; a few values that do are part of one. */
function beginsObject(tag) {
	return tag >= 32 && tag < 96 || tag === 16 || tag === 15 || tag === 21 || tag === 20;
}
var InertReader = class extends HeapReader {
	#code;
	#hostSymbols = /* @__PURE__ */ new Map();
	#sizes;
	/** Whose bytes are being read, and from where on they have not been counted. */
	#account = 0;
	#mark;
	constructor(bytes, { texts, adapters, sizes, ...options }) {
		const code = new InertCode(texts);
		super({
			types: { isProxy: () => false },
			known: { named: (name) => name.endsWith(".prototype") ? builtInPrototype(name) : builtIn(name) },
			revive: (descriptor) => ({ descriptor }),
			brand(object, owner, values) {
				const names = code.privateNames(owner);
				values.forEach((value, i) => define(object, `#${names[i] ?? i}`, { value }));
			}
		}, [
			inertCore(code),
			...code.adapters,
			...adapters,
			inertCoreFunctions(),
			inertProxies()
		], bytes, {
			...options,
			kinds: INERT_KINDS
		});
		this.#code = code;
		this.families.forEach((family, i) => {
			const prototype = family.prototype === null ? void 0 : REPLACED.get(family.prototype);
			if (prototype !== void 0) this.families[i] = {
				...family,
				prototype
			};
		});
		this.#sizes = sizes;
		this.#mark = this.at;
	}
	readInert() {
		const roots = [];
		let from = this.at;
		const next = () => {
			const value = this.value();
			const changes = roots.length === 0 ? this.differences() : void 0;
			this.rest();
			roots.push({
				value,
				bytes: this.at - from
			});
			from = this.at;
			if (changes !== void 0) differences = changes;
		};
		let differences = [];
		do
			next();
		while (this.at < this.end);
		this.conclude([]);
		return {
			roots,
			placeOf: (fn) => this.#code.placeOf(fn),
			changes: differences.map(({ object, properties }) => ({
				of: object,
				properties: Object.fromEntries(properties.map(({ key, descriptor }) => [String(key), valueOf(descriptor)]))
			}))
		};
	}
	/** Any program's. */
	requireProgram() {}
	value() {
		if (!beginsObject(this.bytes[this.at] ?? 0)) return super.value();
		const sizes = this.#sizes;
		return sizes === void 0 ? super.value() : this.#measured(sizes);
	}
	/** In one function: it is on the stack for each object that the next one is in. */
	#measured(sizes) {
		const { bytes, numbers } = sizes;
		this.#count(bytes);
		const outer = this.#account;
		const number = bytes.push(0) - 1;
		this.#account = number;
		const object = super.value();
		this.#count(bytes);
		this.#account = outer;
		if (ArrayBuffer.isView(object) && !numbers.has(object.buffer)) bytes[number] = bytes[number] + object.byteLength;
		numbers.set(object, number);
		return object;
	}
	#count(bytes) {
		bytes[this.#account] = bytes[this.#account] + this.at - this.#mark;
		this.#mark = this.at;
	}
	later(fill) {
		const { bytes } = this.#sizes ?? {};
		if (bytes === void 0) return super.later(fill);
		const account = this.#account;
		super.later(() => {
			this.#count(bytes);
			this.#account = account;
			fill();
			this.#count(bytes);
			this.#account = 0;
		});
	}
	define(object, property) {
		const { descriptor, isStack, key } = property;
		if (ArrayBuffer.isView(object)) notePropertyOf(object, key);
		if (descriptor === void 0 || isStack) {
			if (!(object instanceof ProgramFunction)) defineOwn(object, property);
			return;
		}
		if (!(object instanceof ProgramFunction)) return define(object, key, descriptor);
		if (!((key === "name" || key === "length" || key === "prototype") && descriptor.enumerable !== true)) define(ProgramFunction.propertiesOf(object), key, descriptor);
	}
	isAccessor() {
		return true;
	}
	propertyKey() {
		const { at } = this;
		const key = this.value();
		if (key instanceof BuiltIn) return this.#hostSymbol(key.name);
		if (typeof key !== "string" && typeof key !== "symbol") throw this.corrupt("a property key", at);
		return key;
	}
	/** One for each name: objects that share a key go on sharing it. */
	#hostSymbol(name) {
		let symbol = this.#hostSymbols.get(name);
		if (symbol === void 0) {
			const marked = name.lastIndexOf("@@");
			symbol = Symbol(name.slice(marked === -1 ? name.lastIndexOf(".") + 1 : marked + 2));
			this.#hostSymbols.set(name, symbol);
		}
		return symbol;
	}
	weakEntry() {
		const at = this.at;
		const collection = this.value();
		const key = this.value();
		const kind = weakKindOf(collection);
		if (kind === void 0) throw this.corrupt("a weak collection", at);
		Map.prototype.set.call(collection, key, kind === "set" ? void 0 : this.value());
	}
};
function builtIn(name) {
	const symbol = /^Symbol\.(\w+)$/.exec(name)?.[1];
	const wellKnown = symbol === void 0 ? void 0 : Symbol[symbol];
	return typeof wellKnown === "symbol" ? wellKnown : new BuiltIn(name);
}
/** What is born with its object for good stays: `callee` of strict arguments. */
function define(object, key, descriptor) {
	const { writable = true, enumerable = true, configurable = true } = descriptor;
	Reflect.defineProperty(object, key, {
		value: valueOf(descriptor),
		writable,
		enumerable,
		configurable
	});
}
function valueOf(descriptor) {
	if (descriptor === void 0 || "value" in descriptor) return descriptor?.value;
	return new Accessor(descriptor.get, descriptor.set);
}
// packages/heap/src/inert/dominators.ts
function dominatorTree({ offsets, targets }) {
	const nodes = offsets.length - 1;
	const { vertex, parent, number } = depthFirst({
		offsets,
		targets
	}, nodes);
	const count = vertex.length;
	const before = predecessors({
		offsets,
		targets
	}, vertex, number);
	const semi = Uint32Array.from({ length: count }, (_, i) => i);
	const ancestor = new Int32Array(count).fill(-1);
	const label = semi.slice();
	const dominator = new Uint32Array(count);
	const first = new Int32Array(count).fill(-1);
	const next = new Int32Array(count).fill(-1);
	const stack = [];
	function evaluated(node) {
		if (ancestor[node] === -1) return node;
		for (let each = node; ancestor[ancestor[each]] !== -1; each = ancestor[each]) stack.push(each);
		while (stack.length > 0) {
			const each = stack.pop();
			const above = ancestor[each];
			if (semi[label[above]] < semi[label[each]]) label[each] = label[above];
			ancestor[each] = ancestor[above];
		}
		return label[node];
	}
	for (let w = count - 1; w > 0; w--) {
		for (let i = before.offsets[w]; i < before.offsets[w + 1]; i++) {
			const u = evaluated(before.targets[i]);
			if (semi[u] < semi[w]) semi[w] = semi[u];
		}
		const bucket = semi[w];
		next[w] = first[bucket];
		first[bucket] = w;
		const above = parent[w];
		ancestor[w] = above;
		for (let v = first[above]; v !== -1; v = next[v]) {
			const u = evaluated(v);
			dominator[v] = semi[u] < semi[v] ? u : above;
		}
		first[above] = -1;
	}
	for (let w = 1; w < count; w++) if (dominator[w] !== semi[w]) dominator[w] = dominator[dominator[w]];
	const result = Uint32Array.from({ length: nodes }, (_, i) => i);
	for (let w = 1; w < count; w++) result[vertex[w]] = vertex[dominator[w]];
	return {
		above: result,
		order: vertex
	};
}
function depthFirst({ offsets, targets }, nodes) {
	const number = new Int32Array(nodes).fill(-1);
	const vertex = new Uint32Array(nodes);
	const parent = new Uint32Array(nodes);
	const at = offsets.slice();
	const path = [0];
	number[0] = 0;
	let count = 1;
	while (path.length > 0) {
		const node = path[path.length - 1];
		const edge = at[node];
		if (edge === offsets[node + 1]) {
			path.pop();
			continue;
		}
		at[node] = edge + 1;
		const target = targets[edge];
		if (number[target] !== -1) continue;
		parent[count] = number[node];
		vertex[count] = target;
		number[target] = count++;
		path.push(target);
	}
	return {
		vertex: vertex.subarray(0, count),
		parent,
		number
	};
}
/** By depth-first numbers. */
function predecessors({ offsets, targets }, vertex, number) {
	const starts = new Uint32Array(vertex.length + 1);
	const each = (visit) => {
		for (let from = 0; from < vertex.length; from++) {
			const node = vertex[from];
			for (let i = offsets[node]; i < offsets[node + 1]; i++) visit(from, number[targets[i]]);
		}
	};
	each((_, to) => void (starts[to + 1] = starts[to + 1] + 1));
	for (let i = 0; i < vertex.length; i++) starts[i + 1] = starts[i + 1] + starts[i];
	const sources = new Uint32Array(starts[vertex.length]);
	const at = starts.slice();
	each((from, to) => {
		sources[at[to]] = from;
		at[to] = at[to] + 1;
	});
	return {
		offsets: starts,
		targets: sources
	};
}
// packages/heap/src/inert/object-graph.ts
const { getPrototypeOf, ownKeys } = Reflect;
var ObjectGraph = class {
	#types;
	#holders;
	#sizes;
	#objects = [];
	/** By the numbers of objects, their nodes; 0 is none. */
	#nodes = [];
	/** By nodes, from where they were first reached. */
	#from = [];
	#offsets = [];
	#targets = [];
	#tree;
	#retained;
	constructor(holders, sizes, checks) {
		this.#holders = holders;
		this.#sizes = sizes;
		this.#types = checks;
		for (let i = 0; i < sizes.bytes.length; i++) this.#nodes[i] = 0;
		this.#offsets.push(0);
		this.#from.push(0);
		holders.forEach(({ self }, i) => {
			if (self !== void 0) this.#nodes[sizes.numberOf(self)] = i + 1;
			this.#targets.push(i + 1);
			this.#from.push(0);
		});
		let node = 1;
		const edge = (value) => void this.#targets.push(this.#meet(value, node));
		for (; node <= holders.length + this.#objects.length; node++) {
			this.#offsets.push(this.#targets.length);
			this.#edges(node, edge);
		}
		this.#offsets.push(this.#targets.length);
	}
	/** All objects, those near the holders first. */
	get objects() {
		return this.#objects;
	}
	#meet(object, from) {
		const number = this.#sizes.numberOf(object);
		let node = this.#nodes[number] ?? 0;
		if (node === 0) {
			node = this.#holders.length + this.#objects.push(object);
			this.#nodes[number] = node;
			this.#from.push(from);
		}
		return node;
	}
	#nodeOf(object) {
		return this.#nodes[this.#sizes.numbers.get(object) ?? 0] || void 0;
	}
	#edges(node, edge) {
		const holder = this.#holders[node - 1];
		if (holder === void 0) return edgesOf(this.#types, this.#objects[node - 1 - this.#holders.length], edge);
		for (const [step, value] of holder.holds) if (isObject(value)) edge(value, "step", step);
	}
	/** A short way to an object: `Cart#12.items[3]`. */
	pathTo(object) {
		let path = "";
		for (let node = this.#nodeOf(object); node !== void 0;) {
			const from = this.#from[node];
			if (from === 0) return `${this.#holders[node - 1]?.name ?? ""}${path}`;
			path = `${this.#step(from, node)}${path}`;
			node = from;
		}
	}
	#step(from, to) {
		let found;
		this.#edges(from, (value, form, key) => {
			if (found === void 0 && this.#nodeOf(value) === to) found = stepText(form, key);
		});
		return found ?? "";
	}
	/** Bytes that only this object holds, itself among them. */
	retainedBy(object) {
		return this.#sums()[this.#nodeOf(object) ?? -1] ?? 0;
	}
	/** The same of each holder, in their order. */
	retainedByHolders() {
		return this.#sums().subarray(1, this.#holders.length + 1);
	}
	/**
	* What sets of objects retain: each that no other one of its set dominates with what it dominates. `setOf` has the set of each object, in
	* their order, and there are `count` sets.
	*/
	retainedBySets(setOf, count) {
		const sums = this.#sums();
		const { above, order } = this.#dominators();
		const before = this.#holders.length + 1;
		const first = new Int32Array(above.length).fill(-1);
		const next = new Int32Array(above.length).fill(-1);
		for (let i = order.length - 1; i > 0; i--) {
			const node = order[i];
			next[node] = first[above[node]];
			first[above[node]] = node;
		}
		const retained = new Float64Array(count);
		/** How many of a set are on the way down. */
		const open = new Uint32Array(count);
		const path = [0];
		for (let node = first[0]; path.length > 0;) {
			if (node === -1) {
				const left = path.pop();
				if (left >= before) open[setOf[left - before]] = open[setOf[left - before]] - 1;
				node = next[left];
				continue;
			}
			if (node >= before) {
				const set = setOf[node - before];
				if (open[set] === 0) retained[set] = retained[set] + sums[node];
				open[set] = open[set] + 1;
			}
			path.push(node);
			node = first[node];
		}
		return retained;
	}
	#dominators() {
		return this.#tree ??= dominatorTree({
			offsets: Uint32Array.from(this.#offsets),
			targets: Uint32Array.from(this.#targets)
		});
	}
	#sums() {
		if (this.#retained !== void 0) return this.#retained;
		const { above, order } = this.#dominators();
		const sums = new Float64Array(above.length);
		const { bytes } = this.#sizes;
		this.#nodes.forEach((node, number) => {
			if (node > this.#holders.length) sums[node] = bytes[number];
		});
		for (let i = order.length - 1; i > 0; i--) {
			const node = order[i];
			const over = above[node];
			sums[over] = sums[over] + sums[node];
		}
		return this.#retained = sums;
	}
};
/** What every process has is nobody's. */
function isObject(value) {
	return typeof value === "object" && value !== null && !(value instanceof BuiltIn);
}
/** What an object of an inert graph holds: looking at its properties runs nothing. */
function edgesOf({ isMap, isSet }, object, edge) {
	let keys;
	if (isMap(object)) mapEdges(object, edge);
	else if (isSet(object)) setEdges(object, edge);
	else if (Array.isArray(object)) keys = elementEdges(object, edge);
	else if (ArrayBuffer.isView(object)) {
		edge(object.buffer, "property", "buffer");
		if (!(object instanceof DataView)) keys = [];
	}
	keys ??= ownKeys(object);
	for (let i = 0; i < keys.length; i++) {
		const key = keys[i];
		const value = object[key];
		if (isObject(value)) edge(value, "property", key);
	}
	const prototype = getPrototypeOf(object);
	const type = prototype === null ? void 0 : classOfPrototype(prototype);
	if (type !== void 0) edge(type, "property", "constructor");
}
function mapEdges(map, edge) {
	const isWeak = weakKindOf(map) !== void 0;
	let index = 0;
	for (const [key, value] of Map.prototype.entries.call(map)) {
		if (isObject(key) && !isWeak) edge(key, "key", index);
		if (isObject(value)) edge(value, typeof key === "string" ? "entry" : "value", typeof key === "string" ? key : index);
		index++;
	}
}
function setEdges(set, edge) {
	let index = 0;
	for (const value of Set.prototype.values.call(set)) {
		if (isObject(value)) edge(value, "member", index);
		index++;
	}
}
/** Answers the keys that are left. The length stands behind the elements. */
function elementEdges(array, edge) {
	const keys = ownKeys(array);
	const count = keys.lastIndexOf("length");
	const isDense = count === array.length;
	for (let i = 0; i < count; i++) {
		const index = isDense ? i : Number(keys[i]);
		const value = array[index];
		if (isObject(value)) edge(value, "property", index);
	}
	return keys.slice(count + 1);
}
function stepText(form, key) {
	switch (form) {
		case "step": return key;
		case "entry": return `.get(${JSON.stringify(key)})`;
		case "property": return propertyStep(key);
		default: return ` ${form} #${key}`;
	}
}
function propertyStep(key) {
	if (typeof key === "symbol") return `[Symbol(${key.description ?? ""})]`;
	const text = String(key);
	if (/^#?[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text)) return `.${text}`;
	return /^\d+$/.test(text) ? `[${text}]` : `[${JSON.stringify(text)}]`;
}
// packages/heap/src/inert/object-sizes.ts
var ObjectSizes = class {
	numbers = /* @__PURE__ */ new Map();
	/** By number; number 0 is nobody's. */
	bytes = [0];
	/** Bytes of the state that an object took, without what it refers to. */
	of(object) {
		return this.bytes[this.numbers.get(object) ?? 0];
	}
	/** Of one that was not in the state as such, it took none. */
	numberOf(object) {
		let number = this.numbers.get(object);
		if (number === void 0) this.numbers.set(object, number = this.bytes.push(0) - 1);
		return number;
	}
};
export { Accessor, BoundFunction, BuiltIn, Eventual as InertEventual, Frame as InertFrame, ObjectGraph, ObjectSizes, ProgramClass, ProgramFunction, ProxyStandIn, builtInPrototype, classOfPrototype, isHeldWeakly, keysBesideElements, objectOf, readInert, weakKindOf };
