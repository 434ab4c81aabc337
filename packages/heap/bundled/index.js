import { $ as namesOf, A as FORMAT_VERSION, B as charCodeAt, C as integers, E as codePorts, F as accepts, G as enumerableKeys, H as defineProperty, I as apply, J as isArray, K as hasOwn, L as arrayPrototype, N as SafeMap, O as ownProperties, P as SafeSet, Q as mapSize, R as bufferLength, S as general, U as deleteProperty, V as copyInto, W as descriptorOf, X as join, Y as isExtensible, Z as mapForEach, a as encodeByKeys, at as setPrototypeOf, b as set, ct as timeOf, d as kindByPrototype, dt as weakMapSet, et as objectPrototype, f as kindOfObject, ft as weakSetHas, ht as misused, i as isChunk, it as setForEach, j as MAGIC, k as writeProperties, l as STANDARD, lt as weakMapGet, m as date, mt as Refusal, n as totally, nt as prototypeOf, o as ordinaryValues, ot as setSize, p as refusalOf, pt as HeapError, q as is, r as PoolWriter, rt as setDouble, s as Checksum, st as symbolsOf, t as HeapReader, tt as ownKeys, u as adaptersOf, ut as weakMapHas, w as CodeAdapters, x as doubles, y as map, z as bufferResizable } from "./reader-C65lpEFc.js";
import { ABI_VERSION, ModuleRecord, contentsName, internals, readContents, writeContents } from "@turntable/core";
// packages/heap/src/ports.ts
/** Whether a property of a known object stays behind. */
function isLeft({ leaves }, descriptor) {
	if (leaves === void 0) return false;
	const { value, get, set } = descriptor;
	const fn = value ?? get ?? set;
	return typeof fn === "function" && leaves(fn);
}
// packages/heap/src/path.ts
function pathError(ports, root, name, refusal) {
	const path = pathTo(ports, root, name, refusal.value) ?? `${name}…`;
	return new HeapError("TT_UNCAPTURABLE", `${path}: ${refusal.reason}; ${refusal.remedy}`);
}
/** `roots.cart.items[3].socket` with `rootName` in front, or nothing if the value cannot be found. */
function pathTo(ports, root, rootName, wanted) {
	return pathsTo(ports, root, rootName, [wanted])[0];
}
/** The same of several, none of which lies on the way to another. */
function pathsTo(ports, root, rootName, wanted) {
	const steps = new SafeMap();
	const queue = [];
	const adapters = adaptersOf(ports);
	const ordinals = new SafeMap();
	const names = new SafeMap();
	const isWanted = new SafeSet();
	const found = new SafeSet();
	for (let i = 0; i < wanted.length; i++) isWanted.add(wanted[i]);
	const visit = (parent, label, value) => {
		if (!(typeof value === "object" && value !== null || typeof value === "function" || typeof value === "symbol") || steps.has(value)) return;
		if (isWanted.delete(value)) found.add(value);
		else if (ports.known.nameOf(value) !== void 0) return;
		steps.set(value, {
			parent,
			label
		});
		queue[queue.length] = value;
		const name = instanceName(ports, value);
		if (name !== void 0) {
			const ordinal = (ordinals.get(name) ?? 0) + 1;
			ordinals.set(name, ordinal);
			names.set(value, `${name}#${ordinal}`);
		}
	};
	visit(void 0, rootName, root);
	for (const { object, properties } of ports.known.differences()) {
		const name = ports.known.nameOf(object) ?? "?";
		for (const [key, descriptor] of properties) {
			if (descriptor === void 0 || isLeft(ports, descriptor)) continue;
			for (const value of [
				descriptor.value,
				descriptor.get,
				descriptor.set
			]) visit(void 0, `${name}${keyStep(key)}`, value);
		}
	}
	for (let i = 0; i < queue.length && isWanted.size > 0; i++) {
		const object = queue[i];
		if (typeof object === "symbol" || found.has(object)) continue;
		edgesOf(ports, adapters, object, (label, value) => visit(object, label, value));
	}
	const paths = [];
	for (let i = 0; i < wanted.length; i++) paths[i] = pathOf(wanted[i], steps, names);
	return paths;
}
function pathOf(wanted, steps, names) {
	const last = steps.get(wanted);
	if (last === void 0) return void 0;
	let path = "";
	for (let step = last, value = wanted; step !== void 0;) {
		path = `${step.label}${path}`;
		value = step.parent;
		if (value === void 0) break;
		step = steps.get(value);
		if (step?.parent === void 0) continue;
		const name = names.get(value);
		if (name !== void 0 && path.length > 400) return `${name}${path}`;
	}
	return path;
}
function edgesOf(ports, adapters, object, edge) {
	if (ports.external?.(object) !== void 0) return;
	const isProxy = ports.types.isProxy(object);
	const asks = isProxy ? "proxies" : typeof object === "function" ? "functions" : "objects";
	let isWhole = false;
	for (const adapter of adapters) {
		if (adapter.asks !== asks) continue;
		const parts = taken(adapter, object);
		if (parts === void 0) continue;
		if (parts.whole === true && adapter.claims?.(prototypeOf(object)) === true) isWhole = true;
		parts.header.forEach((value, index) => edge(parts.label?.(index, "header") ?? ` header ${index}`, value));
		parts.contents.forEach((value, index) => edge(parts.label?.(index, "contents") ?? ` contents ${index}`, value));
	}
	if (isProxy || isWhole) return;
	let kind;
	try {
		kind = typeof object === "function" ? void 0 : kindOfObject(ports, object);
	} catch {
		return;
	}
	kind ??= suggested(ports, object);
	if (kind !== void 0 && kind.is(object, ports)) kind.edges?.(object, edge);
	for (const key of ownKeys(object)) {
		if (typeof key === "string" && isArray(object)) continue;
		const descriptor = descriptorOf(object, key);
		const step = keyStep(key);
		if (typeof key === "symbol") edge(` key ${step}`, key);
		if ("value" in descriptor) edge(step, descriptor.value);
		else {
			edge(`${step} (getter)`, descriptor.get);
			edge(`${step} (setter)`, descriptor.set);
		}
	}
	const prototype = prototypeOf(object);
	edge(".[[Prototype]]", prototype);
	if (prototype === null) return;
	for (const group of ports.privates?.(prototype) ?? []) {
		edge(" class", group.owner);
		group.read(object)?.forEach((value, index) => edge(`.${group.names?.[index] ?? `#private ${index}`}`, value));
	}
}
/** What would be refused itself leads nowhere. */
function taken(adapter, object) {
	try {
		return adapter.take(object);
	} catch (error) {
		if (error instanceof Refusal) return void 0;
		throw error;
	}
}
function suggested(ports, object) {
	let steps = 0;
	for (let each = prototypeOf(object); each !== null && steps < 1e3; each = prototypeOf(each), steps++) {
		if (ports.types.isProxy(each)) return void 0;
		const kind = kindByPrototype.get(each);
		if (kind !== void 0) return kind;
	}
}
function keyStep(key) {
	if (typeof key === "symbol") return `[Symbol(${key.description ?? ""})]`;
	const text = String(key);
	if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text)) return `.${text}`;
	return /^\d+$/.test(text) ? `[${text}]` : `[${JSON.stringify(text)}]`;
}
/** The class of an instance, from plain data only. */
function instanceName(ports, value) {
	if (typeof value !== "object" || value === null || ports.types.isProxy(value)) return void 0;
	const prototype = prototypeOf(value);
	if (prototype === null || prototype === Object.prototype || ports.types.isProxy(prototype)) return void 0;
	const constructor = descriptorOf(prototype, "constructor")?.value;
	if (typeof constructor !== "function" || ports.types.isProxy(constructor)) return void 0;
	const name = descriptorOf(constructor, "name")?.value;
	return typeof name === "string" && name !== "" ? name : void 0;
}
// packages/heap/src/digest.ts
const { imul } = Math;
function rotate(value, by) {
	return value << by | value >>> 32 - by;
}
function mix(value) {
	value = imul(value ^ value >>> 16, -2048144789);
	value = imul(value ^ value >>> 13, -1028477387);
	return value ^ value >>> 16;
}
/** 32 hexadecimal digits. */
function digestOf(bytes) {
	const C = [
		597399067,
		-1425107063,
		951274213,
		-1578923117
	];
	const D = [
		1444728091,
		197830471,
		-1764942795,
		850148119
	];
	const turns = [
		19,
		17,
		15,
		13
	];
	const spins = [
		15,
		16,
		17,
		18
	];
	const h = [
		0,
		0,
		0,
		0
	];
	const { length } = bytes;
	const word = (at) => (bytes[at] ?? 0) | (bytes[at + 1] ?? 0) << 8 | (bytes[at + 2] ?? 0) << 16 | (bytes[at + 3] ?? 0) << 24;
	for (let at = 0; at < length; at += 16) {
		const isTail = at + 16 > length;
		for (let i = 0; i < 4; i++) {
			let k = imul(word(at + 4 * i), C[i]);
			k = imul(rotate(k, spins[i]), C[i + 1 & 3]);
			h[i] ^= k;
			if (isTail) continue;
			h[i] = imul(rotate(h[i], turns[i]) + h[i + 1 & 3] | 0, 5) + D[i] | 0;
		}
	}
	for (let i = 0; i < 4; i++) h[i] ^= length;
	const sum = () => {
		h[0] = h[0] + h[1] + h[2] + h[3] | 0;
		for (let i = 1; i < 4; i++) h[i] = h[i] + h[0] | 0;
	};
	sum();
	for (let i = 0; i < 4; i++) h[i] = mix(h[i]);
	sum();
	let text = "";
	for (let i = 0; i < 4; i++) text += (h[i] >>> 0).toString(16).padStart(8, "0");
	return text;
}
// packages/heap/src/renaming-reader.ts
var RenamingReader = class extends HeapReader {
	short(length) {
		return here(this, super.short(length));
	}
	narrow() {
		return here(this, super.narrow());
	}
	wide() {
		return here(this, super.wide());
	}
	earlierString() {
		return here(this, super.earlierString());
	}
};
function here({ ports }, text) {
	return ports.renames?.(text) ?? text;
}
function readerOf(ports, bytes, options) {
	return new (ports.renames === void 0 ? HeapReader : RenamingReader)(ports, adaptersOf(ports), bytes, options);
}
// packages/heap/src/family.ts
function familyOf(number, identities, prototype, parts) {
	return {
		number,
		prototype,
		identities,
		kind: parts.kind,
		standard: parts.standard ?? false,
		adapters: parts.adapters ?? [],
		privates: parts.privates,
		foreign: parts.foreign ?? false,
		simple: prototype !== void 0 && parts.kind === void 0 && parts.adapters === void 0 && parts.foreign !== true,
		host: parts.host,
		opening: false,
		stray: false,
		shapes: [],
		layouts: [],
		shapesByKeys: new SafeMap()
	};
}
// packages/heap/src/families.ts
var Families = class {
	ports;
	adapters;
	mentions;
	byPrototype = new SafeMap();
	count = 0;
	/** Those that have layouts. */
	learned = [];
	objects;
	functions;
	proxies;
	strays;
	/** What is known by name and a proxy. */
	knownProxies;
	constructor(ports, adapters, mentions) {
		this.ports = ports;
		this.adapters = adapters;
		this.mentions = mentions;
		this.objects = this.predefine(0, objectPrototype);
		this.predefine(1, arrayPrototype);
		this.predefine(2, null);
		this.functions = this.predefine(3, void 0);
		this.proxies = this.predefine(4, void 0);
		this.strays = this.predefine(5, void 0);
		for (let i = 0; i < STANDARD.length; i++) this.predefine(6 + i, STANDARD[i]);
		const { objects, proxies } = ports.known;
		for (let i = 0; i < objects.length; i++) {
			const object = objects[i];
			mentions.enterKnown(mentions.one ?? this.of(prototypeOf(object)).identities, object);
		}
		for (let i = 0; i < proxies.length; i++) mentions.enterKnown(this.proxies.identities, proxies[i]);
		this.knownProxies = proxies;
	}
	of(prototype) {
		return prototype === objectPrototype ? this.objects : this.byPrototype.get(prototype) ?? this.add(prototype);
	}
	/** The family is about to get a layout. */
	learnt(family) {
		if (family.layouts.length === 0) this.learned[this.learned.length] = family;
	}
	/** What layouts were learnt from may have another shape by now. */
	forget() {
		for (let i = 0; i < this.learned.length; i++) this.learned[i].layouts.length = 0;
		this.learned.length = 0;
	}
	/** The number of the next family whose definition ends. */
	next() {
		return this.count++;
	}
	predefine(number, prototype) {
		const family = prototype === void 0 ? familyOf(number, this.mentions.identities(), void 0, { adapters: this.adaptersFor(number) }) : this.describe(prototype, number);
		if (prototype !== void 0) this.byPrototype.set(prototype, family);
		this.count++;
		return family;
	}
	adaptersFor(number) {
		const asks = number === 3 ? "functions" : number === 4 ? "proxies" : "objects";
		const adapters = [];
		for (let i = 0; i < this.adapters.length; i++) {
			const adapter = this.adapters[i];
			adapters[i] = adapter.asks === asks && number !== 5 ? adapter : SILENT;
		}
		return adapters;
	}
	add(prototype) {
		const family = this.describe(prototype, -1);
		this.byPrototype.set(prototype, family);
		return family;
	}
	describe(prototype, number) {
		let kind;
		let foreign = false;
		let host;
		let steps = 0;
		for (let each = prototype; each !== null && kind === void 0; each = prototypeOf(each)) {
			if (++steps > 1e4 || this.ports.types.isProxy(each)) break;
			kind = kindByPrototype.get(each);
			if (kind !== void 0 || each === objectPrototype || this.ports.known.nameOf(each) === void 0) continue;
			foreign = true;
			host ??= this.ports.known.hostOf(each);
		}
		const adapters = [];
		let isAsked = false;
		let isNative = false;
		for (let i = 0; i < this.adapters.length; i++) {
			const adapter = this.adapters[i];
			const claims = adapter.asks === "objects" && adapter.claims?.(prototype) === true;
			adapters[i] = claims ? adapter : SILENT;
			isAsked ||= claims;
			isNative ||= claims && adapter.native === true;
		}
		const privates = prototype === null || isNative ? void 0 : this.ports.privates?.(prototype);
		return familyOf(isNative ? 4 : number, this.mentions.identities(), prototype, {
			...kind === void 0 ? {} : { kind },
			standard: kind !== void 0 && kind.prototype === prototype,
			...isAsked ? { adapters } : {},
			privates: privates === void 0 || privates.length === 0 ? void 0 : privates,
			foreign: foreign || kind?.foreign === true,
			host: isAsked ? void 0 : host
		});
	}
};
const PROBE$1 = {};
/** Stands where an adapter does not apply, so that the others keep their numbers. */
const SILENT = {
	name: "",
	asks: "objects",
	take: () => void 0,
	allocate: () => PROBE$1,
	fill: () => void 0
};
/** Whether the object has what its prototype promises: a constructor may have thrown, or never have run. */
function isBranded(object, groups) {
	for (let i = 0; i < groups.length; i++) {
		const group = groups[i];
		if (!(group.has?.(object) ?? group.read(object) !== void 0)) return false;
	}
	return true;
}
// packages/heap/src/layout.ts
var Nothing = class {
	nothing = true;
};
/** The layout of nothing else: stands where none is known yet. */
const NONE$1 = {
	exemplar: new Nothing(),
	family: void 0,
	identities: void 0,
	shape: void 0,
	write: () => false,
	last: []
};
/** As many are tried before an object is looked at closely. */
const RECENT = 4;
function layoutOfShape(exemplar, shape) {
	const { encodeAlike, family, keys } = shape;
	if (encodeAlike === void 0) return void 0;
	const last = [];
	for (let i = 0; i < keys.length; i++) last[i] = NONE$1;
	const { identities } = family.simple ? shape : family;
	return {
		exemplar,
		family,
		identities,
		shape,
		write: encodeAlike,
		last
	};
}
/** `kind`: of a bare object. */
function layoutOfKind(exemplar, family, kind) {
	const write = kind === date ? writeDate : kind === map ? writeMap : kind === set ? writeSet : isArrayKind(kind) ? writeArray : void 0;
	return write === void 0 ? void 0 : {
		exemplar,
		family,
		identities: family.identities,
		shape: void 0,
		write,
		last: [NONE$1, NONE$1]
	};
}
function isArrayKind(kind) {
	return kind === general || kind === integers || kind === doubles;
}
/** Keeps the layouts that were met last, the newest first. */
function remember({ layouts }, layout) {
	for (let i = layouts.length < RECENT ? layouts.length : 3; i > 0; i--) layouts[i] = layouts[i - 1];
	layouts[0] = layout;
}
/** The layout of the object, if it is one of those. */
function recall({ layouts }, object, sameShape) {
	for (let i = 0; i < layouts.length; i++) {
		const layout = layouts[i];
		if (sameShape(object, layout.exemplar)) return layout;
	}
}
/** Whether a hole could be filled by a prototype: then elements are not to be read without looking. */
function areElementsInherited() {
	return startsWithIndex(arrayPrototype) || startsWithIndex(objectPrototype);
}
function startsWithIndex(object) {
	const first = namesOf(object)[0] ?? "";
	return `${first >>> 0}` === first;
}
function writeDate(writer, object) {
	if (enumerableKeys(object).length !== 0) return false;
	writer.byte(date.tag);
	writer.double(timeOf(object));
	return true;
}
function writeMap(writer, object, { last }) {
	const size = mapSize(object);
	if (size > 8192 || enumerableKeys(object).length !== 0) return false;
	writer.tagged(map.tag, size);
	mapForEach(object, (value, key) => {
		writer.valueAt(last, 0, key);
		writer.valueAt(last, 1, value);
	});
	return true;
}
function writeSet(writer, object, { last }) {
	const size = setSize(object);
	if (size > 8192 || enumerableKeys(object).length !== 0) return false;
	writer.tagged(set.tag, size);
	setForEach(object, (value) => writer.valueAt(last, 0, value));
	return true;
}
function writeArray(writer, object, { last }) {
	const array = object;
	const { length } = array;
	if (length > 8192) return false;
	let areNumbers = length > 0;
	let areIntegers = true;
	for (let i = 0; i < length; i++) {
		const value = array[i];
		if (typeof value === "number") areIntegers &&= (value | 0) === value && (value !== 0 || !is(value, -0));
		else {
			areNumbers = false;
			if (value === void 0 && !hasOwn(array, i)) return false;
		}
	}
	if (!areNumbers) {
		writer.tagged(general.tag, length);
		for (let i = 0; i < length; i++) writer.valueAt(last, 0, array[i]);
	} else if (areIntegers) {
		writer.tagged(integers.tag, length);
		for (let i = 0; i < length; i++) {
			const value = array[i];
			writer.varint((value << 1 ^ value >> 31) >>> 0);
		}
	} else {
		writer.tagged(doubles.tag, length);
		for (let i = 0; i < length; i++) writer.double(array[i]);
	}
	return true;
}
// packages/heap/src/identities.ts
/** Members of a group. */
const LARGE = 1e3;
function createGroup() {
	return {
		members: new SafeSet(),
		numbers: new SafeMap(),
		runs: [],
		settled: 0,
		below: 0
	};
}
var Mentions = class {
	division;
	all = [];
	/** The set of all objects, if they are in one. */
	one;
	/** Of the first piece, where pieces are apart and it is over. */
	first;
	/** Those that may go on, and the one that is being written. */
	groups = new SafeMap();
	group;
	/** The place of a member of this piece, less its index. */
	offset = 0;
	/** The places of objects of later ones that last, in order. */
	lasting = new SafeMap();
	/** Of shared and known objects; where pieces are apart, of those of the first and that last, and the others of this group. */
	numbers = new SafeMap();
	ownNumbers = this.numbers;
	count = 0;
	/** Where all are in one and somebody wants to know: those that were met since the last time. */
	fresh = [];
	isListing = false;
	shared = 0;
	knowns = 0;
	/** Of pieces that are over, but for the first: place and number of each shared object, by place; then those of groups that have gone on. */
	settled = [];
	late = [];
	/** Large ones that have gone on, whose members are not gone through each time. */
	unsettled = new SafeSet();
	constructor(division) {
		this.division = division;
		this.one = division === "whole" ? void 0 : this.identities();
	}
	/** How many objects this piece has met, or all. */
	get met() {
		return this.one === void 0 ? this.count : this.fresh.length;
	}
	identities() {
		if (this.one !== void 0) return this.one;
		const made = {
			members: new SafeSet(),
			places: [],
			base: 0,
			isShared: false
		};
		this.all[this.all.length] = made;
		return made;
	}
	/** Another piece begins; those of a group may have anything in common. */
	begin(key) {
		const { one } = this;
		if (this.division !== "apart" || one === void 0) return;
		if (this.first === void 0) {
			this.first = { ...one };
			this.count = one.members.size - one.base;
		} else this.settle();
		let group = key === void 0 ? void 0 : this.groups.get(key);
		if (group === void 0) {
			group = createGroup();
			if (key !== void 0) this.groups.set(key, group);
		}
		const { members, numbers, runs } = group;
		runs[runs.length] = members.size;
		runs[runs.length] = this.count;
		this.group = group;
		this.offset = this.count - members.size;
		one.members = members;
		one.base = 0;
		this.ownNumbers = numbers;
	}
	/** The piece is over. */
	settle() {
		const group = this.group;
		this.count = this.offset + group.members.size;
		if (group.runs.length === 2) this.settleGroup(group, this.settled);
		else if (group.members.size > LARGE) this.unsettled.add(group);
		else this.settleLate(group);
	}
	settleLate(group) {
		const late = [];
		this.settleGroup(group, late);
		if (late.length > 0) this.late[this.late.length] = late;
	}
	/** Notes members that have become shared. */
	settleGroup(group, settled) {
		const { members, numbers, runs, below } = group;
		if (numbers.size === group.settled) return;
		group.settled = numbers.size;
		group.below = this.shared;
		let index = 0;
		let run = 0;
		members.forEach((object) => {
			while (index === runs[run + 2]) run += 2;
			const number = numbers.get(object);
			if (number !== void 0 && number >= below) {
				settled[settled.length] = index - runs[run] + runs[run + 1];
				settled[settled.length] = number;
			}
			index++;
		});
	}
	/** False if the object was there before. */
	enter({ members, places }, object) {
		if (this.one !== void 0) return this.enterOne(members, object);
		const { size } = members;
		members.add(object);
		if (members.size === size) return false;
		places[places.length] = this.count++;
		return true;
	}
	enterOne(members, object) {
		if (this.isOld(object)) return false;
		const { size } = members;
		members.add(object);
		if (members.size === size) return false;
		if (this.isListing) this.fresh[this.fresh.length] = object;
		return true;
	}
	isOld(object) {
		return this.first !== void 0 && (this.first.members.has(object) || this.lasting.has(object));
	}
	/** The object that was the last to enter may stand in other pieces too. */
	keep(object) {
		if (this.first !== void 0) this.lasting.set(object, this.offset + this.one.members.size - 1);
	}
	/** The object that was the last to enter will enter elsewhere. */
	withdraw({ members, places }, object) {
		members.delete(object);
		if (this.one === void 0) {
			places.length--;
			this.count--;
		} else if (this.isListing) this.fresh.length--;
	}
	/** Where all are in one, whether this object has been met. */
	isMet(object) {
		return this.one?.members.has(object) === true || this.isOld(object);
	}
	/** Whether `forEachNew` will be asked. */
	list(isListing) {
		this.isListing = isListing;
		this.fresh = [];
	}
	/** Objects that are known by name, entered before all others, look as if they had been met: then nobody has to look them up. */
	enterKnown(identities, object) {
		identities.members.add(object);
		identities.base = identities.members.size;
	}
	/** The number of a shared object; below zero, -1 minus that of a known one. */
	numberOf(object) {
		return this.ownNumbers.get(object) ?? (this.first === void 0 ? void 0 : this.numbers.get(object));
	}
	share(identities, object) {
		const isOld = this.isOld(object);
		(isOld ? this.first : identities).isShared = true;
		(isOld ? this.numbers : this.ownNumbers).set(object, this.shared);
		return this.shared++;
	}
	numberKnown(object) {
		this.numbers.set(object, -1 - this.knowns);
		return this.knowns++;
	}
	/** At least those that were met since it was last said that they are to be listed. */
	forEachNew(visit) {
		if (!this.isListing) return this.forEach(visit);
		for (let i = 0; i < this.fresh.length; i++) visit(this.fresh[i]);
	}
	/** All that can be mentioned again but known ones, by their places. */
	forEach(visit) {
		if (this.one !== void 0) {
			if (this.first !== void 0) inOrder(this.first, visit);
			return inOrder(this.one, visit);
		}
		const others = [];
		for (let i = 0; i < this.count; i++) others[i] = PLACE;
		for (let i = 0; i < this.all.length; i++) {
			const { places } = this.all[i];
			inOrder(this.all[i], (object, index) => others[places[index]] = object);
		}
		for (let i = 0; i < others.length; i++) visit(others[i]);
	}
	/** Which objects are mentioned again, by their places. */
	write(sink) {
		sink.varint(this.shared);
		let last = 0;
		const put = (place, number) => {
			sink.varint(place - last);
			sink.varint(number);
			last = place;
		};
		if (this.one === void 0) return this.writeScattered(put);
		const { first = this.one, numbers, settled } = this;
		if (first.isShared) inOrder(first, (object, place) => {
			const number = numbers.get(object);
			if (number !== void 0 && number >= 0) put(place, number);
		});
		if (first === this.one) return;
		this.settle();
		const lasting = [];
		this.lasting.forEach((place, object) => {
			const number = numbers.get(object);
			if (number === void 0) return;
			lasting[lasting.length] = place;
			lasting[lasting.length] = number;
		});
		this.unsettled.forEach((group) => this.settleLate(group));
		const all = merged(merged(settled, lasting), allMerged(this.late, 0, this.late.length));
		for (let i = 0; i < all.length; i += 2) put(all[i], all[i + 1]);
	}
	writeScattered(put) {
		const numbers = new Int32Array(this.count);
		for (let i = 0; i < this.all.length; i++) {
			const { places, isShared } = this.all[i];
			if (!isShared) continue;
			inOrder(this.all[i], (object, index) => {
				const number = this.numbers.get(object);
				if (number !== void 0 && number >= 0) numbers[places[index]] = number + 1;
			});
		}
		for (let place = 0; place < numbers.length; place++) if (numbers[place] !== 0) put(place, numbers[place] - 1);
	}
};
/** All members but known ones, with their indices. */
function inOrder({ members, base }, visit) {
	let index = -base;
	members.forEach((object) => {
		if (index >= 0) visit(object, index);
		index++;
	});
}
const PLACE = {};
/** Places and numbers in turn, by place, of both. */
function merged(one, other) {
	if (other.length === 0) return one;
	const both = [];
	let next = 0;
	for (let i = 0; i < one.length; i += 2) {
		for (; next < other.length && other[next] < one[i]; next += 2) append$1(both, other, next);
		append$1(both, one, i);
	}
	for (; next < other.length; next += 2) append$1(both, other, next);
	return both;
}
function allMerged(lists, from, to) {
	if (to - from < 2) return from < to ? lists[from] : [];
	const middle = from + to >> 1;
	return merged(allMerged(lists, from, middle), allMerged(lists, middle, to));
}
function append$1(to, from, at) {
	to[to.length] = from[at];
	to[to.length] = from[at + 1];
}
// packages/heap/src/sink.ts
const { toString } = BigInt.prototype;
const call = Function.prototype.call.bind(toString);
/** Parts are not made bigger than this, but by one thing that is. */
const PART$1 = 1 << 20;
var Sink = class {
	/** The part that is being filled, and how far it is. */
	bytes;
	at = 0;
	/** Parts that are full and that nobody takes, and how many bytes there are before the one that is being filled. */
	full = [];
	give;
	before = 0;
	sum = new Checksum();
	view;
	room;
	/** Long strings that were written, and those that will be known for good. */
	strings = new SafeMap();
	lasting = this.strings;
	count = 0;
	constructor(capacity, give) {
		this.give = give;
		this.bytes = new Uint8Array(capacity);
		this.view = new DataView(this.bytes.buffer);
		this.room = capacity;
	}
	reserve(count) {
		if (this.at + count > this.room) this.grow(count);
	}
	grow(count) {
		const rest = this.at <= 8 ? this.at : this.at & 7;
		const end = this.at - rest;
		const capacity = Math.max(Math.min(this.room * 2, PART$1), count + 16);
		const bytes = new Uint8Array(capacity);
		for (let i = 0; i < rest; i++) bytes[i] = this.bytes[end + i];
		if (end > 0) {
			this.sum.add(this.bytes, this.before === 0 ? 8 : 0, end);
			const part = new Uint8Array(this.bytes.buffer, 0, end);
			if (this.give === void 0) this.full[this.full.length] = part;
			else this.give(part);
		}
		this.before += end;
		this.bytes = bytes;
		this.at = rest;
		this.view = new DataView(bytes.buffer);
		this.room = capacity;
	}
	get size() {
		return this.before + this.at;
	}
	/** The checksum of all so far, at the end; then all that has not been given away. */
	close() {
		this.reserve(4);
		this.sum.add(this.bytes, this.before === 0 ? 8 : 0, this.at);
		this.uint32(this.sum.value);
		const { full } = this;
		const rest = new Uint8Array(this.bytes.buffer, 0, this.at);
		if (full.length === 0) return rest;
		let length = this.at;
		for (let i = 0; i < full.length; i++) length += full[i].length;
		const all = new Uint8Array(length);
		let at = 0;
		for (let i = 0; i < full.length; i++) {
			copyInto(all, full[i], at);
			at += full[i].length;
		}
		copyInto(all, rest, at);
		return all;
	}
	/** Those from the first time on that it is called are written again. */
	forgetStrings() {
		this.strings = new SafeMap();
	}
	byte(value) {
		if (this.at === this.room) this.grow(1);
		this.bytes[this.at++] = value;
	}
	/** An unsigned integer below 2^53, seven bits a byte, lowest first. */
	varint(value) {
		if (this.at + 8 > this.room) this.grow(8);
		while (value > 2147483647) {
			this.bytes[this.at++] = value % 128 | 128;
			value = Math.floor(value / 128);
		}
		while (value > 127) {
			this.bytes[this.at++] = value & 127 | 128;
			value >>>= 7;
		}
		this.bytes[this.at++] = value;
	}
	/** A tag and a count. */
	tagged(tag, value) {
		if (this.at + 9 > this.room) this.grow(9);
		this.bytes[this.at++] = tag;
		while (value > 127 && value <= 2147483647) {
			this.bytes[this.at++] = value & 127 | 128;
			value >>>= 7;
		}
		if (value > 127) this.varint(value);
		else this.bytes[this.at++] = value;
	}
	uint32(value) {
		this.reserve(4);
		for (let i = 0; i < 4; i++) this.bytes[this.at++] = value >>> 8 * i & 255;
	}
	double(value) {
		if (this.at + 8 > this.room) this.grow(8);
		setDouble(this.view, this.at, value, true);
		this.at += 8;
	}
	number(value) {
		if ((value | 0) === value && (value !== 0 || !is(value, -0))) {
			if (value >= 0 && value < 128) return this.byte(128 | value);
			return this.tagged(4, (value << 1 ^ value >> 31) >>> 0);
		}
		if (this.at + 9 > this.room) this.grow(9);
		this.bytes[this.at++] = 5;
		setDouble(this.view, this.at, value, true);
		this.at += 8;
	}
	string(text) {
		const { length } = text;
		if (length < 32) {
			if (this.at + 1 + length > this.room) this.grow(1 + length);
			const { bytes } = this;
			let { at } = this;
			bytes[at++] = 96 | length;
			for (let i = 0; i < length; i++) {
				const code = charCodeAt(text, i);
				if (code > 255) return this.wide(text);
				bytes[at++] = code;
			}
			this.at = at;
			return;
		}
		if (length > 40) {
			const before = this.strings.get(text) ?? (this.lasting === this.strings ? void 0 : this.lasting.get(text));
			if (before !== void 0) return this.tagged(9, before);
			this.strings.set(text, this.count++);
		}
		this.reserve(length + 9);
		const start = this.at;
		this.tagged(7, length);
		const { bytes } = this;
		let { at } = this;
		for (let i = 0; i < length; i++) {
			const code = charCodeAt(text, i);
			if (code > 255) {
				this.at = start;
				return this.wide(text);
			}
			bytes[at++] = code;
		}
		this.at = at;
	}
	wide(text) {
		const { length } = text;
		this.reserve(length * 2 + 9);
		this.tagged(8, length);
		for (let i = 0; i < length; i++) {
			const code = charCodeAt(text, i);
			this.bytes[this.at++] = code & 255;
			this.bytes[this.at++] = code >> 8;
		}
	}
	/** Sign and magnitude, the magnitude's bytes lowest first. */
	bigint(value) {
		this.byte(6);
		const negative = value < 0n;
		const digits = call(negative ? -value : value, 16);
		const length = digits.length + 1 >> 1;
		this.byte(negative ? 1 : 0);
		this.varint(length);
		this.reserve(length);
		for (let i = 0; i < length; i++) {
			const high = digits.length - 2 * i - 2;
			const upper = high < 0 ? 0 : digitOf(charCodeAt(digits, high));
			this.bytes[this.at++] = upper << 4 | digitOf(charCodeAt(digits, high + 1));
		}
	}
	blob(bytes) {
		this.reserve(bytes.length);
		copyInto(this.bytes, bytes, this.at);
		this.at += bytes.length;
	}
};
function digitOf(code) {
	return code < 58 ? code - 48 : code - 87;
}
// packages/heap/src/weak-entries.ts
var WeakEntries = class {
	ports;
	mentions;
	collections = [];
	/** By the keys that have not been reached, the collections that have them. */
	waiting = new SafeMap();
	/** Of these, by what they come back with. */
	carried = new SafeMap();
	hiding = [];
	/** Proxies and symbols that were met: the engine does not show keys of these sorts. */
	hidden = [];
	/** How many of the collections and of the hidden keys have been asked about each other. */
	asked = 0;
	askedFor = 0;
	isFirst = true;
	constructor(ports, mentions) {
		this.ports = ports;
		this.mentions = mentions;
	}
	add(collection) {
		this.collections[this.collections.length] = collection;
	}
	/** A proxy or symbol has been met. */
	hide(key) {
		this.hidden[this.hidden.length] = key;
	}
	/** Another piece begins. */
	begin() {
		this.isFirst = false;
	}
	/** The entries whose keys have been reached since the last time. */
	take() {
		const { collections, ports, mentions, hiding, waiting } = this;
		const entries = [];
		const hasNew = this.asked < collections.length;
		const hid = hiding.length;
		let areKnown = false;
		for (let i = this.asked; i < collections.length; i++) areKnown = this.meet(collections[i], entries) || areKnown;
		const reach = (key) => {
			const found = waiting.get(key) ?? NONE;
			for (let i = 0; i < found.length; i++) {
				const collection = found[i];
				if (hasKey(collection, key)) entries[entries.length] = [collection, key];
			}
			if (found !== NONE) waiting.delete(key);
			for (let i = 0; i < hiding.length; i++) ask(hiding[i], key, entries);
		};
		const visit = (key) => {
			reach(key);
			const carried = this.carried.get(key);
			if (carried === void 0) return;
			this.carried.delete(key);
			inOrderOfNames(carried).forEach(reach);
		};
		const { length } = hiding;
		if (areKnown || length > hid) ports.known.forEach(visit);
		if (hasNew && this.isFirst || length > hid) {
			if (waiting.size > 0 || length > 0) mentions.forEach(visit);
		} else if (waiting.size > 0 || length > 0) mentions.forEachNew(visit);
		if (mentions.one !== void 0) mentions.list(waiting.size > 0 || length > 0);
		this.takeHidden(entries);
		return entries;
	}
	/** What a key comes back with if nobody mentions it: a method with its class, what a function makes inherit from with the function. */
	carrierOf(key) {
		for (const adapter of this.ports.adapters ?? []) {
			const carrier = adapter.asks === "functions" === (typeof key === "function") ? adapter.bornWith?.(key) : void 0;
			if (carrier !== void 0) return carrier;
		}
		if (typeof key === "function" || !hasOwn(key, "constructor")) return void 0;
		const made = descriptorOf(key, "constructor")?.value;
		return typeof made === "function" && descriptorOf(made, "prototype")?.value === key ? made : void 0;
	}
	/** Asks a new collection for its keys; whether some of those that wait are known by name. */
	meet(collection, entries) {
		const given = this.ports.weakKeys?.(collection);
		if (given === void 0) {
			this.hiding[this.hiding.length] = {
				collection,
				found: new SafeSet()
			};
			return false;
		}
		let areKnown = false;
		for (let i = 0; i < given.length; i++) {
			const key = given[i];
			const isKnown = this.ports.known.nameOf(key) !== void 0;
			const carrier = isKnown ? void 0 : this.carrierOf(key);
			const isMet = (object) => !this.isFirst && this.mentions.isMet(object);
			if (!this.isFirst && isKnown || isMet(key) || carrier !== void 0 && isMet(carrier)) {
				entries[entries.length] = [collection, key];
				continue;
			}
			areKnown ||= isKnown;
			const before = this.waiting.get(key);
			if (before !== void 0) {
				before[before.length] = collection;
				continue;
			}
			this.waiting.set(key, [collection]);
			if (carrier === void 0) continue;
			const others = this.carried.get(carrier);
			if (others === void 0) this.carried.set(carrier, [key]);
			else others[others.length] = key;
		}
		return areKnown;
	}
	/** Each collection and each hidden key are asked about once. */
	takeHidden(entries) {
		const { collections, hidden } = this;
		for (let h = 0; h < hidden.length; h++) {
			const key = hidden[h];
			for (let c = h < this.askedFor ? this.asked : 0; c < collections.length; c++) {
				const collection = collections[c];
				if (hasKey(collection, key)) entries[entries.length] = [collection, key];
			}
		}
		this.asked = collections.length;
		this.askedFor = hidden.length;
	}
};
function ask({ collection, found }, key, entries) {
	if (found.has(key) || !hasKey(collection, key)) return;
	found.add(key);
	entries[entries.length] = [collection, key];
}
/** Whatever order the engine gives. */
function inOrderOfNames(keys) {
	const nameOf = (key) => String(descriptorOf(key, "name")?.value);
	return keys.toSorted((one, other) => nameOf(one) < nameOf(other) ? -1 : 1);
}
function hasKey(collection, key) {
	return isWeakMap(collection) ? weakMapHas(collection, key) : weakSetHas(collection, key);
}
const NONE = [];
const PROBE = {};
/** Those that have been asked: it takes an error to tell that one is a WeakSet. */
const areMaps = /* @__PURE__ */ new WeakMap();
function isWeakMap(collection) {
	let isMap = weakMapGet(areMaps, collection);
	if (isMap === void 0) {
		isMap = accepts((value) => weakMapHas(value, PROBE), collection);
		weakMapSet(areMaps, collection, isMap);
	}
	return isMap;
}
// packages/heap/src/numbered-sink.ts
var NumberedSink = class extends Sink {
	ports;
	mentions;
	weak;
	symbols = new SafeMap();
	pools = new PoolWriter();
	/** Objects whose headers are being written. */
	opening = [];
	headers = 0;
	constructor(ports, capacity, division, give) {
		super(capacity, give);
		this.ports = ports;
		this.mentions = new Mentions(division);
		this.weak = new WeakEntries(ports, this.mentions);
	}
	value(value) {
		switch (typeof value) {
			case "object": return value === null ? this.byte(1) : this.node(value, false);
			case "string": return this.string(value);
			case "number": return this.number(value);
			case "boolean": return this.byte(value ? 2 : 3);
			case "undefined": return this.byte(0);
			case "function": return this.node(value, false);
			case "symbol": return this.symbol(value);
			case "bigint": return this.bigint(value);
		}
	}
	/** For headers: the contents come later, so that they may refer to what is being allocated. */
	shallow(value) {
		if ((typeof value !== "object" || value === null) && typeof value !== "function") return this.value(value);
		if (++this.headers > 400) throw new Refusal(value, "too many objects need each other to be made", "shorten the chain of prototypes, proxies or bound functions");
		if (!this.repeated(value)) this.node(value, true);
		this.headers--;
	}
	symbol(value) {
		const number = this.symbols.get(value);
		if (number !== void 0) return this.tagged(19, number);
		const name = this.ports.known.nameOf(value);
		if (name !== void 0) return this.known(value, name);
		const key = keyFor$1(value);
		if (key !== void 0) {
			this.byte(17);
			return this.string(key);
		}
		this.symbols.set(value, this.symbols.size);
		this.weak.hide(value);
		this.byte(18);
		this.value(value.description);
	}
	known(object, name) {
		const number = this.mentions.numberOf(object);
		if (number !== void 0) return this.tagged(11, -1 - number);
		this.tagged(11, this.mentions.numberKnown(object));
		this.string(name);
	}
	/** Writes the number of an object that has one. */
	repeated(object) {
		const number = this.mentions.numberOf(object);
		if (number === void 0) return false;
		if (number < 0) this.tagged(11, -1 - number);
		else this.tagged(10, number);
		return true;
	}
	again(identities, object) {
		if (this.repeated(object)) return;
		const name = this.ports.known.nameOf(object);
		if (name !== void 0) return this.known(object, name);
		for (let i = 0; i < this.opening.length; i++) if (this.opening[i] === object) throw new Refusal(object, "it is needed to make itself", "break the cycle between its prototype or target and it");
		this.tagged(10, this.mentions.share(identities, object));
	}
	/** Whether the buffer is one of Node's pools. If so, this part of it is state; where it lies will be said in the footer. */
	cover(buffer, from, length) {
		if (this.ports.isPool?.(buffer) !== true && !isChunk(buffer)) return false;
		this.pools.add(buffer, from, length);
		return true;
	}
	/** A weak collection whose entries count as far as their keys are reached otherwise. */
	addWeak(collection) {
		this.weak.add(collection);
	}
	/** The entries whose keys have been reached since the last time; false when there are none. */
	weakEntries() {
		const entries = this.weak.take();
		this.varint(entries.length);
		for (let i = 0; i < entries.length; i++) {
			const [collection, key] = entries[i];
			this.value(collection);
			this.value(key);
			if (isWeakMap(collection)) this.value(weakMapGet(collection, key));
		}
		return entries.length > 0;
	}
	/** The bytes that have not been given away; only after `run` has answered true. */
	finish() {
		const footer = this.size;
		this.mentions.write(this);
		this.pools.write(this);
		this.uint32(this.size - footer);
		return this.close();
	}
};
const { keyFor: keyFor$1 } = Symbol;
// packages/heap/src/baseline.ts
/** Stands for what such a property is. */
const UNREAD = {};
const { untouched } = { untouched() {} };
const constructible = function() {};
var Baseline = class {
	/** Of all, those that are looked at closely, and the functions that look like any other, with their entries. */
	#all = new SafeMap();
	#entries = [];
	/** Those that were different once, and how many moments there were at which one was first found to be. */
	#changed = [];
	#moments = 0;
	#alikes;
	#firstUnlike;
	#unread;
	constructor(firstUnlike, unread) {
		this.#firstUnlike = firstUnlike;
		this.#unread = unread;
		this.#alikes = [{
			reference: untouched,
			functions: [],
			entries: [],
			prototypes: void 0
		}, {
			reference: constructible,
			functions: [],
			entries: [],
			prototypes: []
		}];
	}
	/** Once. `read`: what its properties are, if that is known. */
	add(object, read = propertiesOf(object, this.#unread)) {
		if (this.#all.has(object)) return;
		const entry = entryOf(object, read, this.#all.size);
		this.#all.set(object, entry);
		if (typeof object === "function" && this.#firstUnlike !== void 0) for (let i = 0; i < this.#alikes.length; i++) {
			const { reference, functions, entries, prototypes } = this.#alikes[i];
			if (this.#firstUnlike([object], reference, 0) !== 1) continue;
			functions[functions.length] = object;
			entries[entries.length] = entry;
			if (prototypes !== void 0) prototypes[prototypes.length] = object.prototype;
			return;
		}
		this.#entries[this.#entries.length] = entry;
	}
	/** What a property was; nothing if it was not there, or has never been read. */
	bornAs(object, key) {
		const entry = this.#all.get(object);
		const born = entry?.descriptors[placeIn(entry.keys, key)];
		return born === UNREAD ? void 0 : born;
	}
	/** From now on these properties, as far as they are there, are as they are now. */
	accept({ object, properties }) {
		const { keys, descriptors } = this.#all.get(object);
		for (let i = 0; i < properties.length; i++) {
			const change = properties[i];
			const now = change[1];
			if (now === void 0) continue;
			const at = placeIn(keys, change[0]);
			append(keys, change[0], at);
			append(descriptors, now, at);
		}
	}
	/**
	* Gives the objects back what a program has replaced or taken away, and takes away what is in everybody's way. What it answers
	* brings the differences about again.
	*/
	mend(differences) {
		let undo = () => {};
		for (let i = 0; i < differences.length; i++) {
			const { object, properties } = differences[i];
			for (let p = 0; p < properties.length; p++) {
				const key = properties[p][0];
				const now = descriptorOf(object, key);
				if (now?.configurable === false) continue;
				const born = this.bornAs(object, key);
				if (born === void 0 ? !disturbs(key) || !deleteProperty(object, key) : !define(object, key, born)) continue;
				const before = undo;
				undo = () => {
					if (now === void 0) deleteProperty(object, key);
					else define(object, key, now);
					before();
				};
			}
		}
		return undo;
	}
	/** In the order in which the objects were added. */
	differences(counts) {
		const found = [];
		const look = (entry) => this.#look(entry, counts, found);
		for (let i = 0; i < this.#entries.length; i++) look(this.#entries[i]);
		for (let i = 0; i < this.#alikes.length; i++) this.#unlike(this.#alikes[i], look);
		return differencesOf(found);
	}
	/** Of those that have been different before. What has not is as it was, or a confirmation that begins now will say so. */
	differencesOfChanged(counts) {
		const found = [];
		const { length } = this.#changed;
		for (let i = 0; i < length; i++) this.#look(this.#changed[i], counts, found);
		return differencesOf(found);
	}
	/** Whether objects that have never been different still are not. */
	confirmation(counts) {
		const begun = this.#moments;
		const found = [];
		const look = (entry) => {
			if (entry.changedAt === 0 || entry.changedAt > begun) this.#look(entry, counts, found);
		};
		let next = 0;
		let group = 0;
		return (budget) => {
			const end = next + budget;
			for (; next < end && next < this.#entries.length; next++) look(this.#entries[next]);
			if (next === this.#entries.length && group < this.#alikes.length) this.#unlike(this.#alikes[group++], look);
			if (found.length > 0) return { changed: found[0][1] };
			return next < this.#entries.length || group < this.#alikes.length ? "more" : "same";
		};
	}
	/** One that came late may be different already. */
	look(object, counts) {
		const entry = this.#all.get(object);
		if (entry !== void 0) this.#look(entry, counts, []);
	}
	#look(entry, counts, found) {
		const difference = differenceTo(entry, counts, this.#unread);
		if (difference === void 0) return;
		insert(found, entry.place, difference);
		if (entry.changedAt > 0) return;
		entry.changedAt = ++this.#moments;
		append(this.#changed, entry);
	}
	/** Those that do not look like the others of their group. */
	#unlike({ reference, functions, entries, prototypes }, look) {
		for (let from = 0; this.#firstUnlike !== void 0 && from < functions.length;) {
			const at = this.#firstUnlike(functions, reference, from);
			const born = prototypes ?? [];
			for (let p = from; p < born.length && p < at; p++) if (functions[p].prototype !== born[p]) look(entries[p]);
			if (at < functions.length) look(entries[at]);
			from = at + 1;
		}
	}
};
function differencesOf(found) {
	const differences = [];
	for (let i = 0; i < found.length; i++) append(differences, found[i][1]);
	return differences;
}
/** The number of keys if it is none of them. */
function placeIn(keys, key) {
	let at = 0;
	while (at < keys.length && keys[at] !== key) at++;
	return at;
}
const textOf = String;
const numberOf = Number;
/** Whatever a program has made of objects and arrays in general. */
function define(object, key, descriptor) {
	setPrototypeOf(descriptor, null);
	return defineProperty(object, key, descriptor);
}
function append(list, value, at = list.length) {
	defineProperty(list, at, {
		__proto__: null,
		value,
		writable: true,
		enumerable: true,
		configurable: true
	});
}
/** Of a property descriptor that is made as a literal, if an object that all others inherit from has them. */
const FIELDS = new SafeSet();
for (const field of [
	"value",
	"get",
	"set",
	"writable",
	"enumerable",
	"configurable"
]) FIELDS.add(field);
/** Whether a property that an object of the language did not have may change what ordinary code does. */
function disturbs(key) {
	return FIELDS.has(key) || typeof key === "string" && textOf(numberOf(key) >>> 0) === key;
}
function insert(found, place, difference) {
	let at = found.length;
	append(found, [place, difference]);
	for (; at > 0 && found[at - 1][0] > place; at--) found[at] = found[at - 1];
	found[at] = [place, difference];
}
function propertiesOf(object, unread) {
	const keys = ownKeys(object);
	const descriptors = [];
	for (let i = 0; i < keys.length; i++) {
		const key = keys[i];
		descriptors[i] = unread?.is(object, key) === true ? UNREAD : descriptorOf(object, key);
	}
	return {
		keys,
		descriptors
	};
}
/** What a property is now that is known to have been something. */
function readAgain(object, key, born, unread) {
	if (born !== UNREAD || unread === void 0) return descriptorOf(object, key);
	if (unread.is(object, key)) return UNREAD;
	const now = descriptorOf(object, key);
	return now !== void 0 && unread.isOfHost(key, now) ? UNREAD : now;
}
function entryOf(object, { keys, descriptors }, place) {
	return {
		object,
		keys,
		descriptors,
		prototype: prototypeOf(object),
		extensible: isExtensible(object),
		place,
		changedAt: 0
	};
}
function differenceTo(entry, counts, unread) {
	const { object, keys, descriptors } = entry;
	const now = ownKeys(object);
	const prototype = prototypeOf(object);
	const sealed = entry.extensible && !isExtensible(object);
	let same = now.length === keys.length && prototype === entry.prototype && !sealed;
	for (let i = 0; same && i < keys.length; i++) {
		const born = descriptors[i];
		same = now[i] === keys[i] && isSame(readAgain(object, keys[i], born, unread), born);
	}
	if (same) return void 0;
	const properties = [];
	for (let i = 0; i < keys.length; i++) {
		const key = keys[i];
		const born = descriptors[i];
		const descriptor = readAgain(object, key, born, unread);
		if (!isSame(descriptor, born) && counts?.(object, key, born, descriptor) !== false) append(properties, [key, descriptor]);
	}
	const old = new SafeSet();
	for (let i = 0; i < keys.length; i++) old.add(keys[i]);
	for (let i = 0; i < now.length; i++) {
		const key = now[i];
		if (old.has(key)) continue;
		const descriptor = descriptorOf(object, key);
		if (counts?.(object, key, void 0, descriptor) !== false) append(properties, [key, descriptor]);
	}
	const difference = {
		object,
		properties,
		sealed
	};
	if (prototype !== entry.prototype) return {
		...difference,
		prototype: { value: prototype }
	};
	return properties.length === 0 && !sealed ? void 0 : difference;
}
function isSame(a, b) {
	if (a === void 0 || a === UNREAD || b === UNREAD) return a === b;
	return is(a.value, b.value) && a.get === b.get && a.set === b.set && a.writable === b.writable && a.enumerable === b.enumerable && a.configurable === b.configurable;
}
/** What is to be written of them. */
function withoutLeft(differences, ports) {
	if (ports.leaves === void 0) return differences;
	const kept = [];
	for (let i = 0; i < differences.length; i++) {
		const difference = differences[i];
		const properties = [];
		for (let p = 0; p < difference.properties.length; p++) {
			const [key, descriptor] = difference.properties[p];
			if (descriptor === void 0 || !isLeft(ports, descriptor)) properties[properties.length] = [key, descriptor];
		}
		if (properties.length > 0 || difference.prototype !== void 0 || difference.sealed) kept[kept.length] = {
			...difference,
			properties
		};
	}
	return kept;
}
// packages/heap/src/writer.ts
var HeapWriter = class extends NumberedSink {
	adapters;
	/** Those for which other functions stand in. */
	representing = [];
	isProxy;
	families;
	isApart;
	shapes = 0;
	depth = 0;
	left = Infinity;
	queue = [];
	next = 0;
	engine;
	hasLayouts;
	/** The number of the adapter that takes what would be refused. */
	rescuer;
	/** The layout of the object that was written last, if it has one. */
	met = void 0;
	/** A field, so that V8 compiles the engine's answer into encoders. */
	sameShape;
	/** `start` comes next. Unless it is to be written whole, there may be calls of `more`. */
	constructor(ports, capacity, division, give) {
		super(ports, capacity, division, give);
		this.isApart = division === "apart";
		this.adapters = adaptersOf(ports);
		for (let i = 0; i < this.adapters.length; i++) if (this.adapters[i]?.represents !== void 0) this.representing[this.representing.length] = this.adapters[i];
		this.isProxy = ports.types.isProxy;
		this.rescuer = rescuerAmong(this.adapters);
		const { engine } = ports.realm.parts.host;
		this.engine = engine;
		this.sameShape = engine?.sameShape ?? never;
		this.hasLayouts = engine !== void 0 && !areElementsInherited();
		this.families = new Families(ports, this.adapters, this.mentions);
		const { knownProxies } = this.families;
		for (let i = 0; i < knownProxies.length; i++) this.weak.hide(knownProxies[i]);
		for (let i = 0; i < MAGIC.length; i++) this.byte(MAGIC[i]);
		this.byte(4);
		this.byte(ABI_VERSION);
		this.byte(0);
		this.byte(0);
		this.string(ports.program ?? "");
	}
	/** Writes one more root, and all that it leads to and earlier ones did not. Between two of them everything may change. */
	more(root, group) {
		this.mentions.begin(group);
		this.another(root);
	}
	/** The same, of the piece that goes on. */
	another(root) {
		this.families.forget();
		this.weak.begin();
		if (this.isApart) this.forgetStrings();
		this.hasLayouts = this.engine !== void 0 && !areElementsInherited();
		this.value(root);
		this.run(Infinity);
	}
	/** Writes on, at most about `budget` objects; true when everything is written. */
	run(budget) {
		this.left = budget;
		for (;;) {
			while (this.next < this.queue.length) {
				if (this.left < 0) return false;
				const item = this.queue[this.next];
				const state = this.contentsOf(item);
				if (state !== void 0) item.state = state;
				else this.queue[this.next++] = void 0;
			}
			if (this.left < 0) return false;
			if (!this.weakEntries()) break;
		}
		this.left = Infinity;
		return true;
	}
	/** Begins with the root, and what is no longer as it was about known objects. */
	start(root, differences) {
		this.left = 0;
		this.value(root);
		this.left = Infinity;
		this.left = 0;
		const kept = withoutLeft(differences, this.ports);
		this.varint(kept.length);
		for (let i = 0; i < kept.length; i++) this.difference(kept[i]);
	}
	/** A value where `last[place]` says of what layout the one before was. */
	valueAt(last, place, value) {
		if (typeof value === "string") return this.string(value);
		if (typeof value === "number") return this.number(value);
		if (typeof value !== "object" || value === null) return this.value(value);
		const layout = last[place];
		if (this.sameShape(value, layout.exemplar)) this.nodeOf(layout, value);
		else last[place] = this.nodeAt(layout, value);
	}
	/** Answers the layout of the object, or the one that was expected. */
	nodeAt(expected, object) {
		this.met = expected;
		this.node(object, false);
		return this.met;
	}
	/** An object of that layout. */
	nodeOf(layout, object) {
		if (this.left <= 0 || this.depth >= 200) return this.closely(object, false);
		const { family, identities } = layout;
		if (!this.mentions.enter(identities, object)) return this.again(identities, object);
		if (identities !== family.identities && family.identities.members.has(object)) {
			this.mentions.withdraw(identities, object);
			return this.again(family.identities, object);
		}
		this.left--;
		this.depth++;
		if (layout.write(this, object, layout)) {
			if (family.privates !== void 0) this.privates(object, family);
		} else if (!family.simple) this.special(object, family, false);
		else {
			this.mentions.withdraw(identities, object);
			this.closely(object, false);
		}
		this.depth--;
		this.met = layout;
	}
	/** An object has been looked at closely and was written as `shape` or as a bare one of `kind`: others will be alike. */
	learn(object, family, shape, kind) {
		if (!this.hasLayouts || family.foreign || family.adapters.length > 0) return;
		if (this.engine?.hasFixedShape(object) !== true) return;
		const layout = shape === void 0 ? layoutOfKind(object, family, kind) : layoutOfShape(object, shape);
		if (layout === void 0) return;
		this.families.learnt(family);
		remember(family, layout);
		this.met = layout;
	}
	node(object, shallow) {
		if (!shallow && this.hasLayouts && typeof object === "object" && !this.isProxy(object)) {
			const layout = recall(this.families.of(prototypeOf(object)), object, this.sameShape);
			if (layout !== void 0) return this.nodeOf(layout, object);
		}
		this.closely(object, shallow);
	}
	closely(object, shallow) {
		let family;
		if (this.isProxy(object)) family = this.families.proxies;
		else if (typeof object === "function") {
			family = this.families.functions;
			if (this.repeated(object)) return;
			const { identities } = family;
			if (identities.members.has(object)) return this.again(identities, object);
			const name = this.ports.known.nameOf(object);
			if (name !== void 0) return this.known(object, name);
			for (let i = 0; i < this.representing.length; i++) object = this.representing[i]?.represents?.(object) ?? object;
		} else {
			const { one } = this.mentions;
			if (one !== void 0 && this.mentions.isMet(object)) return this.again(one, object);
			family = this.families.of(prototypeOf(object));
			if (family.foreign && this.ports.external?.(object) !== void 0) family = this.families.proxies;
			if (family.number < 0) {
				if (family.identities.members.has(object)) return this.again(family.identities, object);
				family = this.define(family);
			}
			if (family.privates !== void 0 && !isBranded(object, family.privates)) family = this.families.strays;
		}
		let shape;
		if (family.simple && !family.identities.members.has(object)) try {
			shape = this.shapeOf(family, namesOf(object), object);
		} catch (error) {
			if (this.rescuer < 0 || !(error instanceof Refusal)) throw error;
		}
		const { identities } = shape ?? family;
		if (!this.mentions.enter(identities, object)) return this.again(identities, object);
		const later = shallow || this.left-- <= 0 || this.depth >= 200;
		this.depth++;
		if (this.rescuer >= 0) this.orRescued(object, family, shape, later);
		else if (family.simple) this.plain(object, family, shape, later);
		else this.special(object, family, later);
		this.depth--;
	}
	/** As it is, or as what stands for it. */
	orRescued(object, family, shape, later) {
		this.reserve(FIRST_BYTES);
		const { at, depth, headers, mentions } = this;
		const { met } = mentions;
		const opening = this.opening.length;
		try {
			if (family.simple) this.plain(object, family, shape, later);
			else this.special(object, family, later);
		} catch (error) {
			if (!(error instanceof Refusal) || error.value !== object || mentions.met !== met) throw error;
			const parts = this.adapters[this.rescuer]?.rescue?.(object);
			if (parts === void 0 || this.at < at) throw error;
			this.at = at;
			this.depth = depth;
			this.headers = headers;
			this.opening.length = opening;
			this.adapted(object, this.families.proxies, this.rescuer, parts, later);
		}
	}
	/** `shape`: which its keys suggest. */
	plain(object, family, shape, later) {
		if (shape?.keys.length === 0 && this.odd(object, family, later)) return;
		if (shape !== void 0 && (later ? this.postpone(object, shape) : shape.encode?.(this, object, shape, descriptorOf) ?? encodeByKeys(this, object, shape))) {
			if (later) return;
			if (family.privates !== void 0) this.privates(object, family);
			if (shape.encodeAlike !== void 0) this.learn(object, family, shape, void 0);
			return;
		}
		this.ownObject(object, family, later);
	}
	/** The tag of an object with a shape. */
	beginObject(shape) {
		if (shape.number >= 0) return this.tagged(16, shape.number);
		shape.number = this.shapes++;
		this.tagged(15, shape.family.number);
		this.varint(shape.keys.length);
		for (let i = 0; i < shape.keys.length; i++) this.string(shape.keys[i]);
	}
	postpone(object, shape) {
		if (ordinaryValues(object, shape.keys) === void 0) return false;
		this.byte(13);
		this.beginObject(shape);
		this.enqueue({
			object,
			family: shape.family,
			shape,
			flags: 0,
			state: void 0
		});
		return true;
	}
	enqueue(item) {
		this.queue[this.queue.length] = item;
	}
	/** The shape of an object that has nothing but properties under those names; whether they are ordinary ones is another question. */
	shapeOf(family, keys, object) {
		if (family === this.families.strays || keys.length > 64 || symbolsOf(object).length > 0 || !isExtensible(object)) return void 0;
		const { shapes } = family;
		for (let i = 0; i < shapes.length; i++) {
			const shape = shapes[i];
			if (sameKeys(shape.keys, keys)) return shape;
		}
		const text = join(keys, "\n");
		let shape = family.shapesByKeys.get(text);
		if (shape === void 0) {
			for (let i = 0; i < keys.length; i++) if (keys[i] === "__proto__") return void 0;
			if (kindOfObject(this.ports, object) !== void 0 || this.coreParts(object) !== void 0) return void 0;
			shape = {
				family,
				keys,
				identities: this.mentions.identities(),
				number: -1,
				uses: 0,
				encode: void 0,
				encodeAlike: void 0
			};
			family.shapesByKeys.set(text, shape);
		} else if (!sameKeys(shape.keys, keys)) return void 0;
		if (shapes.length < 12) shapes[shapes.length] = shape;
		return shape;
	}
	/** An object of own properties with whatever attributes. */
	ownObject(object, family, later) {
		if (this.odd(object, family, later)) return;
		this.begin(void 0, 64, object, family, later, 1 | (isExtensible(object) ? 0 : 2));
	}
	/** Writes an object of a kind whose prototype does not tell. */
	odd(object, family, later) {
		const kind = kindOfObject(this.ports, object);
		if (kind !== void 0) {
			this.variant(kind, object, family, later);
			return true;
		}
		for (let i = 0; i < this.adapters.length; i++) {
			const adapter = this.adapters[i];
			const parts = i === 0 || adapter.odd === true ? adapter.take(object) : void 0;
			if (parts === void 0) continue;
			this.adapted(object, family, i, parts, later);
			return true;
		}
		return false;
	}
	coreParts(object) {
		return this.adapters[0]?.take(object);
	}
	/** Something outside: what stands for it is written whole, since the reader revives it at once. */
	external(object, family) {
		const descriptor = this.ports.external?.(object);
		if (descriptor === void 0) return false;
		if (this.isApart) this.mentions.keep(object);
		this.tagged(20, family.number);
		const { left, depth } = this;
		this.left = Infinity;
		this.depth = 0;
		this.opening[this.opening.length] = object;
		this.value(descriptor);
		this.opening.length--;
		this.left = left;
		this.depth = depth;
		return true;
	}
	special(object, family, later) {
		if (family === this.families.proxies) {
			if (this.isProxy(object)) this.weak.hide(object);
			if (this.external(object, family)) return;
		}
		const { adapters } = family;
		for (let i = 0; i < adapters.length; i++) {
			const parts = adapters[i].take(object);
			if (parts !== void 0) return this.adapted(object, family, i, parts, later);
		}
		if (family === this.families.functions && this.external(object, family)) return;
		if (family === this.families.proxies || family === this.families.functions) throw refusalOf(this.ports, object);
		if (family.host !== void 0 && (family.kind === void 0 || !family.kind.is(object, this.ports))) {
			if (this.odd(object, family, later)) return;
			const reason = `a ${family.host} belongs to the host`;
			throw new Refusal(object, reason, "make it behind a device, or re-create it when it is needed");
		}
		const refusal = family.foreign ? this.ports.refuses?.(object) : void 0;
		if (refusal !== void 0) throw new Refusal(object, refusal.reason, refusal.remedy);
		const { kind } = family;
		if (kind === void 0) return this.plain(object, family, this.shapeOf(family, namesOf(object), object), later);
		if (!kind.is(object, this.ports)) {
			const other = kindOfObject(this.ports, object);
			return other === void 0 ? this.plain(object, family, this.shapeOf(family, namesOf(object), object), later) : this.variant(other, object, family, later);
		}
		const closer = kind.choose?.(object, this.ports) ?? kind;
		if (family.standard && family.privates === void 0 && closer.bare(object, this.ports) && (closer.hides !== void 0 || symbolsOf(object).length === 0) && isExtensible(object)) {
			this.begin(closer, closer.tag, object, family, later, 0);
			this.learn(object, family, void 0, closer);
		} else this.variant(closer, object, family, later);
	}
	variant(kind, object, family, later) {
		kind = kind.choose?.(object, this.ports) ?? kind;
		let flags = 0;
		if (!kind.bare(object, this.ports) || kind.hides === void 0 && symbolsOf(object).length > 0) flags |= 1;
		if (!isExtensible(object)) flags |= 2;
		this.begin(kind, kind.tag + 32, object, family, later, flags);
	}
	begin(kind, tag, object, family, later, flags) {
		if (family === this.families.strays) flags |= 8;
		const defer = (later || kind?.big?.(object) === true) && (kind?.contents !== void 0 || flags !== 0 || family.privates !== void 0);
		if (defer) this.byte(13);
		this.byte(tag);
		if (tag >= 64) {
			this.byte(flags);
			this.varint(family.number);
		}
		if (kind?.header !== void 0) {
			this.opening[this.opening.length] = object;
			kind.header(this, object);
			this.opening.length--;
		}
		const item = kind === void 0 ? {
			object,
			family,
			flags,
			state: void 0
		} : {
			object,
			family,
			kind,
			flags,
			state: void 0
		};
		if (defer) this.enqueue(item);
		else this.contentsOf(item);
	}
	adapted(object, family, adapter, parts, later) {
		if (this.isApart) this.mentions.keep(object);
		let own;
		const isOpen = family !== this.families.proxies && parts.whole !== true && parts.untouched !== true;
		let flags = family === this.families.strays ? 8 : 0;
		if (isOpen) {
			if (!isExtensible(object)) flags |= 2;
			own = ownProperties(object, void 0, parts.born);
			if (own.length > 0) flags |= 1;
			if (parts.prototype !== void 0 && prototypeOf(object) !== parts.prototype) flags |= 8;
		}
		const defer = later && (parts.contents.length > 0 || flags !== 0 || family.privates !== void 0);
		if (defer) this.byte(13);
		this.byte(21);
		this.byte(flags);
		this.varint(family.number);
		this.byte(adapter);
		this.varint(parts.kind);
		this.varint(parts.header.length);
		this.opening[this.opening.length] = object;
		for (let i = 0; i < parts.header.length; i++) this.shallow(parts.header[i]);
		this.opening.length--;
		const item = {
			object,
			family,
			parts,
			own,
			flags,
			state: void 0
		};
		if (defer) this.enqueue(item);
		else this.contentsOf(item);
	}
	contentsOf(item) {
		const { object, shape, kind, parts, flags, family } = item;
		if (shape !== void 0) {
			const values = ordinaryValues(object, shape.keys);
			if (values === void 0) throw new Refusal(object, "it changed while it was captured", "capture between turns only");
			for (let i = 0; i < values.length; i++) this.value(values[i]);
		} else if (parts !== void 0) {
			this.varint(parts.contents.length);
			for (let i = 0; i < parts.contents.length; i++) this.value(parts.contents[i]);
		} else if (kind?.contents !== void 0) {
			const state = kind.contents(this, object, item.state);
			if (state !== void 0) return state;
		}
		if ((flags & 8) !== 0) this.value(prototypeOf(object));
		if ((flags & 1) !== 0) writeProperties(this, item.own ?? ownProperties(object, kind, parts?.born), object);
		if (family.privates !== void 0) this.privates(object, family);
	}
	privates(object, family) {
		const groups = family.privates ?? [];
		for (let i = 0; i < groups.length; i++) {
			const values = groups[i]?.read(object);
			this.varint(values === void 0 ? 0 : values.length + 1);
			if (values === void 0) continue;
			for (let j = 0; j < values.length; j++) this.value(values[j]);
		}
	}
	difference({ object, properties, prototype, sealed }) {
		this.value(object);
		this.byte((prototype === void 0 ? 0 : 8) | (sealed ? 2 : 0));
		if (prototype !== void 0) this.value(prototype.value);
		writeProperties(this, properties, object);
	}
	/** Writes what a family is, before its first object. While that is going on, members go without a family. */
	define(family) {
		if (family.stray || family.opening) {
			family.stray = true;
			return this.families.strays;
		}
		family.opening = true;
		this.byte(14);
		this.shallow(family.prototype);
		const groups = family.privates ?? [];
		this.varint(groups.length);
		for (let i = 0; i < groups.length; i++) this.shallow(groups[i]?.owner);
		family.opening = false;
		const number = this.families.next();
		if (family.stray) return this.families.strays;
		family.number = number;
		return family;
	}
};
/** More than what is written of an object before anything else of the graph. */
const FIRST_BYTES = 64;
function rescuerAmong(adapters) {
	for (let i = 0; i < adapters.length; i++) if (adapters[i]?.rescue !== void 0) return i;
	return -1;
}
const never = () => false;
function sameKeys(a, b) {
	if (a.length !== b.length) return false;
	for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
	return true;
}
// packages/heap/src/kept-code.ts
function graph() {
	const objects = [];
	for (let i = 0; i < 6; i++) {
		const plain = {
			i,
			map: /* @__PURE__ */ new Map([[i, {}]]),
			set: /* @__PURE__ */ new Set([i]),
			bits: [1, 2],
			parts: [.5, i / 3],
			none: void 0
		};
		objects[i] = {
			plain,
			again: plain,
			bare: Object.create(null),
			frozen: Object.freeze({ i })
		};
	}
	return {
		objects,
		again: objects
	};
}
/** Made before there is a program, whose changes to `Map` or `Object` would be called otherwise. */
const sample = graph();
let captures = 0;
const kept = [];
/** Called after each capture; V8 goes on refining hidden classes for a while, so the kept ones are renewed now and then. */
function keepCode(ports, division) {
	captures++;
	if ((captures & captures - 1) !== 0) return;
	try {
		const writer = new HeapWriter(ports, 4096, division);
		writer.start(sample, []);
		writer.run(Infinity);
		const reader = new HeapReader(ports, adaptersOf(ports), writer.finish());
		reader.read();
		kept[0] = writer;
		kept[1] = reader;
	} catch {}
}
// packages/heap/src/heap.ts
const ROOTS = "roots";
/** In pieces: what is full can be given away. */
const PART = 1 << 20;
/** Room for what the last state took and a little more: fresh memory is dear, growing takes it twice. */
let expected = 65536;
var Heap = class {
	#ports;
	constructor(ports) {
		this.#ports = ports;
	}
	/** Begins to write everything that `root` leads to; other roots may follow. */
	capture(root, { name = ROOTS, isApart = false, give } = {}) {
		return new Capturing(this.#ports, root, name, isApart ? "apart" : "together", give);
	}
	/** Everything that `root` leads to, as bytes. */
	write(root) {
		return new Capturing(this.#ports, root, ROOTS, "whole").finish();
	}
	/** The only root again, in this realm. Any other bytes than a writer's are a `HeapError`. */
	read(bytes, options) {
		return totally(() => readerOf(this.#ports, bytes, options).read());
	}
	/** All roots of a capture, in their order. */
	readAll(bytes, options) {
		return totally(() => readerOf(this.#ports, bytes, options).readAll());
	}
	/** By which ways objects are reached: `roots.cart.items[3].socket`, or nothing. None may lie on the way to another. */
	pathsTo(root, objects) {
		return pathsTo(this.#ports, root, ROOTS, objects);
	}
	/** Equal for equal states, whatever their history: a digest of what a fresh writer writes. */
	hash(root) {
		return digestOf(this.write(root));
	}
};
var Capturing = class {
	#ports;
	#writer;
	#division;
	/** The root that is being written, and what it is called. */
	#root;
	#name;
	#isWritten = false;
	#failure;
	#isFinished = false;
	constructor(ports, root, name, division, give) {
		this.#ports = ports;
		this.#root = root;
		this.#name = name;
		this.#division = division;
		this.#writer = this.#step(() => {
			const writer = new HeapWriter(ports, division === "whole" ? expected : Math.min(expected, PART), division, give);
			writer.start(root, ports.known.differences());
			return writer;
		});
	}
	get size() {
		return this.#writer.size;
	}
	run(budget = Infinity) {
		this.#requireWhole();
		this.#isWritten ||= this.#step(() => this.#writer.run(budget));
		return this.#isWritten;
	}
	add(root, name = ROOTS, group) {
		this.#add(root, name, () => this.#writer.more(root, group));
	}
	addToFirst(root, name = ROOTS) {
		this.#add(root, name, () => this.#writer.another(root));
	}
	#add(root, name, write) {
		this.#requireWhole();
		if (!this.#isWritten) throw misused("the first root of this capture is not written yet", "call `run` until it answers true");
		this.#root = root;
		this.#name = name;
		this.#step(write);
	}
	finish() {
		this.run();
		this.#isFinished = true;
		const bytes = this.#writer.finish();
		const { size } = this;
		expected = size + (size >> 3) + 1024;
		keepCode(this.#ports, this.#division);
		return bytes;
	}
	#requireWhole() {
		if (this.#isFinished) throw misused("the capture is finished", "begin another one");
		if (this.#failure !== void 0) throw misused("a root of this capture could not be written, and what it has is cut short", "begin another one", this.#failure);
	}
	#step(step) {
		try {
			return step();
		} catch (error) {
			const told = error instanceof Refusal ? pathError(this.#ports, this.#root, this.#name, error) : error;
			this.#failure = told;
			throw told;
		}
	}
};
// packages/heap/src/known.ts
/** What belongs to the language, and to core. All its changes are the program's; objects of the host change by themselves (`process`). */
const LANGUAGE = /^(?:[gs]et )?(?:%|core:|(?:Object|Function|Array|Number|parseFloat|parseInt|Boolean|String|Symbol|Date|Promise|RegExp|\w*Error|JSON|Math|Intl|ArrayBuffer|\w+Array|DataView|Map|BigInt|Set|Iterator|WeakMap|WeakSet|WeakRef|Proxy|Reflect|FinalizationRegistry|decodeURI|decodeURIComponent|encodeURI|encodeURIComponent|escape|unescape|eval|isFinite|isNaN|Atomics|DisposableStack|AsyncDisposableStack)(?:\.|$))/;
/** Prototypes of the host whose objects are ordinary ones: core's, and those that keep all they have in properties. */
const ORDINARY = /^core:|(?:^|\.)(?:EventEmitter|StringDecoder|Url|Iterator|AsyncIterator|Object|Function|\w*Error|Buffer|\w+Array)\.prototype$|^%/;
const PROTOTYPE = ".prototype";
const GLOBAL = "globalThis";
/** Begins the names of symbols that are keys of the host's objects. */
const KEY = "key ";
var KnownObjects = class {
	/** Of what has names: ordinary objects, and all proxies. Functions are looked up. */
	objects = [];
	proxies = [];
	#hosts = new SafeMap();
	#names = new SafeMap();
	#values = new SafeMap();
	#baseline;
	#hostBaseline;
	#countsOfHost;
	#miss;
	#unread;
	/** What has got a name, and what has been read of objects, since the last walk was settled. */
	#fresh = [];
	#reads = new SafeMap();
	#standsIn;
	#countsAsLanguage;
	#realm;
	#isProxy;
	#found;
	#isScanned = false;
	#except = new SafeSet();
	/** Symbols under which Node keeps in its objects what stays Node's. */
	#hostKeys = new SafeSet();
	/** Keys that have been met; other ways to a symbol give it better names. */
	#keys = [];
	constructor(realm, options) {
		this.#realm = realm;
		this.#isProxy = options.isProxy;
		const firstUnlike = realm.parts.host.engine?.firstUnlike;
		this.#unread = options.unread;
		const { unread } = options;
		this.#baseline = new Baseline(firstUnlike, unread && {
			is: unread.is,
			isOfHost: (key, now) => typeof now.value === "function" && !unread.isReplaced(key) && !this.#isPartOfProgram(now)
		});
		this.#hostBaseline = new Baseline(firstUnlike);
		this.#countsOfHost = options.countsOfHost;
		const { standsIn } = options;
		if (standsIn !== void 0) {
			this.#standsIn = standsIn;
			this.#countsAsLanguage = (_, __, ___, now) => !isObject(now?.value) || !standsIn(now.value);
		}
		this.#miss = options.miss;
		for (const each of options.except ?? []) this.#except.add(each);
		for (const [name, object] of coreObjects(realm)) this.#name(name, object);
		const { more = {} } = options;
		const roots = [[GLOBAL, globalThis]];
		const { Buffer: type } = globalThis;
		if (type !== void 0) roots.push(["Buffer", type]);
		roots.push(...hiddenIntrinsics());
		for (const name of ownKeys(more)) roots.push([name, more[name]]);
		roots.push(...coreObjects(realm));
		this.#walk(roots);
		for (const name of ownKeys(options.samples ?? {})) this.#meetKeys(name, options.samples[name]);
		this.#nameKeys();
		this.#settle();
	}
	/**
	* Names an object that came later, and what it leads to; `alone` only itself, `watched` as well, and with changes of its properties.
	* `ordinary`: its classes keep nothing hidden in their objects. `late`: the program may have changed it by now, so functions of the program get no names and count as changes.
	*/
	add(name, object, how) {
		if (how === "alone" || how === "watched") {
			const isNew = this.#name(name, object);
			this.#fresh = [];
			if (!isNew || how === "alone" || this.#countsOfHost === void 0) return;
			this.#meetKeys(name, object);
			this.#nameKeys();
			this.#hostBaseline.add(object);
			return;
		}
		this.#walk([[name, object]], how === "late");
		this.#nameKeys();
		this.#settle(how);
	}
	/**
	* Those that have come late, all at once: none is called by a long name that has a short one. `brings`: what the host has put into the
	* global object with them.
	*/
	addLate(named, brings) {
		const ofHost = named.filter(([, each]) => typeof each !== "function" || !this.#isOfProgram(each));
		this.#walk(ofHost, true);
		this.#nameKeys();
		this.#settle("late");
		const properties = ownKeys(globalThis).filter((key) => brings(key) || ofHost.some(([name]) => name === key)).map((key) => [key, descriptorOf(globalThis, key)]).filter(([, descriptor]) => !this.#isPartOfProgram(descriptor));
		this.#baseline.accept({
			object: globalThis,
			properties,
			sealed: false
		});
	}
	/** After a walk: whose each object is, and what it was. `late`: which of them is different already. */
	#settle(how) {
		const [fresh, reads] = [this.#fresh, this.#reads];
		this.#fresh = [];
		this.#reads = new SafeMap();
		for (let i = 0; i < fresh.length; i++) {
			const [name, object] = fresh[i];
			if (how !== "ordinary") this.#note(name, object);
			const read = reads.get(object);
			if (name === GLOBAL) this.#baseline.add(object);
			else if (LANGUAGE.test(name) && !this.#isProxy(object)) this.#baseline.add(object, read);
			else if (this.#countsOfHost !== void 0 && read !== void 0) {
				this.#hostBaseline.add(object, read);
				if (how === "late") this.#hostBaseline.look(object, this.#countsAsHost);
			}
		}
	}
	#note(name, object) {
		const type = this.#isProxy(object) ? void 0 : classOf(object);
		if (type === void 0 && !name.endsWith(PROTOTYPE)) return;
		const own = type === void 0 ? void 0 : descriptorOf(type, "name")?.value;
		if (ORDINARY.test(name) || ORDINARY.test(`${String(own)}${PROTOTYPE}`)) return;
		const path = (type && this.#names.get(type)) ?? name.slice(0, -10);
		this.#hosts.set(object, path.includes("[[Prototype]]") && typeof own === "string" && own !== "" ? own : path);
	}
	get size() {
		return this.#names.size;
	}
	nameOf(object) {
		return this.#names.get(object);
	}
	/** The class of the host that keeps something hidden in objects below this prototype. */
	hostOf(prototype) {
		return this.#hosts.get(prototype);
	}
	named(name) {
		if (!this.#values.has(name)) this.#miss?.(name);
		return this.#values.get(name);
	}
	/** From now on states that mention this name mean the object, whatever it is called here. */
	answer(name, object) {
		this.#values.set(name, object);
	}
	forEach(visit) {
		this.#names.forEach((_, object) => {
			if (typeof object !== "symbol") visit(object);
		});
	}
	/** What of the known objects is no longer as it was. */
	differences() {
		if (this.#found !== void 0) return this.#found;
		const { language, host } = this.#scan();
		return both(language, host);
	}
	#scan() {
		const differences = {
			language: this.#baseline.differences(this.#countsAsLanguage),
			host: this.#hostDifferences()
		};
		this.#isScanned = true;
		return differences;
	}
	/**
	* The same in a hundredth of the time, if no object has become different that never was before: to be confirmed. Nothing before all
	* have been looked at once.
	*/
	get last() {
		if (!this.#isScanned) return void 0;
		const host = this.#countsOfHost === void 0 ? [] : this.#hostBaseline.differencesOfChanged(this.#countsAsHost);
		return {
			language: this.#baseline.differencesOfChanged(this.#countsAsLanguage),
			host: this.#byName(host)
		};
	}
	/**
	* Begins to look whether `last`, taken now, is all there is. Slices may lie between turns: `changed` says what has become
	* different since it was last looked at, by then or meanwhile; `same` that each still was as ever when it was looked at.
	*/
	confirmation() {
		const confirmation = this.#confirmation();
		return (budget) => {
			const found = confirmation(budget);
			return typeof found === "string" ? found : { changed: this.#told(found.changed) };
		};
	}
	/** One of the properties, or the object. */
	#told({ object, properties }) {
		const name = this.#names.get(object);
		const [key] = properties[0] ?? [];
		if (key === void 0) return name;
		return typeof key === "symbol" ? `${name}[${String(key)}]` : `${name}.${String(key)}`;
	}
	#confirmation() {
		const language = this.#baseline.confirmation(this.#countsAsLanguage);
		const host = this.#countsOfHost === void 0 ? void 0 : this.#hostBaseline.confirmation(this.#countsAsHost);
		let isLanguageDone = false;
		return (budget) => {
			if (!isLanguageDone) {
				const found = language(budget);
				isLanguageDone = found === "same";
				return isLanguageDone && host !== void 0 ? "more" : found;
			}
			return host?.(budget) ?? "same";
		};
	}
	/**
	* Loads native code that may change things while it is loaded: what it puts in place is there again wherever it is loaded again, and
	* no change of the program's. `load` may answer a promise of its end.
	*/
	accepting(load) {
		if (this.#countsOfHost === void 0) return load();
		const { language, host } = this.#scan();
		const accept = () => {
			this.#accept(this.#baseline, language, this.#baseline.differences(this.#countsAsLanguage));
			this.#accept(this.#hostBaseline, host, this.#hostDifferences());
		};
		const loaded = load();
		if (loaded instanceof Promise) loaded.then(accept, accept);
		else accept();
		return loaded;
	}
	#accept(baseline, before, after) {
		for (const difference of after) {
			const was = before.find(({ object }) => object === difference.object)?.properties ?? [];
			const properties = difference.properties.filter(([key, now]) => {
				if (now === void 0 || now.value !== Object(now.value) || this.#isPartOfProgram(now)) return false;
				return was.every(([k, then]) => k !== key || then?.value !== now.value);
			});
			if (properties.length > 0) baseline.accept({
				...difference,
				properties
			});
		}
	}
	#hostDifferences() {
		return this.#countsOfHost === void 0 ? [] : this.#byName(this.#hostBaseline.differences(this.#countsAsHost));
	}
	/** What Node keeps in its objects under symbols of its own stays Node's. */
	#countsAsHost = (object, key, born, now) => !this.#hostKeys.has(key) && !(this.#standsIn !== void 0 && isObject(now?.value) && this.#standsIn(now.value)) && this.#countsOfHost?.(object, key, born, now) !== false;
	/** In an order that does not depend on when Node has loaded what. */
	#byName(found) {
		const name = ({ object }) => this.#names.get(object);
		for (let i = 1; i < found.length; i++) {
			const difference = found[i];
			let at = i;
			for (; at > 0 && name(found[at - 1]) > name(difference); at--) found[at] = found[at - 1];
			found[at] = difference;
		}
		return found;
	}
	/** What a property of the host's objects was before the program. */
	bornAs(object, key) {
		return this.#hostBaseline.bornAs(object, key);
	}
	/**
	* Does something while the builtins of the language are what they were: a program may have replaced what everybody's code runs on,
	* the iterators of arrays, say. Its differences are told as ever. Not while code of the program can run. `differences`: what they
	* are, if that is known.
	*/
	undisturbed(action, differences) {
		if (this.#found !== void 0) return action();
		const { language, host } = differences ?? this.#scan();
		const disturbLanguage = this.#baseline.mend(language);
		const disturbHost = this.#hostBaseline.mend(host);
		this.#found = both(language, host);
		try {
			return action();
		} finally {
			this.#found = void 0;
			disturbHost();
			disturbLanguage();
		}
	}
	#name(name, object) {
		if (this.#names.has(object)) return false;
		if (typeof object !== "symbol" && this.#except.has(object)) return false;
		this.#names.set(object, name);
		if (typeof object !== "symbol") {
			this.#fresh[this.#fresh.length] = [name, object];
			if (this.#isProxy(object)) this.proxies[this.proxies.length] = object;
			else if (typeof object !== "function") this.objects[this.objects.length] = object;
		}
		this.#values.set(name, object);
		return true;
	}
	/** Names objects and, breadth first, everything their properties and prototypes lead to. Getters are named, never called. */
	#walk(roots, late = false) {
		const queue = [];
		for (const [name, start] of roots) {
			this.#name(name, start);
			queue.push([name, start]);
		}
		for (let i = 0; i < queue.length; i++) {
			const [path, object] = queue[i];
			if (this.#isProxy(object)) continue;
			const visit = (name, value) => {
				if (typeof value === "symbol") this.#name(name, value);
				else if (!this.#isProxy(value) && isState(name, value, path)) return;
				else if (late && typeof value === "function" && this.#isOfProgram(value)) return;
				else if (isObject(value) && this.#name(name, value)) queue[queue.length] = [name, value];
			};
			const read = {
				keys: ownKeys(object),
				descriptors: []
			};
			for (const key of read.keys) {
				if (path === GLOBAL && this.#unread?.is(object, key) === true) {
					read.descriptors[read.descriptors.length] = UNREAD;
					continue;
				}
				const descriptor = descriptorOf(object, key);
				read.descriptors[read.descriptors.length] = descriptor;
				if (typeof key === "symbol" && path === GLOBAL) continue;
				const step = keyText(key);
				const name = path === GLOBAL ? step : `${path}.${step}`;
				if ("value" in descriptor) visit(name, descriptor.value);
				else {
					visit(`get ${name}`, descriptor.get);
					visit(`set ${name}`, descriptor.set);
				}
			}
			visit(`${path}.[[Prototype]]`, prototypeOf(object));
			this.#reads.set(object, late ? this.#withoutProgram(read) : read);
			this.#meetKeys(path, object);
		}
	}
	/** What a program has put there meanwhile was not there before it. */
	#withoutProgram({ keys, descriptors }) {
		const kept = {
			keys: [],
			descriptors: []
		};
		for (let i = 0; i < keys.length; i++) {
			const descriptor = descriptors[i];
			if (this.#isPartOfProgram(descriptor)) continue;
			kept.keys[kept.keys.length] = keys[i];
			kept.descriptors[kept.descriptors.length] = descriptor;
		}
		return kept;
	}
	#isPartOfProgram({ value, get, set }) {
		const isOfProgram = (part) => typeof part === "function" && this.#isOfProgram(part);
		return isOfProgram(value) || isOfProgram(get) || isOfProgram(set);
	}
	#isOfProgram(fn) {
		return internals.isOurs(fn) || this.#realm.classOf(fn) !== void 0;
	}
	#meetKeys(path, object) {
		const keys = symbolsOf(object);
		for (let i = 0; i < keys.length; i++) this.#keys[this.#keys.length] = [`${KEY}${path}.${keyText(keys[i])}`, keys[i]];
	}
	/** What Node keeps in objects under symbols of its own stays Node's. */
	#nameKeys() {
		for (let i = 0; i < this.#keys.length; i++) {
			const [name, key] = this.#keys[i];
			if (keyFor(key) !== void 0) continue;
			if (!this.#values.has(name)) this.#name(name, key);
			if (this.#names.get(key)?.startsWith(KEY) === true) this.#hostKeys.add(key);
		}
		this.#keys = [];
	}
};
/** Without iterating: a program may have replaced that. */
function both(a, b) {
	const all = [];
	for (let i = 0; i < a.length + b.length; i++) defineProperty(all, i, {
		__proto__: null,
		value: i < a.length ? a[i] : b[i - a.length],
		writable: true,
		enumerable: true,
		configurable: true
	});
	return all;
}
/**
* Objects of the host's own making that hang on its objects (the streams of `console`) differ from process to process: neither they nor
* what they lead to have names. Functions, prototypes, plain objects and what belongs to the language have.
*/
function isState(name, value, holder) {
	if (typeof value !== "object" || value === null || holder === GLOBAL || LANGUAGE.test(name)) return false;
	if (name.endsWith(PROTOTYPE) || name.endsWith(".[[Prototype]]")) return false;
	const prototype = prototypeOf(value);
	return prototype !== null && prototype !== Object.prototype;
}
const { keyFor } = Symbol;
/** The class that the object is the prototype of. */
function classOf(object) {
	const type = descriptorOf(object, "constructor")?.value;
	return typeof type === "function" && descriptorOf(type, "prototype")?.value === object ? type : void 0;
}
function isObject(value) {
	return typeof value === "object" && value !== null || typeof value === "function";
}
function keyText(key) {
	if (typeof key !== "symbol") return String(key);
	return `@@${key.description ?? ""}`;
}
function hiddenIntrinsics() {
	const proto = (object) => prototypeOf(object);
	return [
		["%TypedArray%", proto(Uint8Array)],
		["%ArrayIteratorPrototype%", proto([][Symbol.iterator]())],
		["%MapIteratorPrototype%", proto((/* @__PURE__ */ new Map())[Symbol.iterator]())],
		["%SetIteratorPrototype%", proto((/* @__PURE__ */ new Set())[Symbol.iterator]())],
		["%StringIteratorPrototype%", proto(""[Symbol.iterator]())],
		["%RegExpStringIteratorPrototype%", proto(apply(RegExp.prototype[Symbol.matchAll], /a/g, [""]))],
		["%IteratorHelperPrototype%", proto(Iterator.from([]).take(0))],
		["%WrapForValidIteratorPrototype%", proto(Iterator.from({ next: () => ({
			done: true,
			value: 0
		}) }))],
		["%AsyncFunction.prototype%", proto(async () => {})],
		["%GeneratorFunction.prototype%", proto(function* () {})],
		["%AsyncGeneratorFunction.prototype%", proto(async function* () {})],
		["%ThrowTypeError%", descriptorOf((function() {
			"use strict";
			return arguments;
		})(), "callee")?.get]
	];
}
/** Core's prototypes and constructors, and the prototypes of the plain classes that its state is made of. */
const BLANKS = [
	"frame",
	"reaction",
	"continuation",
	"thenableJob",
	"callbackJob",
	"asyncGeneratorState",
	"forOf",
	"forIn",
	"delegate",
	"asyncDelegate",
	"arrayElements",
	"asyncIteration",
	"disposalStack",
	"mappedParameter"
];
function coreObjects(realm) {
	const named = [];
	const wellKnown = internals.wellKnown(realm);
	for (const name of ownKeys(wellKnown)) named[named.length] = [`core:${name}`, wellKnown[name]];
	for (const kind of [
		...BLANKS,
		"cell",
		"asyncFromSync"
	]) named[named.length] = [`core:${kind}`, prototypeOf(internals.allocate(realm, kind))];
	const { context } = internals.allocate(realm, "frame");
	named[named.length] = ["core:context", context];
	named[named.length] = ["core:home", context.home];
	return named;
}
// packages/heap/src/node-ports.ts
/** A pool is known by its size, which Node chooses and a program may change. */
function poolsOf(type) {
	const size = bufferLength(type.from("pool").buffer);
	return (buffer) => {
		const length = bufferLength(buffer);
		return (length === size || length === type.poolSize) && !bufferResizable(buffer);
	};
}
function nodePorts(realm, { types, known, code, adapters = [], leaves }) {
	const { engine } = realm.parts.host;
	const { Buffer: type } = globalThis;
	const ofCode = code === void 0 ? {} : codePorts(code);
	return {
		realm,
		types,
		known: known ?? new KnownObjects(realm, { isProxy: types.isProxy }),
		...ofCode,
		adapters: [...ofCode.adapters ?? [], ...adapters],
		...leaves === void 0 ? {} : { leaves },
		...engine === void 0 ? {} : { weakKeys: (collection) => engine.weakKeys(collection, Number.MAX_SAFE_INTEGER).keys },
		...type === void 0 ? {} : { isPool: poolsOf(type) }
	};
}
// packages/heap/src/modules.ts
const RECORD = 0;
function moduleAdapter(port) {
	return {
		name: "modules",
		asks: "objects",
		claims: (prototype) => prototype === ModuleRecord.prototype,
		take(value) {
			if (prototypeOf(value) !== ModuleRecord.prototype) return void 0;
			const record = value;
			const number = port.numberOf(record);
			if (number === void 0) throw new Refusal(record, `module ${record.key} cannot be loaded again`, "keep no function of it");
			const contents = port.isOutside?.(record) === true ? [] : readContents(record);
			return {
				kind: RECORD,
				header: [number],
				contents,
				whole: true,
				label: (index) => ` ${contentsName(record, contents, index)}`
			};
		},
		allocate(_, header) {
			const record = port.recordAt(header[0]);
			if (record === void 0) throw new TypeError(`the program has no module ${String(header[0])}`);
			return record;
		},
		fill: (record, _, contents) => writeContents(record, contents)
	};
}
/** Of a module that is still to be evaluated, what others have of it: its function declarations, which exist already. */
function instantiatedFunctions(record) {
	const functions = {};
	for (const value of readContents(record)) {
		const identity = typeof value === "function" ? internals.identify(value) : void 0;
		if (identity !== void 0) functions[identity.ordinal] = () => value;
	}
	return {
		functions,
		classes: {},
		steps: {}
	};
}
export { CodeAdapters, FORMAT_VERSION, Heap, HeapError, KnownObjects, codePorts, instantiatedFunctions, moduleAdapter, nodePorts };
