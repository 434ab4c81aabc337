import "./rolldown-runtime-C7kxIl-Z.js";
import { encodeSpans, readMap, sourceMap } from "./source-map.js";
import remapping from "@jridgewell/remapping";
import { TraceMap, originalPositionFor } from "@jridgewell/trace-mapping";
import { parseSync, visitorKeys } from "oxc-parser";
import { transformSync } from "oxc-transform";
// packages/transform/src/errors.ts
var TransformError = class extends SyntaxError {
	code;
	path;
	line;
	column;
	constructor(code, message, place) {
		super(`${place.path}:${place.line}:${place.column}: ${message}`);
		this.code = code;
		this.path = place.path;
		this.line = place.line;
		this.column = place.column;
	}
};
TransformError.prototype.name = "SyntaxError";
/** Line (from 1) and column (from 1) of an offset. */
function placeOf(source, offset) {
	let line = 1;
	let lineStart = 0;
	for (let at = source.indexOf("\n"); at !== -1 && at < offset; at = source.indexOf("\n", at + 1)) {
		line++;
		lineStart = at + 1;
	}
	return {
		line,
		column: offset - lineStart + 1
	};
}
// packages/transform/src/table.ts
const ABI_VERSION = 4;
// packages/transform/src/ambient.ts
/** Globals that resolve to core's versions. */
const AMBIENT_NAMES = /* @__PURE__ */ new Set([
	"Promise",
	"queueMicrotask",
	"Function",
	"WeakRef",
	"FinalizationRegistry",
	"DisposableStack",
	"AsyncDisposableStack",
	"eval",
	"globalThis",
	"global",
	"process",
	"setTimeout",
	"setInterval",
	"setImmediate",
	"clearImmediate",
	"fetch",
	"Request",
	"Response",
	"FormData",
	"WebSocket",
	"EventSource",
	"Blob",
	"File",
	"BroadcastChannel",
	"MessageChannel",
	"MessagePort",
	"ReadableStream",
	"ReadableStreamDefaultReader",
	"ReadableStreamBYOBReader",
	"ReadableStreamBYOBRequest",
	"ReadableByteStreamController",
	"ReadableStreamDefaultController",
	"TransformStream",
	"TransformStreamDefaultController",
	"WritableStream",
	"WritableStreamDefaultController",
	"WritableStreamDefaultWriter",
	"ByteLengthQueuingStrategy",
	"CountQueuingStrategy",
	"TextEncoderStream",
	"TextDecoderStream",
	"CompressionStream",
	"DecompressionStream",
	"SubtleCrypto",
	"CryptoKey",
	"PerformanceObserver",
	"PerformanceObserverEntryList",
	"Headers",
	"CloseEvent",
	"ErrorEvent",
	"MessageEvent"
]);
/** With the helpers that lowered TypeScript decorators call. */
const LOWERED_AMBIENT_NAMES = /* @__PURE__ */ new Set([...AMBIENT_NAMES, "babelHelpers"]);
// packages/transform/src/ast.ts
const kinds = /* @__PURE__ */ new Map();
function kindOf$1(type) {
	return kinds.get(type) ?? newKind(type);
}
function newKind(type) {
	const isStatement = type.endsWith("Statement") || type === "VariableDeclaration";
	const kind = {
		type,
		keys: visitorKeys[type] ?? [],
		isStatement
	};
	kinds.set(type, kind);
	return kind;
}
/** The statements of a block, program, class body or static block, and of a case. */
function statements(node) {
	return node.type === "SwitchCase" ? node.consequent : node.body;
}
function literalValue(node) {
	return node.value;
}
function isFunction(node) {
	return node.type === "FunctionDeclaration" || node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression";
}
function isClass(node) {
	return node.type === "ClassDeclaration" || node.type === "ClassExpression";
}
/** The node without the parentheses around it. */
function bare(node) {
	let inner = node;
	while (inner.type === "ParenthesizedExpression") inner = inner.expression;
	return inner;
}
/** Child nodes in source order. A shorthand property's value stands for its key. */
function childrenOf(node) {
	const { keys } = kindOf$1(node.type);
	const found = [];
	const fields = node;
	let sorted = true;
	let last = -1;
	const add = (child) => {
		if (child.start < last) sorted = false;
		last = child.start;
		found.push(child);
	};
	for (const key of keys) {
		if (key === "key" && node.type === "Property" && node.shorthand) continue;
		const child = fields[key];
		if (child === null || child === void 0) continue;
		if (Array.isArray(child)) {
			for (const each of child) if (each !== null) add(each);
		} else add(child);
	}
	if (!sorted) found.sort((a, b) => a.start - b.start);
	return found;
}
/** Marks a node and all above it as changed. */
function markDirty(node) {
	for (let at = node; at !== null && at.dirty !== true; at = at.parent) at.dirty = true;
}
/** Names bound by a pattern, as the identifier nodes. */
function boundIdentifiers(pattern, into = []) {
	switch (pattern.type) {
		case "Identifier":
			into.push(pattern);
			break;
		case "ObjectPattern":
			for (const property of pattern.properties) boundIdentifiers(property.type === "RestElement" ? property.argument : property.value, into);
			break;
		case "ArrayPattern":
			for (const element of pattern.elements) if (element !== null) boundIdentifiers(element, into);
			break;
		case "AssignmentPattern":
			boundIdentifiers(pattern.left, into);
			break;
		case "RestElement": boundIdentifiers(pattern.argument, into);
	}
	return into;
}
// packages/transform/src/scope.ts
var Variable = class {
	name;
	scope;
	kind;
	/** From here to `declarationEnd` the variable is being initialised. */
	declarationStart;
	declarationEnd;
	/** Where the declaration really ends: names of a pattern that suspends are in use before. */
	settledAt = -1;
	/** Initialised by something that is no function itself, so that closures in it may run at once. */
	initialisedByCode = false;
	/** The pattern that binds it, with what evaluates that pattern: names of one pattern may be used by its other parts. */
	pattern = null;
	references = [];
	declarations = 1;
	captured = false;
	/** Writes other than the initialisation. */
	writes = 0;
	nestedWrite = false;
	capturedBySuspendable = false;
	/** How the variable is stored when a plain local does not do: a `{v}` box, a `Cell` with TDZ, or a module's binding cell. */
	storage = "local";
	/** For imports: the index in the table; for exported bindings: the expression of their cell. */
	bindingCode = null;
	/** A closure can outlive the scope without the declaration having been reached: a throw before it leaves the scope. */
	mayStayDead = false;
	/** Frame slot, where it lives across suspensions. */
	slot = null;
	/** Declared through a declaration that became an assignment: writes to a const must still throw. */
	converted = false;
	/** Declared at the head of its list although it has no slot. */
	declaredAhead = false;
	/** Code of the value it has when its scope is entered: of a `var` that has its name from a parameter. */
	initial = null;
	functionNode = null;
	constructor(name, scope, kind, start, end) {
		this.name = name;
		this.scope = scope;
		this.kind = kind;
		this.declarationStart = start;
		this.declarationEnd = end;
	}
	/** Of the file's own top scope: factories and step functions are compiled in it and see it natively. */
	get isRoot() {
		return this.scope.kind === "root";
	}
	get isLexical() {
		return this.kind === "let" || this.kind === "const" || this.kind === "class";
	}
	/** Its dead zone is the emitted code's affair where its declaration becomes an assignment. */
	get hasDeadZone() {
		const { fn } = this.scope;
		const inStep = this.kind === "param" && fn.suspendable && fn.async && !fn.generator;
		return this.isLexical || this.kind === "catch" || inStep;
	}
};
var Scope = class {
	kind;
	node;
	parent;
	fn;
	variables = /* @__PURE__ */ new Map();
	constructor(kind, node, parent, fn) {
		this.kind = kind;
		this.node = node;
		this.parent = parent;
		this.fn = fn;
	}
	declare(name, kind, start, end) {
		const known = this.variables.get(name);
		if (known !== void 0) {
			known.declarations++;
			if (kind === "function" && known.kind !== "function") known.kind = known.kind === "param" ? "param" : "function";
			return known;
		}
		const variable = new Variable(name, this, kind, start, end);
		this.variables.set(name, variable);
		return variable;
	}
};
var FunctionInfo = class {
	node;
	kind;
	parent;
	async;
	generator;
	strict;
	/** Through nested arrows as well. */
	usesThis = false;
	usesArguments = false;
	/** Something else than reading an element happens to `arguments`. */
	givesArguments = false;
	usesNewTarget = false;
	usesSuper = false;
	/** Has a `finally` or `using`: code that runs after the value of a `return` is known. */
	hasFinally = false;
	captures = /* @__PURE__ */ new Set();
	/** Places where this very function suspends, in execution order. */
	points = [];
	/** The loops of this function, as `[start, end]`. */
	loops = [];
	ordinal = -1;
	scope;
	/** Where parameters use names that the body declares anew: the scope of the body's own, inside that of the parameters. */
	bodyScope = null;
	classInfo = null;
	/** For methods of object literals with `super` in suspended code. */
	objectHandle = null;
	/** Names of temporaries to declare at the function's top. */
	temporaries = [];
	/** For functions of a root with top-level await, true for the root only. */
	topLevelAwait = false;
	constructor(node, kind, parent, strict) {
		this.node = node;
		this.kind = kind;
		this.parent = parent;
		this.strict = strict;
		const isCode = kind === "function" || kind === "arrow" || kind === "method";
		this.async = isCode && node.async;
		this.generator = isCode && node.generator;
	}
	/** Async functions and generators: a wrapper stands for them. */
	get wrapped() {
		return this.async || this.generator;
	}
	/** Runs on a frame. An async function that never awaits needs none, unless something happens after its `return`. */
	get suspendable() {
		return this.generator || this.topLevelAwait || this.async && (this.points.length > 0 || this.hasFinally);
	}
	/** In sloppy functions of plain parameters, `arguments` and the parameters share their values. */
	get mapsArguments() {
		return this.usesArguments && !this.strict && !this.isArrow && this.kind !== "root" && this.node.params.every((param) => param.type === "Identifier");
	}
	get isArrow() {
		return this.kind === "arrow";
	}
	/** The function whose `this`, `arguments` and `super` code in this one sees. */
	get thisFunction() {
		let fn = this;
		while (fn.kind === "arrow" && fn.parent !== null) fn = fn.parent;
		return fn;
	}
};
/**
* Whether the variable's value at a suspension point of a function can still be used after it: by a use further on, or round
* a loop that holds both. The variable is the function's own, or one that it captures.
*/
function isLiveAt(variable, point, fn = variable.scope.fn) {
	const isOwn = variable.scope.fn === fn;
	const around = isOwn ? variable.scope.node : fn.node;
	if (isOwn && point <= birthOf(variable)) return false;
	if (point > around.end) return false;
	const loops = fn.loops.filter(([start, end]) => start >= around.start && end <= around.end && start <= point && point <= end);
	for (const reference of variable.references) {
		const position = reference.fn === fn ? reference.position : reference.created ?? reference.position;
		if (position < around.start || position > around.end) continue;
		if (position >= point) return true;
		if (loops.some(([start, end]) => position >= start && position < end)) return true;
	}
	return false;
}
/** The place before which the variable has no value anybody uses. */
function birthOf(variable) {
	if (variable.storage !== "local") return variable.scope.node.start;
	if (variable.isLexical) return variable.declarationEnd;
	return variable.kind === "var" && variable.declarations === 1 && variable.references.every((reference) => reference.position >= variable.declarationStart) ? variable.declarationEnd : variable.scope.node.start;
}
function livesAcross(variable) {
	return variable.scope.fn.points.some((point) => isLiveAt(variable, point));
}
// packages/transform/src/binder.ts
var Binder = class {
	functions = [];
	classes = [];
	references = [];
	scopes = [];
	identifiers = /* @__PURE__ */ new Set();
	root;
	scope;
	fn;
	currentClass = null;
	/** Position given to references met now, when execution order is not source order. */
	position = null;
	created = null;
	globalThisAtRoot;
	objectHandles = 0;
	constructor(program, { strict, globalThisAtRoot }) {
		this.globalThisAtRoot = globalThisAtRoot;
		this.root = new FunctionInfo(program, "root", null, strict);
		this.fn = this.root;
		this.scope = this.newScope("root", program);
		this.root.scope = this.scope;
	}
	newScope(kind, node, fn = this.fn) {
		const scope = new Scope(kind, node, this.scopes.length === 0 ? null : this.scope, fn);
		this.scopes.push(scope);
		return scope;
	}
	within(scope, run) {
		const outer = this.scope;
		this.scope = scope;
		const result = run();
		this.scope = outer;
		return result;
	}
	at(position, run) {
		const outer = this.position;
		this.position = outer ?? position;
		const result = run();
		this.position = outer;
		return result;
	}
	/** Goes into a function, whose code runs at another time than what stands around it. */
	elsewhere(run) {
		const { fn, scope, position, created } = this;
		this.created = position ?? created;
		this.position = null;
		run();
		this.fn = fn;
		this.scope = scope;
		this.position = position;
		this.created = created;
	}
	suspend(position) {
		this.fn.points.push(this.position ?? position);
		if (this.fn.kind === "root") this.fn.topLevelAwait = true;
	}
	/** Declares what a statement list binds in its own scope: lexical declarations and functions. */
	hoist(list) {
		for (const statement of list) {
			const node = declarationIn(statement);
			if (node === null) continue;
			switch (node.type) {
				case "VariableDeclaration":
					if (node.kind !== "var") this.declarePatterns(node, this.scope);
					break;
				case "FunctionDeclaration":
					if (node.id !== null) this.declareFunction(node);
					break;
				case "ClassDeclaration":
					if (node.id !== null) this.scope.declare(node.id.name, "class", node.start, node.end);
					break;
				case "ImportDeclaration": for (const specifier of node.specifiers) this.scope.declare(specifier.local.name, "import", specifier.start, specifier.end);
			}
		}
	}
	declareFunction(node) {
		const { name } = node.id;
		const atTop = this.scope.kind === "root" || this.scope.kind === "function";
		const annexB = !atTop && !this.fn.strict && !node.async && !node.generator && !this.shadowedUpward(name);
		const variable = (annexB ? this.functionScope() : this.scope).declare(name, annexB ? "var" : "function", node.start, node.end);
		if (variable.functionNode === null || atTop) variable.functionNode = node;
		if (annexB) variable.declarations++;
	}
	shadowedUpward(name) {
		for (let scope = this.scope; scope !== null; scope = scope.parent) {
			const found = scope.variables.get(name);
			if (found !== void 0 && found.kind !== "function" && found.kind !== "var") return true;
			if (scope.kind === "function" && scope !== scope.fn.bodyScope || scope.kind === "root") return false;
		}
		return false;
	}
	functionScope() {
		let scope = this.scope;
		while (scope.kind !== "function" && scope.kind !== "root") scope = scope.parent;
		return scope;
	}
	declarePatterns(declaration, scope) {
		const kind = declaration.kind === "var" ? "var" : declaration.kind === "let" ? "let" : "const";
		for (const declarator of declaration.declarations) for (const id of boundIdentifiers(declarator.id)) scope.declare(id.name, kind, declarator.start, declarator.end);
	}
	/** Variables a pattern declares, from the scope it stands in upwards. */
	*declaredBy(pattern) {
		for (const id of boundIdentifiers(pattern)) for (let scope = this.scope; scope !== null; scope = scope.parent) {
			const variable = scope.variables.get(id.name);
			if (variable === void 0) continue;
			yield variable;
			break;
		}
	}
	refer(node, how) {
		this.identifiers.add(node.name);
		const reference = {
			node,
			name: node.name,
			scope: this.scope,
			fn: this.fn,
			position: this.position ?? node.start,
			created: this.created,
			reads: how.reads === true,
			writes: how.writes === true,
			initialises: how.initialises === true,
			variable: null
		};
		node.ref = reference;
		this.references.push(reference);
		if (node.name === "arguments" && this.isImplicitArguments()) {
			this.useArguments();
			if (!isReadOnly(node)) this.fn.thisFunction.givesArguments = true;
			if (this.isSuspendedThis()) markDirty(node);
		} else if (node.name === "arguments" && this.fn.thisFunction.kind === "root") {
			this.root.usesArguments = true;
			markDirty(node);
		}
	}
	/** In sloppy code `this` can be the global object, which the program must see as its own `globalThis`. */
	mayBeGlobal(node) {
		const { thisFunction } = this.fn;
		const sloppy = !thisFunction.strict && (thisFunction.kind !== "root" || this.globalThisAtRoot);
		const { parent } = node;
		const isReceiver = parent?.type === "MemberExpression" && parent.object === node && (parent.computed || !AMBIENT_NAMES.has(parent.property.name));
		node.sloppyThis = sloppy && !isReceiver;
		return node.sloppyThis;
	}
	/** `this`, `arguments` and their like are read here from a frame. */
	isSuspendedThis() {
		for (let fn = this.fn; fn !== null; fn = fn.parent) {
			if (fn.async || fn.generator) return true;
			if (!fn.isArrow) return false;
		}
		return false;
	}
	isImplicitArguments() {
		for (let scope = this.scope; scope !== null; scope = scope.parent) {
			if (scope.variables.has("arguments")) return false;
			if (scope.kind === "function" && scope !== scope.fn.bodyScope && !scope.fn.isArrow) return true;
		}
		return false;
	}
	useArguments() {
		for (let fn = this.fn; fn !== null; fn = fn.parent) {
			fn.usesArguments = true;
			if (!fn.isArrow) return;
		}
	}
	useThis() {
		for (let fn = this.fn; fn !== null; fn = fn.parent) {
			fn.usesThis = true;
			if (!fn.isArrow) return;
		}
	}
	/**
	* Suspended code is emitted outside its class, and so is a restored closure that is no member itself: what they need of
	* the class goes through its handle.
	*/
	usePrivate(node) {
		let info = this.currentClass;
		while (info !== null && !info.privates.has(node.name)) info = info.outer;
		if (info === null) return;
		const around = [];
		for (let fn = this.fn; fn !== null && isWithin(fn.node, info.node); fn = fn.parent) around.push(fn);
		const suspended = around.some((fn) => fn.wrapped);
		if (!suspended && around.length < 2) return;
		if (suspended) markDirty(node);
		this.useHandle(info);
		info.handledPrivates.add(node.name);
	}
	/** A generator method finds its own `prototype` by way of its class. */
	keepGenerator(method) {
		const info = method.classInfo;
		if (!this.isEvaluatedOnce(info)) this.useHandle(info, method);
	}
	isEvaluatedOnce({ node: { start }, scope }) {
		return scope.fn.kind === "root" && !this.root.loops.some(([from, to]) => start >= from && start < to);
	}
	useHandle(info, user = this.fn) {
		if (info.handle === null) info.handle = (this.isEvaluatedOnce(info) ? this.root.scope : info.scope).declare(`class ${info.ordinal}`, "handle", info.node.start, info.node.start);
		this.references.push({
			...this.handleReference(info.handle),
			fn: user
		});
	}
	useSuper() {
		let suspended = false;
		let fn = this.fn;
		for (; fn !== null; fn = fn.parent) {
			fn.usesSuper = true;
			fn.usesThis = true;
			if (fn.wrapped) suspended = true;
			if (!fn.isArrow) break;
		}
		if (fn === null) return;
		const member = fn.kind === "field" || fn.kind === "block" ? fn.node : fn.node.parent;
		if (member.type === "Property") {
			const literal = member.parent;
			literal.scope ??= this.scopes.find((scope) => scope.node === literal) ?? this.objectScope(literal, fn);
			const handle = literal.scope.variables.values().next().value;
			fn.objectHandle = handle;
			this.references.push({ ...this.handleReference(handle) });
		} else if (fn.classInfo !== null && (suspended || fn !== this.fn)) this.useHandle(fn.classInfo);
	}
	objectScope(literal, method) {
		const scope = new Scope("block", literal, null, method.parent);
		this.scopes.push(scope);
		scope.declare(`object ${this.objectHandles++}`, "handle", literal.start, literal.start);
		return scope;
	}
	handleReference(handle) {
		return {
			node: null,
			name: handle.name,
			scope: handle.scope,
			fn: this.fn,
			position: handle.scope.node.end,
			created: null,
			reads: true,
			writes: false,
			initialises: false,
			variable: null
		};
	}
};
function isWithin(node, outer) {
	return node.start > outer.start && node.end < outer.end;
}
/** The declaration a statement makes in its list, through `export` and labels. */
function declarationIn(statement) {
	let node = statement;
	while (node !== null && node.type === "LabeledStatement") node = node.body;
	if (node !== null && (node.type === "ExportNamedDeclaration" || node.type === "ExportDefaultDeclaration")) node = node.declaration;
	return node;
}
/** A use of `arguments` that reads its elements or its length, or passes them on one by one. */
function isReadOnly(use) {
	const { parent } = use;
	if (parent?.type === "SpreadElement") return true;
	if (parent?.type === "CallExpression") {
		const { callee } = parent;
		return callee.type === "MemberExpression" && !callee.computed && callee.property.name === "apply";
	}
	return parent?.type === "MemberExpression" && parent.object === use && !isTarget(parent);
}
/** Whether a member is assigned to, deleted, or called as a method of its object. */
function isTarget(member) {
	const parent = member.parent;
	switch (parent.type) {
		case "AssignmentExpression":
		case "AssignmentPattern":
		case "ForInStatement":
		case "ForOfStatement": return parent.left === member;
		case "Property": return parent.parent?.type === "ObjectPattern";
		case "CallExpression": return parent.callee === member;
		case "UnaryExpression": return parent.operator === "delete";
		default: return /^(UpdateExpression|ArrayPattern|RestElement|ParenthesizedExpression)$/.test(parent.type);
	}
}
// packages/transform/src/body-names.ts
/** Whether what parameters refer to would be found in the body if the two had one scope. */
function bodyRedeclares(info, used) {
	const free = used.filter((reference) => !(reference.initialises && reference.fn === info) && isFree(reference, info));
	if (free.length === 0) return false;
	const names = namesDeclaredIn(info.node.body);
	return free.some(({ name, fn }) => names.has(name) && (fn !== info || !info.scope.variables.has(name)));
}
function isFree({ name, scope }, info) {
	for (let at = scope; at !== info.scope && at.parent !== null; at = at.parent) if (at.variables.has(name)) return false;
	return true;
}
function namesDeclaredIn(body) {
	const names = /* @__PURE__ */ new Set();
	for (const statement of statements(body)) {
		const node = declarationIn(statement);
		if (node === null || !/^(Function|Class)Declaration$/.test(node.type)) continue;
		if (node.id !== null) names.add(node.id.name);
	}
	addVariables(body, true, names);
	return names;
}
function addVariables(node, isTop, names) {
	for (const child of childrenOf(node)) if (child.type === "VariableDeclaration") {
		if (child.kind !== "var" && !isTop) continue;
		for (const { id } of child.declarations) for (const bound of boundIdentifiers(id)) names.add(bound.name);
	} else if (child.type === "FunctionDeclaration" && !isTop && child.id !== null) names.add(child.id.name);
	else if (/Statement$|^SwitchCase$|^CatchClause$/.test(child.type)) addVariables(child, false, names);
}
// packages/transform/src/call-site-text.ts
const UNNAMED = "(intermediate value)";
function callSiteText(expression) {
	const node = bare(expression);
	switch (node.type) {
		case "Identifier": return node.name;
		case "ThisExpression": return "this";
		case "Literal": return literalText(node);
		case "TemplateLiteral": return node.quasis.length === 1 ? cookedText(node) : UNNAMED;
		case "ChainExpression": return node.expression.type === "CallExpression" ? UNNAMED : callSiteText(node.expression);
		case "MemberExpression": return memberText$1(node);
		case "CallExpression": return `${callSiteText(node.callee)}(...)`;
		case "AssignmentExpression": return callSiteText(node.left);
		case "SequenceExpression": return `(${node.expressions.map(callSiteText).join(" , ")})`;
		case "BinaryExpression":
		case "LogicalExpression": return `(${callSiteText(node.left)} ${node.operator} ${callSiteText(node.right)})`;
		case "UnaryExpression": return `(${node.operator}${node.operator.length > 1 ? " " : ""}${callSiteText(node.argument)})`;
		case "ConditionalExpression": return UNNAMED.repeat(3);
		default: return UNNAMED;
	}
}
/** The same where the expression is iterated. */
function iterableText(expression) {
	const node = bare(expression);
	const text = callSiteText(node.type === "CallExpression" ? node.callee : node);
	return node.type === "CallExpression" ? `${text} is not a function or its return value` : text;
}
function memberText$1({ object, property, computed, optional }) {
	const owner = callSiteText(object);
	const dot = optional ? "?." : ".";
	if (property.type === "PrivateIdentifier") return `${owner}[#${property.name}]`;
	if (!computed) return `${owner}${dot}${property.name}`;
	const key = bare(property);
	const name = key.type === "Literal" ? literalValue(key) : key.type === "TemplateLiteral" ? cookedText(key) : null;
	if (typeof name === "string" && !/^\d+$/.test(name) && !(key.quasis?.length > 1)) return `${owner}${dot}${name}`;
	return `${owner}${optional ? "?." : ""}[${callSiteText(key)}]`;
}
function literalText(node) {
	const value = literalValue(node);
	if (typeof value === "string") return JSON.stringify(value);
	return value === null || /^(number|boolean)$/.test(typeof value) ? String(value) : UNNAMED;
}
function cookedText(node) {
	const { value } = node.quasis[0];
	return value.cooked;
}
/** What a message says of an object pattern: the first property, if its name is no matter of evaluation. */
function firstProperty(pattern) {
	const first = pattern.properties[0];
	if (first === void 0 || first.type === "RestElement" || first.computed) return null;
	return first.key.type === "Identifier" ? first.key.name : String(literalValue(first.key));
}
// packages/transform/src/kept-iterators.ts
const MAKERS = /* @__PURE__ */ new Set([
	"entries",
	"keys",
	"values"
]);
/** Of an iterator, answering one that keeps it. */
const HELPERS$2 = /* @__PURE__ */ new Set([
	"map",
	"filter",
	"take",
	"drop",
	"flatMap"
]);
/** Methods that put their arguments somewhere. */
const STORES = /* @__PURE__ */ new Set([
	"set",
	"add",
	"push",
	"unshift",
	"fill",
	"resolve",
	"enqueue"
]);
/** What consumes what it is constructed with; of other classes that is not known. */
const CONSUMERS = /^(?:(?:Weak)?(?:Map|Set)|(?:\w+)?Array|Promise|URLSearchParams|Headers|FormData|Blob)$/;
/** Whether `call`, whose parents are known, may make an iterator that somebody keeps, and who. */
function keepingOf(call) {
	const { callee } = call;
	if (call.optional || callee.type !== "MemberExpression" || callee.optional) return null;
	if (callee.object.type === "Super" || !makesIterator(callee, call.arguments)) return null;
	const node = chosenExpression(call);
	const { parent } = node;
	let inner = keptExpression(call);
	while (inner.type === "ParenthesizedExpression") inner = inner.expression;
	const isHelped = inner !== call;
	switch (parent?.type) {
		case "VariableDeclarator": return parent.id?.type === "Identifier" ? "stored" : null;
		case "AssignmentExpression": return parent.operator === "=" && /^(Identifier|MemberExpression)$/.test(parent.left.type) ? "stored" : null;
		case "PropertyDefinition":
		case "Property": return parent.value === node ? "stored" : null;
		case "YieldExpression": return parent.delegate ? "delegated" : null;
		case "ForOfStatement": return parent.right === node && !parent.await ? "iterated" : null;
		case "ReturnStatement":
			if (isHelped) return "helped";
			return isSimple$1(callee.object) ? "passed on" : null;
		case "ArrowFunctionExpression":
			if (isHelped && parent.body === node) return "helped";
			return parent.body === node && isSimple$1(callee.object) ? "passed on" : null;
		case "ArrayExpression": return "stored";
		case "AssignmentPattern": return parent.right === node ? "stored" : null;
		case "CallExpression":
		case "NewExpression":
			if (parent.callee === node) return null;
			if (isHelped) return "helped";
			return isStored(parent) ? "stored" : null;
		default: return null;
	}
}
/** The call, or the last of the helpers that are called on it: `list.values().map(f).take(2)`. Parentheses are part of it. */
function keptExpression(call) {
	let node = call;
	for (;;) {
		while (node.parent?.type === "ParenthesizedExpression") node = node.parent;
		const member = node.parent;
		if (!(member?.type === "MemberExpression" && member.object === node && !member.computed && !member.optional && HELPERS$2.has(member.property.name) && member.parent?.type === "CallExpression" && member.parent.callee === member && !member.parent.optional)) return node;
		node = member.parent;
	}
}
/** With the `?:` or `??` by which it is chosen. */
function chosenExpression(call) {
	let node = keptExpression(call);
	for (;;) {
		const { parent } = node;
		if (!(parent?.type === "ConditionalExpression" && parent.test !== node || parent?.type === "LogicalExpression" && (parent.operator !== "&&" || parent.right === node) || parent?.type === "ParenthesizedExpression")) return node;
		node = parent;
	}
}
/** Whether an argument of the call is likely to stay somewhere. */
function isStored({ type, callee }) {
	if (type === "NewExpression") return callee.type !== "Identifier" || !CONSUMERS.test(callee.name);
	return callee.type === "MemberExpression" && !callee.computed && STORES.has(callee.property.name);
}
function makesIterator({ property, computed }, args) {
	if (computed) return args.length === 0 && property.type === "MemberExpression" && !property.computed && property.property.name === "iterator" && property.object.type === "Identifier" && property.object.name === "Symbol";
	if (property.type !== "Identifier") return false;
	if (property.name !== "matchAll") return args.length === 0 && MAKERS.has(property.name);
	const argument = args[0];
	return args.length === 1 && (argument?.type === "Identifier" || argument?.type === "Literal" && "regex" in argument);
}
/** Evaluated twice, nobody could tell. */
function isSimple$1(node) {
	if (node.type === "MemberExpression") return !node.computed && !node.optional && isSimple$1(node.object);
	return node.type === "Identifier" || node.type === "ThisExpression";
}
/** The call, given how it is emitted where nobody keeps its result. */
function emitKept(e, call, keeping, plain) {
	switch (keeping) {
		case "passed on": return [
			`(${e.use("keeping")}.on ? `,
			throughKeep(e, call),
			" : ",
			plain,
			")"
		];
		case "stored": {
			const { object } = call.callee;
			if (diesWithCall(call)) return isSimple$1(object) ? emitKept(e, call, "passed on", plain) : plain;
			if (!isSimple$1(object)) return throughKeep(e, call);
			return [
				`${e.use("kept")}((${e.use("keeping")}.on = true, `,
				plain,
				"), ",
				e.emit(object),
				", ",
				...keyAndArgument(e, call, ""),
				")"
			];
		}
		case "delegated":
		case "helped": return throughKeep(e, call);
		case "iterated": {
			const loop = loopOver(call);
			return loop.body.suspends === true || loop.left.suspends === true ? throughKeep(e, call) : plain;
		}
	}
}
/** Stored in a local variable that nothing but its function sees, and that function runs to its end within one job. */
function diesWithCall(call) {
	const node = chosenExpression(call).parent;
	const variable = (node.type === "VariableDeclarator" ? node.id : node.type === "AssignmentExpression" ? node.left : null)?.ref?.variable;
	if (variable === void 0 || variable === null || variable.isRoot) return false;
	return !variable.captured && variable.storage === "local" && !variable.scope.fn.suspendable;
}
function throughKeep(e, call) {
	const text = `, ${JSON.stringify(callSiteText(call.callee))}`;
	return [
		`${e.use("keep")}(`,
		e.emit(call.callee.object),
		", ",
		...keyAndArgument(e, call, text),
		")"
	];
}
function keyAndArgument(e, { callee, arguments: [argument] }, between) {
	const key = callee.computed ? e.emit(callee.property) : JSON.stringify(callee.property.name);
	return argument === void 0 ? [key, between] : [
		key,
		between,
		", ",
		e.emit(argument)
	];
}
/** The `for-of` whose head is the call. */
function loopOver(call) {
	return chosenExpression(call).parent;
}
// packages/transform/src/storage.ts
function isDeadUse({ node, initialises }, variable) {
	if (node === null || initialises || !variable.isLexical) return false;
	const head = variable.scope.node;
	if (head.type !== "ForInStatement" && head.type !== "ForOfStatement") return false;
	return node.start >= head.right.start && node.end <= head.right.end;
}
/** Whether a place is inside a stretch of the source. */
function inside(position, { start, end }) {
	return position >= start && position < end;
}
/** Resolves every reference and decides the storage of every variable. */
function resolve(references, variables) {
	for (const reference of references) {
		for (let scope = reference.scope; scope !== null; scope = scope.parent) {
			const found = scope.variables.get(reference.name);
			if (found === void 0) continue;
			if (isDeadUse(reference, found)) reference.dead = true;
			else reference.variable = found;
			break;
		}
		if (reference.variable !== null && reference.writes && !reference.initialises) reference.variable.writes++;
	}
	for (const reference of references) {
		let variable = reference.variable;
		if (variable === null) continue;
		if (variable.kind === "name" && variable.scope.node.type === "ClassDeclaration") {
			const outer = variable.scope.parent?.variables.get(variable.name);
			if (outer !== void 0 && outer.kind === "class" && outer.writes === 0 && !reference.writes) {
				variable = outer;
				reference.variable = outer;
			}
		}
		variable.references.push(reference);
		const owner = variable.scope.fn;
		if (reference.fn === owner) continue;
		variable.captured = true;
		if (reference.writes && variable.kind !== "const") variable.nestedWrite = true;
		if (variable.isRoot) continue;
		for (let fn = reference.fn; fn !== null && fn !== owner; fn = fn.parent) {
			fn.captures.add(variable);
			if (fn.suspendable) variable.capturedBySuspendable = true;
		}
	}
	const patterns = /* @__PURE__ */ new Map();
	for (const variable of variables()) {
		decideStorage(variable);
		const { pattern } = variable;
		if (pattern === null) continue;
		const group = patterns.get(pattern);
		if (group === void 0) patterns.set(pattern, [variable]);
		else group.push(variable);
	}
	for (const [pattern, group] of patterns) decideTogether(pattern, group);
	for (const variable of variables()) variable.mayStayDead = variable.isLexical && variable.captured && !variable.isRoot && variable.storage !== "cell" && isSeenDead(variable);
}
/** A closure that captures the variable could be had before its declaration has ended, or without it. */
function isSeenDead(variable) {
	const owner = variable.scope.fn;
	if (variable.scope.node.type === "SwitchStatement") return true;
	return variable.references.some(({ fn }) => {
		if (fn === owner) return false;
		let closure = fn;
		while (closure.parent !== null && closure.parent !== owner) closure = closure.parent;
		return mayRunBefore(closure, variable, declarationOf$1(variable), /* @__PURE__ */ new Set());
	});
}
/**
* A pattern whose own parts use a shared name is evaluated after its names have been made, so that V8 no longer keeps the
* dead zones of any of them.
*/
function decideTogether(pattern, group) {
	if (group.every((variable) => variable.storage === "local") || group[0]?.kind === "var") return;
	const isUsedIn = (variable, { start, end }) => variable.references.some(({ node, initialises }) => node !== null && !initialises && node.start >= start && node.end <= end);
	const separate = group.some((variable) => variable.storage !== "local" && isUsedIn(variable, pattern.node));
	for (const variable of group) {
		const { storage, captured } = variable;
		if (pattern.inList && storage === "box") variable.storage = "cell";
		if (separate && storage !== "binding" && (isUsedIn(variable, pattern) || pattern.inList && captured)) variable.storage = "cell";
	}
}
function decideStorage(variable) {
	if (variable.kind === "import" || variable.kind === "name" || variable.kind === "handle") return;
	const owner = variable.scope.fn;
	if (isSharedWithArguments(variable)) {
		variable.storage = "box";
		return;
	}
	const early = isUsedEarly(variable);
	if (variable.isRoot) {
		if (owner.topLevelAwait && variable.isLexical && (early || isSeenTooEarly(variable))) variable.storage = "cell";
		return;
	}
	if (early && owner.suspendable && (variable.kind === "param" || !variable.captured)) {
		variable.storage = "cell";
		return;
	}
	if (variable.isLexical && owner.suspendable && crossesCases(variable)) {
		variable.storage = "cell";
		return;
	}
	if (!variable.captured) return;
	if (!owner.suspendable && !variable.capturedBySuspendable) {
		if (variable.nestedWrite) variable.storage = "box";
		return;
	}
	const hazard = isSeenTooEarly(variable);
	if (variable.hasDeadZone && (hazard || owner.suspendable && early)) {
		variable.storage = "cell";
		return;
	}
	if (variable.writes > 0 && variable.kind !== "const") variable.storage = "box";
	else if (variable.kind === "var" || variable.kind === "function" && variable.declarations > 1) {
		const sets = variable.references.filter((reference) => reference.initialises);
		const inLoop = sets.some((set) => owner.loops.some(([start, end]) => set.position >= start && set.position < end));
		if (sets.length > 1 || sets.length === 1 && (hazard || inLoop)) variable.storage = "box";
	}
}
/** A parameter that natively changes with `arguments`, or `arguments` with it, though one of them is copied into a frame. */
function isSharedWithArguments(variable) {
	const { fn } = variable.scope;
	if (variable.kind !== "param" || !fn.mapsArguments) return false;
	if (!fn.suspendable) return fn.givesArguments && variable.capturedBySuspendable;
	return fn.givesArguments || variable.references.filter((reference) => reference.writes).length > 1;
}
/** A switch can enter at a later case and find the variables of an earlier one uninitialised. */
function crossesCases(variable) {
	const { node } = variable.scope;
	if (node.type !== "SwitchStatement") return false;
	const home = node.cases.find((each) => inside(variable.declarationStart, each));
	return home !== void 0 && variable.references.some((reference) => !inside(reference.position, home));
}
/** A use in the same function that stands before the declaration has finished. */
function isUsedEarly(variable) {
	if (!variable.hasDeadZone) return false;
	const owner = variable.scope.fn;
	const { end } = declarationOf$1(variable);
	return variable.references.some((reference) => reference.fn === owner && !reference.initialises && (reference.node?.start ?? reference.position) < end && (reference.reads || reference.writes));
}
function declarationOf$1(variable) {
	return {
		start: variable.declarationStart,
		end: Math.max(variable.declarationEnd, variable.settledAt)
	};
}
function isSeenTooEarly(variable) {
	const owner = variable.scope.fn;
	return variable.references.some((reference) => reference.fn !== owner && seesTooEarly(reference, variable));
}
/** A closure could be created and used before the variable it captures has its value. */
function seesTooEarly(reference, variable) {
	const owner = variable.scope.fn;
	let closure = reference.fn;
	let suspendable = closure.suspendable;
	while (closure.parent !== null && closure.parent !== owner) {
		closure = closure.parent;
		suspendable ||= closure.suspendable;
	}
	const declaration = declarationOf$1(variable);
	const hoisted = isHoisted(closure);
	if (!hoisted && inside(closure.node.start, declaration)) return variable.initialisedByCode && (owner.suspendable || suspendable);
	if (owner.suspendable && !variable.isRoot) {
		const start = hoisted ? variable.scope.node.start : closure.node.start;
		if (owner.points.some((point) => point > start && point <= declaration.end)) return true;
	}
	return (owner.suspendable || suspendable) && mayRunBefore(closure, variable, declaration, /* @__PURE__ */ new Set());
}
function isHoisted(fn) {
	return fn.node.type === "FunctionDeclaration";
}
/** Whether a function made in the scope of a variable can have been called when the variable's declaration ends. */
function mayRunBefore(closure, variable, { end }, known) {
	if (known.has(closure)) return false;
	known.add(closure);
	if (!isHoisted(closure) && closure.node.start >= end) return false;
	const holder = holderOf(closure);
	if (holder === null || !isInside(holder.scope, variable.scope)) return true;
	return holder.references.some((use) => {
		if (use.initialises) return false;
		if (use.node?.parent?.type === "ExportSpecifier") return true;
		if (!use.reads && !use.writes) return false;
		let user = use.fn;
		if (user === closure.parent) return (use.node?.start ?? use.position) < end;
		while (user.parent !== null && user.parent !== closure.parent) user = user.parent;
		return mayRunBefore(user, variable, {
			start: 0,
			end
		}, known);
	});
}
/** The only variable that leads to a function, as long as nobody reads it: its name, its class's, or the constant it is. */
function holderOf(closure) {
	let { node } = closure;
	if (closure.kind === "block" || closure.kind === "field" && node.static) return null;
	const member = closure.kind === "field" ? node : node.parent;
	if (member?.type === "PropertyDefinition" || member?.type === "MethodDefinition" && member.value === node) node = member.parent.parent;
	let { parent } = node;
	while (parent?.type === "ParenthesizedExpression") parent = parent.parent;
	if (parent?.type.startsWith("Export") === true) return null;
	if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") return node.id?.ref?.variable ?? null;
	if (parent?.type !== "VariableDeclarator" || parent.parent?.parent?.type.startsWith("Export") === true) return null;
	const id = parent.id;
	return id.type === "Identifier" ? id.ref?.variable ?? null : null;
}
function isInside(inner, outer) {
	for (let scope = inner; scope !== null; scope = scope.parent) if (scope === outer) return true;
	return false;
}
// packages/transform/src/analysis.ts
function analyze(program, options) {
	return new Analyzer(program, options).run();
}
var Analyzer = class {
	program;
	binder;
	refused = [];
	statementStarts = [];
	usesImportMeta = false;
	constructor(program, { strict, globalThisAtRoot }) {
		this.program = program;
		this.binder = new Binder(program, {
			strict: strict || hasUseStrict(statements(program)),
			globalThisAtRoot
		});
	}
	run() {
		const rootScope = this.binder.scope;
		this.program.parent = null;
		this.program.scope = rootScope;
		this.binder.hoist(statements(this.program));
		this.visitAll(statements(this.program), this.program);
		resolve(this.binder.references, () => this.variables());
		const { root, functions, classes, references, scopes, identifiers } = this.binder;
		return {
			root,
			rootScope,
			functions,
			classes,
			references,
			scopes,
			refused: this.refused,
			identifiers,
			usesImportMeta: this.usesImportMeta,
			statements: this.statementStarts
		};
	}
	*variables() {
		for (const scope of this.binder.scopes) yield* scope.variables.values();
	}
	visitAll(nodes, parent) {
		let suspends = false;
		for (let i = 0; i < nodes.length; i++) {
			const node = nodes[i];
			if (node !== null && this.visit(node, parent)) suspends = true;
		}
		return suspends;
	}
	/** Visits a node; answers (and notes) whether the current function can suspend in it. */
	visit(node, parent) {
		node.parent = parent;
		const { type, isStatement } = kindOf$1(node.type);
		node.type = type;
		if (isStatement) this.statementStarts.push(node.start);
		const suspends = this.enter(node);
		if (suspends) node.suspends = true;
		return suspends;
	}
	enter(node) {
		switch (node.type) {
			case "Identifier":
				this.binder.refer(node, { reads: true });
				return false;
			case "Literal": return false;
			case "MemberExpression": {
				let suspends = this.visit(node.object, node);
				if (node.computed || node.property.type === "PrivateIdentifier") suspends = this.visit(node.property, node) || suspends;
				else node.property.parent = node;
				return suspends;
			}
			case "CallExpression": return this.visitCall(node);
			case "ExpressionStatement": return this.visit(node.expression, node);
			case "BinaryExpression":
			case "LogicalExpression": {
				const suspends = this.visit(node.left, node);
				return this.visit(node.right, node) || suspends;
			}
			case "ThisExpression":
				this.binder.useThis();
				if (this.binder.mayBeGlobal(node) || this.binder.isSuspendedThis()) markDirty(node);
				return false;
			case "Super":
				this.binder.useSuper();
				if (this.binder.isSuspendedThis()) markDirty(node);
				return false;
			case "MetaProperty":
				if (node.meta.name === "import") {
					this.usesImportMeta = true;
					markDirty(node);
				} else {
					if (this.binder.isSuspendedThis()) markDirty(node);
					for (let fn = this.binder.fn; fn !== null; fn = fn.parent) {
						fn.usesNewTarget = true;
						if (!fn.isArrow) break;
					}
				}
				return false;
			case "FunctionDeclaration":
			case "FunctionExpression":
				this.visitFunction(node, "function");
				return false;
			case "ArrowFunctionExpression":
				this.visitFunction(node, "arrow");
				return false;
			case "ClassDeclaration":
			case "ClassExpression": return this.visitClass(node);
			case "AwaitExpression":
			case "YieldExpression":
				if (node.argument !== null) this.visit(node.argument, node);
				this.binder.suspend(node.end);
				markDirty(node);
				return true;
			case "ReturnStatement": {
				let suspends = node.argument !== null && this.visit(node.argument, node);
				if (this.binder.fn.wrapped) markDirty(node);
				if (this.binder.fn.async && this.binder.fn.generator && node.argument !== null) {
					this.binder.suspend(node.end);
					suspends = true;
				}
				return suspends;
			}
			case "ImportExpression":
			case "TaggedTemplateExpression":
				markDirty(node);
				return this.visitAll(childrenOf(node), node);
			case "AssignmentExpression": return this.visitAssignment(node);
			case "UpdateExpression": return this.visitTarget(node.argument, node, {
				reads: true,
				writes: true
			});
			case "VariableDeclaration": return this.visitDeclaration(node);
			case "PrivateIdentifier":
				this.binder.usePrivate(node);
				return false;
			case "Property": {
				let suspends = node.computed && this.visit(node.key, node);
				if (!node.computed) node.key.parent = node;
				if (isFunction(node.value) && (node.method || node.kind !== "init")) {
					node.value.parent = node;
					this.visitFunction(node.value, "method");
				} else suspends = this.visit(node.value, node) || suspends;
				return suspends;
			}
			case "WithStatement":
				this.refused.push({
					node,
					what: "with"
				});
				return this.visitAll(childrenOf(node), node);
			case "BlockStatement": return this.visitBlock(node);
			case "ForStatement":
			case "ForInStatement":
			case "ForOfStatement": return this.visitFor(node);
			case "WhileStatement":
			case "DoWhileStatement":
				this.binder.fn.loops.push([node.start, node.end]);
				return this.visitAll(childrenOf(node), node);
			case "SwitchStatement": return this.visitSwitch(node);
			case "CatchClause": return this.visitCatch(node);
			case "TryStatement":
				if (node.finalizer !== null) this.binder.fn.hasFinally = true;
				return this.visitAll(childrenOf(node), node);
			case "LabeledStatement":
				node.label.parent = node;
				return this.visit(node.body, node);
			case "BreakStatement":
			case "ContinueStatement":
				if (this.binder.fn.wrapped || this.binder.fn.kind === "root") markDirty(node);
				return false;
			case "ImportDeclaration":
				for (const specifier of node.specifiers) specifier.parent = node;
				return false;
			case "ExportNamedDeclaration":
				if (node.declaration !== null) return this.visit(node.declaration, node);
				if (node.source === null) for (const specifier of node.specifiers) {
					specifier.parent = node;
					if (specifier.local.type === "Identifier") this.binder.refer(specifier.local, {});
				}
				return false;
			case "ExportDefaultDeclaration": return this.visit(node.declaration, node);
			case "ExportAllDeclaration": return false;
			default: return this.visitAll(childrenOf(node), node);
		}
	}
	visitCall(node) {
		const { callee } = node;
		if (callee.type === "Identifier" && callee.name === "eval" && !node.optional) this.refused.push({
			node,
			what: "eval"
		});
		if (callee.type === "Super" && this.binder.isSuspendedThis()) this.refused.push({
			node,
			what: "super"
		});
		if (keepingOf(node) !== null) markDirty(node);
		const suspends = this.visit(callee, node);
		return this.visitAll(node.arguments, node) || suspends;
	}
	visitAssignment(node) {
		const { left, right } = node;
		const isPattern = left.type === "ObjectPattern" || left.type === "ArrayPattern";
		const compound = node.operator !== "=";
		let suspends;
		if (isPattern || left.type === "Identifier") {
			suspends = this.visit(right, node);
			suspends = this.binder.at(node.end, () => this.visitTarget(left, node, {
				reads: compound,
				writes: true
			})) || suspends;
			if (compound && right.suspends) this.binder.references.push({
				...left.ref,
				node: null,
				position: node.start,
				reads: true,
				writes: false
			});
		} else {
			suspends = this.visitTarget(left, node, {
				reads: compound,
				writes: true
			});
			suspends = this.visit(right, node) || suspends;
		}
		return suspends;
	}
	visitTarget(target, parent, how) {
		target.parent = parent;
		let suspends = false;
		switch (target.type) {
			case "Identifier":
				this.binder.refer(target, how);
				return false;
			case "ObjectPattern":
				for (const property of target.properties) {
					property.parent = target;
					if (property.type === "RestElement") suspends = this.visitTarget(property.argument, property, how) || suspends;
					else {
						if (property.computed) suspends = this.visit(property.key, property) || suspends;
						else property.key.parent = property;
						suspends = this.visitTarget(property.value, property, how) || suspends;
					}
					if (suspends) property.suspends = true;
				}
				break;
			case "ArrayPattern":
				for (const element of target.elements) if (element !== null) suspends = this.visitTarget(element, target, how) || suspends;
				break;
			case "AssignmentPattern":
				suspends = this.visit(target.right, target);
				suspends = this.visitTarget(target.left, target, how) || suspends;
				break;
			case "RestElement":
				suspends = this.visitTarget(target.argument, target, how);
				break;
			case "ParenthesizedExpression":
				suspends = this.visitTarget(target.expression, target, how);
				break;
			default: return this.visit(target, parent);
		}
		if (suspends) target.suspends = true;
		return suspends;
	}
	visitDeclaration(node) {
		const { fn } = this.binder;
		let suspends = false;
		if (node.kind.endsWith("using")) this.binder.fn.hasFinally = true;
		if (node.kind === "var" && (fn.wrapped || fn.kind === "root" || fn.bodyScope !== null)) markDirty(node);
		if (node.kind === "var") this.binder.declarePatterns(node, this.binder.functionScope());
		const around = node.parent?.type;
		const isForInOf = around === "ForInStatement" || around === "ForOfStatement";
		for (const declarator of node.declarations) {
			declarator.parent = node;
			let inner = declarator.init !== null && this.visit(declarator.init, declarator);
			const isForHead = isForInOf && node.parent?.left === node;
			const how = declarator.init !== null || isForHead ? {
				writes: true,
				initialises: true
			} : { initialises: node.kind !== "var" };
			inner = this.binder.at(declarator.end, () => this.visitTarget(declarator.id, declarator, how)) || inner;
			if (inner) declarator.suspends = true;
			const pattern = declarator.id;
			const initialiser = declarator.init === null ? null : bare(declarator.init);
			const inList = node.parent?.type.startsWith("For") !== true;
			const bound = {
				node: pattern,
				start: isForHead ? pattern.start : declarator.start,
				end: declarator.end,
				inList
			};
			const byCode = initialiser !== null && !isFunction(initialiser) && initialiser.type !== "ClassExpression";
			for (const variable of this.binder.declaredBy(pattern)) {
				variable.initialisedByCode = byCode;
				if (pattern.type === "Identifier") continue;
				variable.pattern = bound;
				if (pattern.suspends !== true) continue;
				variable.settledAt = variable.declarationEnd;
				variable.declarationEnd = declarator.start;
			}
			suspends ||= inner;
		}
		if (node.kind === "await using") {
			markDirty(node);
			this.binder.suspend(this.binder.scope.node.end - 1);
			suspends = true;
		}
		return suspends;
	}
	visitBlock(node) {
		const scope = this.binder.newScope("block", node);
		node.scope = scope;
		return this.binder.within(scope, () => {
			this.binder.hoist(statements(node));
			return this.visitAll(statements(node), node);
		});
	}
	visitFor(node) {
		const scope = this.binder.newScope("block", node);
		node.scope = scope;
		this.binder.fn.loops.push([node.start, node.end]);
		return this.binder.within(scope, () => {
			const head = node.type === "ForStatement" ? node.init : node.left;
			if (head !== null && head.type === "VariableDeclaration" && head.kind !== "var") this.binder.declarePatterns(head, scope);
			if (node.type === "ForStatement") return this.visitAll([
				node.init,
				node.test,
				node.update,
				node.body
			], node);
			let suspends = this.visit(node.right, node);
			if (head.type === "VariableDeclaration") suspends = this.visit(head, node) || suspends;
			else suspends = this.binder.at(node.right.end, () => this.visitTarget(head, node, { writes: true })) || suspends;
			suspends = this.visit(node.body, node) || suspends;
			if (node.await) {
				this.binder.suspend(node.right.end);
				this.binder.suspend(node.end - 1);
				suspends = true;
			}
			return suspends;
		});
	}
	visitSwitch(node) {
		let suspends = this.visit(node.discriminant, node);
		const scope = this.binder.newScope("block", node);
		node.scope = scope;
		return this.binder.within(scope, () => {
			const lists = node.cases.map((each) => statements(each));
			this.binder.hoist(lists.flat());
			const before = this.binder.fn.points.length;
			suspends = this.visitAll(node.cases, node) || suspends;
			if (this.binder.fn.points.length > before) this.binder.fn.loops.push([node.start, node.end]);
			return suspends;
		});
	}
	visitCatch(node) {
		const scope = this.binder.newScope("block", node);
		node.scope = scope;
		return this.binder.within(scope, () => {
			let suspends = false;
			if (node.param !== null) {
				const { param } = node;
				this.bind(param, param, "catch", scope);
				suspends = this.visitTarget(param, node, {
					writes: true,
					initialises: true
				});
			}
			return this.visit(node.body, node) || suspends;
		});
	}
	/** Declares the names of a `catch` or a parameter. */
	bind(pattern, { start, end }, kind, scope) {
		const bound = pattern.type === "Identifier" ? null : {
			node: pattern,
			start,
			end,
			inList: false
		};
		for (const id of boundIdentifiers(pattern)) scope.declare(id.name, kind, start, end).pattern = bound;
	}
	visitFunction(node, kind) {
		const strict = this.binder.fn.strict || this.binder.currentClass !== null && isInClass(node) || node.body.type === "BlockStatement" && hasUseStrict(statements(node.body));
		const info = new FunctionInfo(node, kind, this.binder.fn, strict);
		info.classInfo = this.binder.currentClass;
		node.fn = info;
		info.ordinal = this.binder.functions.length;
		this.binder.functions.push(info);
		markDirty(node);
		this.binder.elsewhere(() => {
			if (node.type === "FunctionExpression" && node.id !== null && kind === "function") {
				this.binder.scope = this.binder.newScope("name", node, this.binder.fn);
				this.binder.scope.declare(node.id.name, "name", node.start, node.start);
				this.binder.identifiers.add(node.id.name);
			}
			if (node.type === "FunctionDeclaration" && node.id !== null) {
				node.id.parent = node;
				this.binder.refer(node.id, {
					writes: true,
					initialises: true
				});
			}
			this.binder.fn = info;
			const scope = this.binder.newScope("function", node, info);
			info.scope = scope;
			node.scope = scope;
			this.binder.scope = scope;
			for (const param of node.params) this.bind(param.type === "AssignmentPattern" ? param.left : param, param, "param", scope);
			const before = this.binder.references.length;
			for (const param of node.params) this.visitTarget(param, node, {
				writes: true,
				initialises: true
			});
			if (node.body.type === "BlockStatement") {
				node.body.parent = node;
				const used = this.binder.references.slice(before);
				if (bodyRedeclares(info, used)) {
					info.bodyScope = this.binder.newScope("function", node.body, info);
					this.binder.scope = info.bodyScope;
				}
				node.body.scope = this.binder.scope;
				this.binder.hoist(statements(node.body));
				if (this.visitAll(statements(node.body), node.body)) node.body.suspends = true;
			} else this.visit(node.body, node);
		});
	}
	visitClass(node) {
		const scope = this.binder.newScope("class", node);
		node.scope = scope;
		if (node.id !== null) {
			node.id.parent = node;
			if (node.type === "ClassDeclaration") this.binder.refer(node.id, {
				writes: true,
				initialises: true
			});
			scope.declare(node.id.name, "name", node.start, node.end);
			this.binder.identifiers.add(node.id.name);
		}
		const info = {
			node,
			outer: this.binder.currentClass,
			scope,
			privates: /* @__PURE__ */ new Map(),
			handle: null,
			handledPrivates: /* @__PURE__ */ new Set(),
			ordinal: this.binder.classes.length
		};
		node.classInfo = info;
		this.binder.classes.push(info);
		markDirty(node);
		for (const member of statements(node.body)) if (member.type !== "StaticBlock" && member.key.type === "PrivateIdentifier") {
			if (!info.privates.has(member.key.name) || member.kind === "get") info.privates.set(member.key.name, member);
		}
		const outerClass = this.binder.currentClass;
		let suspends = false;
		this.binder.within(scope, () => {
			const outerStrict = this.binder.fn.strict;
			this.binder.fn.strict = true;
			if (node.superClass !== null) suspends = this.visit(node.superClass, node);
			this.binder.currentClass = info;
			node.body.parent = node;
			for (const member of statements(node.body)) suspends = this.visitMember(member, node.body) || suspends;
			this.binder.currentClass = outerClass;
			this.binder.fn.strict = outerStrict;
		});
		return suspends;
	}
	visitMember(member, body) {
		member.parent = body;
		if (member.type === "StaticBlock") {
			this.inPseudoFunction(member, "block", () => {
				this.binder.hoist(statements(member));
				this.visitAll(statements(member), member);
			});
			return false;
		}
		const suspends = member.computed && this.visit(member.key, member);
		member.key.parent = member;
		if (member.type === "MethodDefinition") {
			member.value.parent = member;
			this.visitFunction(member.value, member.kind === "constructor" ? "constructor" : "method");
			if (member.value.generator && member.key.type !== "PrivateIdentifier") this.binder.keepGenerator(member.value.fn);
		} else if (member.value !== null) this.inPseudoFunction(member, "field", () => this.visit(member.value, member));
		if (suspends) member.suspends = true;
		return suspends;
	}
	inPseudoFunction(node, kind, run) {
		const info = new FunctionInfo(node, kind, this.binder.fn, true);
		info.classInfo = this.binder.currentClass;
		node.fn = info;
		this.binder.elsewhere(() => {
			this.binder.fn = info;
			this.binder.scope = this.binder.newScope("function", node, info);
			info.scope = this.binder.scope;
			node.scope = this.binder.scope;
			run();
		});
	}
};
function hasUseStrict(list) {
	for (const statement of list) {
		if (statement.type !== "ExpressionStatement" || typeof statement.directive !== "string") return false;
		if (statement.directive === "use strict") return true;
	}
	return false;
}
function isInClass(node) {
	const member = node.parent;
	return member !== null && (member.type === "MethodDefinition" || member.type === "PropertyDefinition");
}
// packages/transform/src/code.ts
/** A stretch of the original source. */
var Span = class {
	start;
	end;
	constructor(start, end) {
		this.start = start;
		this.end = end;
	}
};
/** A place of the original that the text after it stands for, without taking text from it. */
var Mark = class {
	at;
	constructor(at) {
		this.at = at;
	}
};
function textOf(code, source) {
	if (typeof code === "string") return code;
	if (code instanceof Span) return source.slice(code.start, code.end);
	if (code instanceof Mark) return "";
	let text = "";
	for (const part of code) text += textOf(part, source);
	return text;
}
function flatten(code, source) {
	const parts = [];
	const spans = [];
	let length = 0;
	const write = (part) => {
		if (typeof part === "string") {
			if (part === "") return;
			parts.push(part);
			length += part.length;
		} else if (part instanceof Span) {
			const text = source.slice(part.start, part.end);
			if (text === "") return;
			parts.push(text);
			spans.push(length, part.start, text.length);
			length += text.length;
		} else if (part instanceof Mark) spans.push(length, part.at, 0);
		else for (let i = 0; i < part.length; i++) write(part[i]);
	};
	write(code);
	return {
		text: parts.join(""),
		spans
	};
}
// packages/transform/src/home-emitter.ts
/** The class a private name belongs to, if the text being emitted stands outside that class. */
function outsideClassOf(e, name) {
	const { stepOf } = e.around;
	if (stepOf === null || name.type !== "PrivateIdentifier") return null;
	for (let at = name; at !== null; at = at.parent) {
		if (at.type !== "ClassDeclaration" && at.type !== "ClassExpression") continue;
		const info = at.classInfo;
		if (!info.privates.has(name.name)) continue;
		return at.start < stepOf.node.start && at.end > stepOf.node.end ? info : null;
	}
	return null;
}
function homeOf(e) {
	const { stepOf } = e.around;
	if (stepOf === null) return null;
	const method = e.around.fn.thisFunction;
	if (method.node.start > stepOf.node.start || method.node.end < stepOf.node.end) return null;
	if (method.objectHandle !== null) return e.handleCode(method.objectHandle);
	const handle = method.classInfo?.handle;
	if (handle === null || handle === void 0) return null;
	const member = method.kind === "method" ? method.node.parent : method.node;
	const isStatic = member.type === "StaticBlock" || member.static;
	return `${e.handleCode(handle)}.home${isStatic ? "" : ".prototype"}`;
}
function keyOf(e, member) {
	return member.computed ? e.emit(member.property) : JSON.stringify(member.property.name);
}
/** `super.x` where no native `super` is at hand; as an assignment target with `target`. */
function emitSuperMember(e, member, target = false) {
	if (member.object.type !== "Super") return null;
	const home = homeOf(e);
	if (home === null) return null;
	const key = keyOf(e, member);
	if (target) return [
		`${e.use("superTarget")}(`,
		home,
		", ",
		key,
		`, ${e.around.thisCode}).v`
	];
	return [
		`${e.use("superGet")}(`,
		home,
		", ",
		key,
		`, ${e.around.thisCode})`
	];
}
function emitPrivateMember(e, member) {
	const info = outsideClassOf(e, member.property);
	if (info === null) return null;
	const accessors = e.privateAccessors(info, member.property.name);
	if (!member.optional) return [
		`${accessors}.get(`,
		e.emit(member.object),
		")"
	];
	const { object, setup } = e.once(member.object);
	return [
		"((",
		setup,
		`) == null ? void 0 : ${accessors}.get(`,
		object,
		"))"
	];
}
/** `o?.#x.d`: what follows an optional private member is skipped with it. */
function emitChain(e, chain) {
	let member = null;
	for (let at = chain.expression; at.type === "MemberExpression" || at.type === "CallExpression";) {
		if (at.type === "MemberExpression" && at.optional && outsideClassOf(e, at.property) !== null) member = at;
		at = at.type === "MemberExpression" ? at.object : at.callee;
	}
	if (member === null || e.substitutions.has(member.object)) return e.emitChildren(chain);
	const { object, setup } = e.once(member.object);
	e.substitutions.set(member.object, object);
	member.optional = false;
	const code = emitChain(e, chain);
	member.optional = true;
	e.substitutions.delete(member.object);
	return [
		"((",
		setup,
		") == null ? void 0 : ",
		code,
		")"
	];
}
/** Assignments and updates of `super.x` and `o.#x`; null where the native form does. */
function emitPrivateWrite(e, target, operator, right) {
	const info = outsideClassOf(e, target.property);
	let read;
	let write;
	let before = "";
	if (info !== null) {
		const accessors = e.privateAccessors(info, target.property.name);
		if (operator === "=") return [
			`${accessors}.set(`,
			e.emit(target.object),
			", ",
			right(),
			")"
		];
		const { object, setup } = e.once(target.object);
		if (bare(target.object).type !== "ThisExpression" && bare(target.object).type !== "Identifier") before = [setup, ", "];
		read = [
			`${accessors}.get(`,
			object,
			")"
		];
		write = (value) => [
			`${accessors}.set(`,
			object,
			", ",
			value,
			")"
		];
	} else {
		if (target.object.type !== "Super") return null;
		const home = homeOf(e);
		if (home === null) return null;
		const key = e.temporary();
		before = [
			`${key} = `,
			keyOf(e, target),
			", "
		];
		read = [
			`${e.use("superGet")}(`,
			home,
			`, ${key}, ${e.around.thisCode})`
		];
		write = (value) => [
			`${e.use("superSet")}(`,
			home,
			`, ${key}, `,
			value,
			`, ${e.around.thisCode})`
		];
		if (operator === "=") return [
			"(",
			before,
			write(right()),
			")"
		];
	}
	if (operator.startsWith("increment") || operator.startsWith("decrement")) {
		const sign = operator.startsWith("increment") ? "+" : "-";
		const old = e.temporary();
		const numeric = [
			`${old} = -(-`,
			read,
			")"
		];
		const next = `typeof ${old} === 'bigint' ? ${old} ${sign} 1n : ${old} ${sign} 1`;
		const result = operator.endsWith("prefix") ? "" : `, ${old}`;
		return [
			"(",
			before,
			numeric,
			", ",
			write(next),
			result,
			")"
		];
	}
	if (/^(\|\|=|&&=|\?\?=)$/.test(operator)) return [
		"(",
		before,
		read,
		` ${operator.slice(0, -1)} `,
		write(right()),
		")"
	];
	return [
		"(",
		before,
		write([
			read,
			` ${operator.slice(0, -1)} (`,
			right(),
			")"
		]),
		")"
	];
}
/** Accessors for every private name of a class, as an object literal. */
function privateTable(info) {
	return `{ ${[...info.privates.keys()].map((name) => `${name}: { get: (o) => o.#${name}, set: (o, v) => (o.#${name} = v), has: (o) => #${name} in o }`).join(", ")} }`;
}
// packages/transform/src/target-emitter.ts
/** A write that must fail because the variable is constant, though its storage would let it. */
function isForbiddenWrite(node) {
	const variable = node.ref?.variable;
	if (variable === void 0 || variable === null || node.ref?.initialises === true) return false;
	if (variable.kind === "import") return true;
	const copied = variable.capturedBySuspendable;
	if (variable.kind === "name") return copied || isOwnNameOfSuspendable(variable);
	return variable.kind === "const" && (copied || variable.storage !== "local" || variable.converted);
}
/** The name of a function expression is a parameter around its wrapper: V8 does not protect it there. */
function isOwnNameOfSuspendable(variable) {
	return variable.scope.node.fn?.wrapped === true && variable.scope.kind === "name";
}
/** Sloppy code ignores writes to a function expression's own name. */
function isIgnoredWrite(target) {
	const variable = target.ref?.variable;
	return variable?.kind === "name" && variable.scope.kind === "name" && target.ref?.fn.strict === false;
}
/** What a forbidden write does. */
function failWrite(e, target, value) {
	const variable = target.ref?.variable;
	if (isIgnoredWrite(target)) return [
		"(",
		value,
		")"
	];
	const alive = variable?.storage === "cell" ? `, ${variable.name}.v` : "";
	return [
		`${e.use("constAssign")}(${JSON.stringify(target.name)}, `,
		value,
		`${alive})`
	];
}
function emitAssignment(e, node) {
	const { left, right, operator } = node;
	const target = bare(left);
	if (target.type === "Identifier") {
		if (target.ref?.dead === true) return operator === "=" ? [
			"(",
			e.emit(right),
			", ",
			e.emitIdentifier(target),
			")"
		] : e.emitIdentifier(target);
		if (isForbiddenWrite(target)) return emitForbiddenWrite(e, node, target);
		if (e.isPlain(target)) return e.emitChildren(node);
		const value = /^(=|\|\|=|&&=|\?\?=)$/.test(operator) ? e.named(target.name, right) : e.emit(right);
		return [
			e.emitIdentifier(target),
			` ${operator} `,
			value
		];
	}
	if (target.type === "MemberExpression") {
		const write = emitPrivateWrite(e, target, operator, () => e.emit(right));
		if (write !== null) return write;
	}
	if (target.type === "ObjectPattern" || target.type === "ArrayPattern") return [
		emitPattern(e, target),
		" = ",
		sourceOf(e, target, right)
	];
	return e.emitChildren(node);
}
/** `target = value`, whatever the target is. */
function emitWrite(e, target, value) {
	if (target.type === "Identifier") {
		if (isForbiddenWrite(target)) return failWrite(e, target, value);
		return [
			e.emitIdentifier(target),
			" = ",
			value
		];
	}
	return emitPrivateWrite(e, target, "=", () => value) ?? [
		e.emit(target),
		" = ",
		value
	];
}
function emitForbiddenWrite(e, node, target) {
	const fail = (value) => failWrite(e, target, value);
	const { operator } = node;
	if (operator === "=") return fail(e.emit(node.right));
	const read = e.emitIdentifier(target);
	if (/^(\|\|=|&&=|\?\?=)$/.test(operator)) return [
		"(",
		read,
		` ${operator.slice(0, -1)} `,
		fail(e.emit(node.right)),
		")"
	];
	return fail([
		read,
		` ${operator.slice(0, -1)} (`,
		e.emit(node.right),
		")"
	]);
}
function emitUpdate(e, node) {
	const target = bare(node.argument);
	if (target.ref?.dead === true) return e.emitIdentifier(target);
	if (target.type === "Identifier" && isForbiddenWrite(target)) return failWrite(e, target, ["+", e.emitIdentifier(target)]);
	if (target.type === "MemberExpression") {
		const operator = node.operator === "++" ? "increment" : "decrement";
		const write = emitPrivateWrite(e, target, node.prefix ? `${operator} prefix` : operator, () => "");
		if (write !== null) return write;
	}
	return e.emitChildren(node);
}
/**
* The value a pattern takes apart, where it comes from somewhere else than the original's place: undefined and null fail with
* the words V8 has for the original. `text` is what it calls the value's expression, null if it describes the value.
*/
function patternSource(e, pattern, value, text) {
	const shape = bare(pattern);
	if (shape.type !== "ObjectPattern" && shape.type !== "ArrayPattern") return value;
	const isNamed = /^[\w$.]+$/.test(e.sourceText(value));
	const name = isNamed ? value : e.temporary();
	const given = isNamed ? value : [
		"(",
		name,
		" = ",
		value,
		")"
	];
	const named = JSON.stringify(text);
	if (shape.type === "ArrayPattern") return [
		given,
		` ?? ${e.use("noIterable")}(`,
		name,
		`, ${named})`
	];
	return [
		given,
		` ?? ${e.use("noObject")}(`,
		name,
		`, ${named}, ${JSON.stringify(firstProperty(shape))})`
	];
}
function caughtSource(e, pattern, caught) {
	return patternSource(e, pattern, caught, pattern.type === "ObjectPattern" ? ".catch" : null);
}
/** The right-hand side of a pattern; one that suspended has left its value elsewhere. */
function sourceOf(e, pattern, right) {
	const code = e.emit(right);
	return e.substitutions.has(right) ? patternSource(e, pattern, code, sourceText(pattern, right)) : code;
}
/** V8 describes the value that an array pattern takes apart, unless it has only just been awaited. */
function sourceText(pattern, source) {
	return bare(pattern).type === "ArrayPattern" && !/^(Await|Yield)/.test(bare(source).type) ? null : callSiteText(source);
}
/** A pattern in the form of an assignment target. */
function emitPattern(e, pattern) {
	if (e.substitutions.has(pattern)) return e.emit(pattern);
	switch (pattern.type) {
		case "Identifier": {
			if (pattern.ref?.dead === true) return [e.emitIdentifier(pattern), ".v"];
			const variable = pattern.ref?.variable ?? null;
			if (isForbiddenWrite(pattern)) {
				if (isIgnoredWrite(pattern)) return "({}).v";
				const alive = variable?.storage === "cell" ? `, ${pattern.name}.v` : "";
				return `${e.use("constTarget")}(${JSON.stringify(pattern.name)}${alive}).v`;
			}
			if (variable !== null && pattern.ref?.initialises === true && isInitialisedCell(variable)) return `${e.use("initializer")}(${storageCode(variable)}).v`;
			return e.emitIdentifier(pattern);
		}
		case "ObjectPattern": {
			const parts = ["{ "];
			for (const property of pattern.properties) {
				if (property.type === "RestElement") parts.push("...", emitPattern(e, property.argument));
				else {
					const key = property.computed ? [
						"[",
						e.emit(property.key),
						"]"
					] : new Span(property.key.start, property.key.end);
					parts.push(key, ": ", emitPattern(e, property.value));
				}
				parts.push(", ");
			}
			if (pattern.properties.at(-1)?.type === "RestElement") parts.pop();
			return [...parts, " }"];
		}
		case "ArrayPattern": {
			const parts = ["["];
			pattern.elements.forEach((element, index) => {
				if (element !== null) parts.push(emitPattern(e, element));
				if (index < pattern.elements.length - 1 || element === null) parts.push(", ");
			});
			return [...parts, "]"];
		}
		case "AssignmentPattern": {
			const target = bare(pattern.left);
			return [
				emitPattern(e, pattern.left),
				" = ",
				target.type !== "Identifier" || e.isPlain(target) && !isForbiddenWrite(target) ? e.emit(pattern.right) : e.named(target.name, pattern.right)
			];
		}
		case "RestElement": return ["...", emitPattern(e, pattern.argument)];
		case "ParenthesizedExpression": return emitPattern(e, pattern.expression);
		case "MemberExpression": {
			const info = outsideClassOf(e, pattern.property);
			if (info !== null) {
				const accessors = e.privateAccessors(info, pattern.property.name);
				return [
					`${e.use("privateTarget")}(${accessors}, `,
					e.emit(pattern.object),
					").v"
				];
			}
			return emitSuperMember(e, pattern, true) ?? e.emit(pattern);
		}
		default: return e.emit(pattern);
	}
}
/** Storage that has to be initialised rather than assigned. */
function isInitialisedCell(variable) {
	return variable.storage === "cell" || variable.storage === "binding" && variable.isLexical;
}
function storageCode(variable) {
	return variable.storage === "binding" ? variable.bindingCode : variable.name;
}
/** `target = value` for the initialisation of one declared name. */
function emitInitialisation(e, id, value) {
	const variable = id.ref?.variable ?? null;
	if (variable !== null && isInitialisedCell(variable)) return [
		`${e.use("init")}(${storageCode(variable)}, `,
		value,
		")"
	];
	return [
		e.emitIdentifier(id),
		" = ",
		value
	];
}
// packages/transform/src/step-expressions.ts
/** Emits what has to happen first and answers code for the value, to be used before anything else suspends. */
function value(step, node, needed = true) {
	const { e } = step;
	if (node.suspends !== true) return e.emit(node);
	switch (node.type) {
		case "ParenthesizedExpression": return value(step, node.expression, needed);
		case "AwaitExpression": return step.awaitValue(node, value(step, node.argument));
		case "YieldExpression": {
			const argument = node.argument === null ? "void 0" : value(step, node.argument);
			return node.delegate ? step.delegate(node, argument) : step.yieldValue(node, argument);
		}
		case "SequenceExpression": {
			const { expressions } = node;
			for (const each of expressions.slice(0, -1)) step.push(value(step, each, false), "; ");
			return value(step, expressions.at(-1), needed);
		}
		case "LogicalExpression": return logical(step, node);
		case "ConditionalExpression": return conditional(step, node, needed);
		case "AssignmentExpression": return assignment(step, node);
		case "CallExpression": return call(step, node);
		case "NewExpression": return decompose(step, node, [node.callee, ...node.arguments], true);
		case "TaggedTemplateExpression": return taggedTemplate(step, node);
		case "ChainExpression": return chain(step, node);
		case "MemberExpression": return decompose(step, node, memberOperands(node));
		case "BinaryExpression": return decompose(step, node, node.left.type === "PrivateIdentifier" ? [node.right] : [node.left, node.right]);
		case "UnaryExpression":
		case "UpdateExpression": {
			const target = bare(node.argument);
			return decompose(step, node, target.type === "MemberExpression" ? memberOperands(target) : [node.argument]);
		}
		case "SpreadElement": return decompose(step, node, [node.argument]);
		case "ArrayExpression": return decompose(step, node, node.elements.filter((each) => each !== null));
		case "ObjectExpression": return decompose(step, node, objectOperands(node));
		case "TemplateLiteral": return decompose(step, node, node.expressions);
		case "ImportExpression": return decompose(step, node, [node.source, ...node.options === null ? [] : [node.options]]);
		case "ClassExpression":
			prepareClass(step, node);
			return e.emit(node);
		default: throw new Error(`transform: no way to suspend in a ${node.type}`);
	}
}
/** Keeps a value in a slot across what follows. */
function saveValue(step, code) {
	const slot = step.slotCode(step.allocateTemporary());
	step.push(`${slot} = (`, code, "); ");
	return slot;
}
function memberOperands(member) {
	const operands = member.object.type === "Super" ? [] : [member.object];
	if (member.computed) operands.push(member.property);
	return operands;
}
function objectOperands(node) {
	const operands = [];
	for (const property of node.properties) if (property.type === "SpreadElement") operands.push(property);
	else {
		if (property.computed) operands.push(property.key);
		if (!property.method && property.kind === "init") operands.push(property.value);
	}
	return operands;
}
/** May be evaluated after a later operand, which ends at `until`, without anybody noticing. */
function isStable(step, node, until) {
	const inner = bare(node);
	if (inner.type === "Literal" || inner.type === "ThisExpression") return inner.type !== "Literal" || !("regex" in inner);
	if (isFunction(inner)) return [...inner.fn?.captures ?? []].every((variable) => isKept(step, variable, until));
	if (inner.type !== "Identifier") return false;
	const variable = inner.ref?.variable;
	if (variable === null) return inner.name === "undefined";
	return variable !== void 0 && isKept(step, variable, until);
}
/** A variable that has its value for good and still has it after the suspension, since it is used further on anyway. */
function isKept(step, variable, until) {
	if (variable.storage !== "local" || variable.writes > 0 || variable.kind === "var") return false;
	if (variable.isRoot) return variable.kind === "const";
	return variable.slot !== null && isLiveAt(variable, until, step.info);
}
const SIMPLE = /^[\w$]+$/;
/** Evaluates operands in order up to the last one that suspends, then emits the expression with them replaced. */
function decompose(step, node, operands, saveLast = false) {
	const replaced = prepare(step, operands, saveLast);
	const code = step.e.emit(node);
	for (const operand of replaced) step.e.substitutions.delete(operand);
	return code;
}
function prepare(step, operands, saveLast = false) {
	const { substitutions } = step.e;
	const last = operands.findLastIndex((each) => each.suspends === true);
	const replaced = [];
	for (const [index, operand] of operands.slice(0, last + 1).entries()) {
		if (operand.suspends !== true && isStable(step, operand, operands[last].end)) continue;
		const keep = index < last || saveLast && operand.suspends === true && index === 0;
		substitutions.set(operand, replacement(step, operand, keep));
		markDirty(operand);
		replaced.push(operand);
	}
	return replaced;
}
/** The code that stands for an operand from now on. */
function replacement(step, operand, keep) {
	const { e } = step;
	if (operand.type === "SpreadElement") {
		const argument = value(step, operand.argument);
		if (!keep) return ["...", argument];
		return ["...", saveValue(step, operand.parent?.type === "ObjectExpression" ? [
			"{ ...",
			argument,
			" }"
		] : [
			"[...",
			argument,
			"]"
		])];
	}
	const code = value(step, operand);
	const { parent } = operand;
	if (!keep) return SIMPLE.test(e.sourceText(code)) ? code : [
		"(",
		code,
		")"
	];
	if (parent?.type === "TemplateLiteral" && parent.parent?.type !== "TaggedTemplateExpression") return saveValue(step, [
		"`${",
		code,
		"}`"
	]);
	if (parent?.type === "Property" && parent.computed && parent.key === operand) return saveValue(step, [
		`${e.use("key")}(`,
		code,
		")"
	]);
	if (parent?.type === "Property" && parent.value === operand && !parent.computed) {
		const name = memberName(parent);
		if (name !== null && operand.suspends !== true) return saveValue(step, e.named(name, operand));
	}
	return saveValue(step, code);
}
function logical(step, node) {
	if (node.right.suspends !== true) return decompose(step, node, [node.left]);
	const result = step.e.temporary();
	step.push(`${result} = `, value(step, node.left), "; ");
	const test = node.operator === "&&" ? result : node.operator === "||" ? `!${result}` : `${result} == null`;
	step.branch(test, () => step.push(`${result} = `, value(step, node.right), "; "), null);
	return result;
}
function conditional(step, node, needed) {
	const { consequent, alternate } = node;
	if (consequent.suspends !== true && alternate?.suspends !== true) return decompose(step, node, [node.test]);
	const result = needed ? step.e.temporary() : "";
	const take = (each) => () => {
		const code = value(step, each, needed);
		step.push(needed ? `${result} = ` : "", code, "; ");
	};
	step.branch(value(step, node.test), take(consequent), take(alternate));
	return needed ? result : "void 0";
}
function assignment(step, node) {
	const { e } = step;
	const { operator, right } = node;
	const left = bare(node.left);
	if (left.type === "ObjectPattern" || left.type === "ArrayPattern") {
		if (left.suspends !== true) return [
			"(",
			decompose(step, node, [right]),
			")"
		];
		const source = saveValue(step, value(step, right));
		lowerPattern(step, left, source);
		return source;
	}
	const isMember = left.type === "MemberExpression";
	if (operator === "=") return decompose(step, node, [...isMember ? memberOperands(left) : [], right]);
	const replaced = isMember ? prepareAll(step, memberOperands(left), node.end) : [];
	const short = /^(\|\||&&|\?\?)=$/.exec(operator)?.[1];
	const old = saveValue(step, e.emit(left));
	const write = (code) => emitWrite(e, left, code);
	let result;
	if (short === void 0) {
		const code = value(step, right);
		result = [
			"(",
			write([
				"(",
				old,
				` ${operator.slice(0, -1)} (`,
				code,
				"))"
			]),
			")"
		];
	} else {
		const test = short === "&&" ? old : short === "||" ? ["!", old] : [old, " == null"];
		step.branch(test, () => step.push(old, " = ", write(value(step, right)), "; "), null);
		result = old;
	}
	for (const operand of replaced) e.substitutions.delete(operand);
	return result;
}
/** Every operand in a slot, unless it is stable. */
function prepareAll(step, operands, until) {
	const replaced = [];
	for (const operand of operands) {
		if (operand.suspends !== true && isStable(step, operand, until)) continue;
		step.e.substitutions.set(operand, saveValue(step, value(step, operand)));
		markDirty(operand);
		replaced.push(operand);
	}
	return replaced;
}
/** A destructuring whose defaults or keys suspend, one target after the other. */
function lowerPattern(step, pattern, source) {
	const { e } = step;
	if (pattern.suspends !== true) {
		if (pattern.type === "Identifier" && pattern.ref?.initialises === true) step.push(emitInitialisation(e, pattern, source), "; ");
		else if (pattern.type === "AssignmentPattern") step.push("({ v: ", emitPattern(e, pattern), " } = { v: ", source, " }); ");
		else step.push("(", emitPattern(e, pattern), " = ", source, "); ");
		for (const id of boundIdentifiers(pattern)) step.writeThrough(id.ref?.variable);
		return;
	}
	switch (pattern.type) {
		case "ParenthesizedExpression": return lowerPattern(step, pattern.expression, source);
		case "AssignmentPattern": {
			const kept = saveValue(step, source);
			step.branch([kept, " === void 0"], () => step.push(kept, " = ", value(step, pattern.right), "; "), null);
			return lowerPattern(step, pattern.left, kept);
		}
		case "ObjectPattern": {
			const kept = saveValue(step, source);
			step.push("({} = ", kept, "); ");
			const keys = [];
			for (const property of pattern.properties) {
				if (property.type === "RestElement") {
					const rest = [
						`${e.use("objectRest")}(`,
						kept,
						", [",
						keys.map((key) => [key, ", "]),
						"])"
					];
					lowerPattern(step, property.argument, rest);
					continue;
				}
				let key;
				if (property.computed) key = saveValue(step, [
					`${e.use("key")}(`,
					value(step, property.key),
					")"
				]);
				else key = JSON.stringify(memberName(property));
				keys.push(key);
				lowerElement(step, property.value, [
					kept,
					"[",
					key,
					"]"
				]);
			}
			return;
		}
		case "ArrayPattern": {
			const slot = step.allocateTemporary();
			const elements = step.slotCode(slot);
			step.push(`${elements} = new ${e.use("ArrayElements")}(`, source, "); ");
			step.guard(() => {
				for (const element of pattern.elements) if (element === null) step.push(`${elements}.next(); `);
				else if (element.type === "RestElement") lowerElement(step, element.argument, `${elements}.rest()`);
				else lowerElement(step, element, `${elements}.next()`);
			}, (kind) => step.push(`${elements}.close(${kind}); `));
			return;
		}
		default: {
			const replaced = prepareAll(step, memberOperands(pattern), Number.POSITIVE_INFINITY);
			const kept = saveValue(step, source);
			step.push(emitPattern(e, pattern), " = ", kept, "; ");
			for (const operand of replaced) e.substitutions.delete(operand);
		}
	}
}
/** A part of a pattern: the object a member target belongs to is evaluated before the part is read. */
function lowerElement(step, element, source) {
	const target = bare(element.type === "AssignmentPattern" ? element.left : element);
	if (target.type !== "MemberExpression") return lowerPattern(step, element, source);
	const replaced = prepareAll(step, memberOperands(target), Number.POSITIVE_INFINITY);
	let kept = saveValue(step, source);
	if (element.type === "AssignmentPattern") {
		step.branch([kept, " === void 0"], () => step.push(kept, " = ", value(step, element.right), "; "), null);
		kept = [kept];
	}
	step.push(emitPattern(step.e, target), " = ", kept, "; ");
	for (const operand of replaced) step.e.substitutions.delete(operand);
}
function call(step, node) {
	const callee = bare(node.callee);
	const text = JSON.stringify(callSiteText(callee));
	const called = (method, receiver) => {
		const replaced = prepare(step, node.arguments);
		const rest = node.arguments.map((each) => [step.e.emit(each), ", "]);
		for (const operand of replaced) step.e.substitutions.delete(operand);
		return [
			`${step.e.use("call")}(`,
			method,
			", ",
			receiver,
			`, [`,
			rest,
			`], ${text})`
		];
	};
	if (callee.type === "MemberExpression") {
		if (!node.arguments.some((each) => each.suspends === true)) return decompose(step, node, memberOperands(callee));
		const { receiver, method } = takeMethod(step, callee, node.end);
		return called(method, receiver);
	}
	const isEval = step.e.analysis.refused.some((each) => each.node === node);
	if (callee.type === "Super" || isEval || isStable(step, callee, node.end)) return decompose(step, node, [node.callee, ...node.arguments], true);
	return called(saveValue(step, value(step, callee)), "void 0");
}
/** Reads the method of a call before its arguments suspend. */
function takeMethod(step, member, until) {
	const { e } = step;
	if (member.object.type === "Super") {
		const replaced = prepareAll(step, memberOperands(member), until);
		const method = saveValue(step, emitSuperMember(e, member));
		for (const operand of replaced) e.substitutions.delete(operand);
		return {
			receiver: e.around.thisCode,
			method
		};
	}
	const replaced = prepareAll(step, memberOperands(member), until);
	const receiver = e.emit(member.object);
	const method = saveValue(step, e.emit(member));
	for (const operand of replaced) e.substitutions.delete(operand);
	return {
		receiver,
		method
	};
}
function taggedTemplate(step, node) {
	const { e } = step;
	const tag = bare(node.tag);
	if (tag.type !== "MemberExpression" && isStable(step, tag, node.end)) return decompose(step, node, node.quasi.expressions);
	const { receiver, method } = tag.type === "MemberExpression" ? takeMethod(step, tag, node.end) : {
		receiver: "void 0",
		method: saveValue(step, value(step, tag))
	};
	const replaced = prepare(step, node.quasi.expressions);
	const code = e.emitTaggedTemplate(node, (strings, values) => [
		`${e.use("call")}(`,
		method,
		", ",
		receiver,
		`, [${strings}`,
		values,
		`], ${JSON.stringify(callSiteText(tag))})`
	]);
	for (const operand of replaced) e.substitutions.delete(operand);
	return code;
}
/** `a?.b(await c).d`: every `?.` becomes a condition around all that follows it. */
function chain(step, node) {
	const { e } = step;
	const links = [];
	let base = node.expression;
	while (base.type === "MemberExpression" || base.type === "CallExpression") {
		links.unshift(base);
		base = base.type === "MemberExpression" ? base.object : base.callee;
	}
	const result = e.temporary();
	const current = saveValue(step, base.type === "Super" ? "void 0" : value(step, base));
	const receiver = saveValue(step, "void 0");
	const follow = (index) => {
		const link = links[index];
		if (link === void 0) {
			step.push(`${result} = `, current, "; ");
			return;
		}
		const run = () => {
			if (link.type === "MemberExpression") {
				if (link.object.type === "Super") step.push(current, " = ", emitSuperMember(e, link) ?? e.emit(link), `; `, receiver, ` = ${e.around.thisCode}; `);
				else {
					step.push(receiver, " = ", current, "; ");
					const info = outsideClassOf(e, link.property);
					if (link.computed) {
						const key = link.property.suspends === true ? value(step, link.property) : e.emit(link.property);
						step.push(current, " = ", receiver, "[", key, "]; ");
					} else if (info !== null) step.push(current, ` = ${e.privateAccessors(info, link.property.name)}.get(`, receiver, "); ");
					else step.push(current, " = ", receiver, `.${link.property.type === "PrivateIdentifier" ? "#" : ""}${link.property.name}; `);
				}
			} else {
				const replaced = prepare(step, link.arguments);
				const rest = link.arguments.map((each) => [e.emit(each), ", "]);
				for (const operand of replaced) e.substitutions.delete(operand);
				step.push(current, ` = ${e.use("call")}(`, current, ", ", receiver, ", [", rest, `], ${JSON.stringify(callSiteText(link.callee))}); `, receiver, " = void 0; ");
			}
			follow(index + 1);
		};
		if (!link.optional) run();
		else step.branch([current, " != null"], run, () => step.push(`${result} = void 0; `));
	};
	follow(0);
	return result;
}
// packages/transform/src/step-using.ts
function emitUsingBlock(step, list, scope, before) {
	const isAsync = list.some((each) => each.type === "VariableDeclaration" && each.kind === "await using");
	const functions = list.filter((each) => each.type === "FunctionDeclaration");
	const rest = list.filter((each) => each.type !== "FunctionDeclaration");
	return step.block(functions, scope, () => {
		before?.();
		withDisposal(step, isAsync, rest.at(-1), (stack) => {
			for (const each of rest) if (each.type !== "VariableDeclaration" || !each.kind.endsWith("using")) step.statement(each);
			else declareResources(step, each, stack);
		});
	});
}
/** `using` and `await using` declarations: every value goes on the stack as it is bound. */
function declareResources(step, declaration, stack) {
	for (const declarator of declaration.declarations) {
		const id = declarator.id;
		const init = declarator.init;
		bindResource(step, id, init.suspends === true ? value(step, init) : step.e.named(id.name, init), declaration.kind, stack);
	}
}
function bindResource(step, id, resource, kind, stack) {
	const variable = id.ref?.variable;
	const code = [
		`${stack}.add(`,
		resource,
		`, ${kind === "await using"})`
	];
	if (variable !== null && variable !== void 0 && step.isAssigned(variable)) {
		step.push(emitInitialisation(step.e, id, code), "; ");
		step.writeThrough(variable);
	} else step.push(`const ${id.name} = `, code, "; ");
}
/** Runs `body` with a disposal stack that is unwound on every way out of it. */
function withDisposal(step, isAsync, last, body) {
	const { e } = step;
	const slot = step.allocate("using");
	const stack = step.slotCode(slot);
	step.push(`${stack} = new ${e.use("DisposalStack")}(); `);
	step.guard(() => body(stack), (kind, thrown) => {
		step.push(`if (${kind} === 1) ${stack}.fail(${thrown}); `);
		if (!isAsync) step.push(`${stack}.next(); `);
		else {
			const label = e.fresh("L");
			step.reentrant(() => {
				const inner = step.nested(() => {
					step.push(`if (!${stack}.next()) break ${label}; `);
					step.reentrant(() => {
						return [
							"try { ",
							step.nested(() => {
								step.awaitValue(last, `${stack}.pending`, last.end);
							}).code,
							`} catch (${step.sent}e) { ${stack}.fail(${step.sent}e); } `
						];
					});
				});
				return [
					`${label}: for (;;) { `,
					inner.code,
					"} "
				];
			});
		}
		step.push(`if (${stack}.failed) { ${kind} = 1; ${thrown} = ${stack}.error; } `);
		step.release(slot);
	});
}
// packages/transform/src/step-statements.ts
function emitSuspending(step, node) {
	if (declaredFunction(node) !== null && !isRootFunction(node)) return;
	switch (node.type) {
		case "VariableDeclaration": return declaration(step, node);
		case "ClassDeclaration": return classDeclaration(step, node);
		case "ExportNamedDeclaration":
		case "ExportDefaultDeclaration":
		case "ExportAllDeclaration":
		case "ImportDeclaration": return step.e.emitModuleStatement(step, node);
	}
	if (node.suspends !== true) {
		step.push(step.e.emit(node), step.e.lacksSemicolon(node) ? "; " : " ");
		return;
	}
	switch (node.type) {
		case "ExpressionStatement": return discard(step, node.expression);
		case "ReturnStatement": return emitReturn(step, node.argument, node);
		case "ThrowStatement":
			step.push(new Mark(node.start), "throw ", value(step, node.argument), "; ");
			return;
		case "BlockStatement": return step.reentrant(() => block(step, node));
		case "IfStatement": return step.branch(value(step, node.test), () => step.statement(node.consequent), node.alternate === null ? null : () => step.statement(node.alternate));
		case "LabeledStatement": return labeled(step, node);
		case "WhileStatement":
		case "DoWhileStatement":
		case "ForStatement": return loop(step, node);
		case "ForInStatement":
		case "ForOfStatement": return node.await ? forAwait(step, node) : forEach(step, node);
		case "SwitchStatement": return switchStatement(step, node);
		case "TryStatement": return tryStatement(step, node);
		default: throw new Error(`transform: no way to suspend in a ${node.type}`);
	}
}
function isRootFunction(node) {
	return node.type === "ExportNamedDeclaration" || node.type === "ExportDefaultDeclaration";
}
function discard(step, expression) {
	const code = value(step, expression, false);
	const text = step.e.sourceText(code).trim();
	if (text !== "" && text !== step.sent && !/^[\w$]+$/.test(text)) step.push("(", code, "); ");
}
function emitReturn(step, argument, statement) {
	if (argument === null) {
		step.push(step.returnJump("void 0"), " ");
		return;
	}
	let code = argument.suspends === true ? value(step, argument) : [
		"(",
		step.e.emit(argument),
		")"
	];
	if (step.info.async && step.info.generator) code = step.awaitValue(statement ?? argument, code, (statement ?? argument).end);
	step.push(new Mark(argument.start), step.returnJump(code), " ");
}
function block(step, node) {
	return listBlock(step, statements(node), node.scope ?? null, null);
}
/** A statement list with its scope; `before` runs ahead of the first statement. */
function listBlock(step, list, scope, before) {
	return list.some((each) => each.type === "VariableDeclaration" && each.kind.endsWith("using")) ? emitUsingBlock(step, list, scope, before) : step.block(list, scope, before);
}
/** A statement as the body of something, in a list of its own. */
function bodyOf(step, node) {
	return node.type === "BlockStatement" ? block(step, node) : step.block([node], null);
}
function declaration(step, node) {
	const { e } = step;
	for (const declarator of node.declarations) {
		const id = declarator.id;
		const names = boundIdentifiers(id);
		const variables = names.map((name) => name.ref?.variable);
		const assigned = variables.some((variable) => step.isAssigned(variable));
		const { init } = declarator;
		if (id.suspends === true && init !== null) {
			declareAll(step, node.kind, names);
			lowerPattern(step, id, value(step, init));
		} else if (!assigned) {
			if (init !== null && init.suspends === true) {
				const code = patternSource(e, id, value(step, init), sourceText(id, init));
				step.push(`${node.kind} `, e.emit(id), " = ", code, "; ");
			} else step.push(`${node.kind} `, e.emit(declarator), "; ");
		} else if (init === null) {
			if (node.kind !== "var") step.push(emitInitialisation(e, id, "void 0"), "; ");
		} else {
			if (init.suspends === true) e.substitutions.set(init, value(step, init));
			declareAll(step, node.kind, names);
			step.push(new Mark(declarator.start), assignPattern(e, id, init), "; ");
			e.substitutions.delete(init);
		}
		for (const variable of variables) step.writeThrough(variable);
	}
}
/** Declares the names of a pattern that have no declaration at the head of the list. */
function declareAll(step, kind, names) {
	const plain = names.filter((name) => !step.isAssigned(name.ref?.variable));
	if (plain.length === 0) return;
	for (const name of plain) {
		const variable = name.ref?.variable;
		if (kind !== "var" && variable !== null && variable !== void 0) variable.converted = true;
	}
	step.push(`${kind === "var" ? "var" : "let"} ${plain.map((name) => name.name).join(", ")}; `);
}
function classDeclaration(step, node) {
	const { e } = step;
	const id = node.id;
	const variable = id.ref?.variable;
	if (node.suspends === true) prepareClass(step, node);
	if (!step.isAssigned(variable)) {
		step.push(e.emit(node), " ");
		return;
	}
	step.push(emitInitialisation(e, id, classExpression(e, node)), "; ");
	step.writeThrough(variable);
}
/** Evaluates heritage and computed keys up to the last one that suspends. */
function prepareClass(step, node) {
	const operands = node.superClass === null ? [] : [node.superClass];
	for (const member of statements(node.body)) if (member.type !== "StaticBlock" && member.computed) operands.push(member.key);
	const last = operands.findLastIndex((each) => each.suspends === true);
	for (const operand of operands.slice(0, last + 1)) {
		markDirty(operand);
		const code = operand.suspends === true ? value(step, operand) : step.e.emit(operand);
		step.e.substitutions.set(operand, saveValue(step, operand === node.superClass ? code : [
			`${step.e.use("key")}(`,
			code,
			")"
		]));
	}
}
function labeled(step, node) {
	let body = node.body;
	while (body.type === "LabeledStatement") body = body.body;
	if (isLoop(body)) {
		step.statement(body);
		return;
	}
	const target = addTarget(step, node);
	step.reentrant(() => [`${target.label}: `, step.block([node.body], null)]);
}
function addTarget(step, node, continueLabel = null) {
	const depth = step.regions.length;
	const target = {
		node,
		label: step.e.fresh("L"),
		continueLabel,
		depth,
		continueDepth: depth
	};
	step.targets.set(node, target);
	return target;
}
function loop(step, node) {
	const { e, pc } = step;
	const { test, update, init } = node;
	const isDo = node.type === "DoWhileStatement";
	const headSuspends = test?.suspends === true || update?.suspends === true;
	const scope = node.scope ?? null;
	const headClosures = init !== null && init !== void 0 && containsFunction(init) && renewals(step, scope) !== "";
	if (headClosures) for (const variable of scope?.variables.values() ?? []) variable.declaredAhead = true;
	const usesDisposal = init?.type === "VariableDeclaration" && init.kind.endsWith("using");
	const emitLoop = (stack = null) => {
		const runInit = () => {
			if (stack !== null) declareResources(step, init, stack);
			else if (init?.type === "VariableDeclaration") declaration(step, init);
			else if (init !== null && init !== void 0) discard(step, init);
		};
		if (headClosures) {
			step.reentrant(() => iterationOf(step, scope, step.nested(runInit).code));
			step.push(`${renewals(step, scope)}; `);
		} else runInit();
		const target = addTarget(step, node, headSuspends ? e.fresh("L") : null);
		const renew = renewals(step, scope);
		if (!headSuspends) {
			step.reentrant(() => {
				const body = iterationOf(step, scope, bodyOf(step, node.body));
				if (isDo) return [
					`${target.label}: do `,
					body,
					" while (",
					e.emit(test),
					"); "
				];
				const condition = test === null ? "" : [
					`${pc} !== 0 || (`,
					e.emit(test),
					")"
				];
				const step3 = join([...renew === "" ? [] : [renew], ...update === null || update === void 0 ? [] : [e.emit(update)]], ", ");
				return node.type === "WhileStatement" ? [
					`${target.label}: while (`,
					condition,
					") ",
					body
				] : [
					`${target.label}: for (; `,
					condition,
					"; ",
					step3,
					") ",
					body
				];
			});
			return;
		}
		step.reentrant(() => {
			const inner = step.nested(() => {
				const runTest = () => {
					if (test !== null) step.push("if (!(", value(step, test), `)) break ${target.label}; `);
				};
				const runBody = () => step.reentrant(() => [`${target.continueLabel}: `, iterationOf(step, scope, bodyOf(step, node.body))]);
				if (isDo) {
					runBody();
					runTest();
				} else {
					runTest();
					runBody();
					if (renew !== "") step.push(`${renew}; `);
					if (update !== null && update !== void 0) discard(step, update);
				}
			});
			return [
				`${target.label}: for (;;) { `,
				inner.code,
				"} "
			];
		});
	};
	if (scope === null || scope.variables.size === 0) emitLoop();
	else {
		const run = usesDisposal ? () => withDisposal(step, init.kind === "await using", node, emitLoop) : () => emitLoop();
		step.reentrant(() => step.block([], scope, run));
	}
}
/** Closures made in the body keep the boxes of their iteration: in it the names are constants. */
function iterationOf(step, scope, body) {
	const boxed = scope === null ? [] : [...scope.variables.values()].filter((variable) => variable.storage !== "local");
	if (boxed.length === 0) return body;
	const names = boxed.map((variable) => ({
		name: variable.name,
		copy: step.e.fresh("b")
	}));
	return [
		`{ const ${names.map(({ name, copy }) => `${copy} = ${name}`).join(", ")}; { const ${names.map(({ name, copy }) => `${name} = ${copy}`).join(", ")}; `,
		body,
		"} } "
	];
}
/** New boxes for the next iteration. */
function renewals(step, scope) {
	if (scope === null) return "";
	return [...scope.variables.values()].filter((variable) => variable.storage !== "local").filter((variable) => variable.kind !== "const").map((variable) => {
		const slot = variable.slot === null ? "" : `${step.slotCode(variable.slot)} = `;
		return `${variable.name} = ${slot}{ v: ${variable.name}.v }`;
	}).join(", ");
}
function forEach(step, node) {
	const { e, pc } = step;
	const { left } = node;
	const kind = node.type === "ForInStatement" ? "ForIn" : "ForOf";
	if (left.type === "VariableDeclaration" && kind === "ForIn" && left.declarations[0].init !== null) step.push(e.emit(left), "; ");
	const iterable = value(step, node.right);
	if (node.body.suspends !== true && left.suspends !== true) {
		e.substitutions.set(node.right, iterable);
		step.push(labelsOf(node), e.emit(node), " ");
		e.substitutions.delete(node.right);
		return;
	}
	const slot = step.allocate(`for ${kind === "ForOf" ? "of" : "in"}`);
	const driver = step.slotCode(slot);
	const text = kind === "ForOf" ? `, ${JSON.stringify(iterableText(node.right))}` : "";
	step.push(new Mark(node.right.start), `${driver} = new ${e.use(kind)}(${step.frame}, (`, iterable, `)${text}); `);
	const target = addTarget(step, node);
	step.reentrant(() => {
		const head = `${target.label}: for (`;
		const source = `${pc} !== 0 ? ${driver}.again() : ${driver}`;
		const each = e.fresh("e");
		const body = eachBody(step, node, each);
		return [
			head,
			`const ${each} of ${source}) `,
			body
		];
	});
	step.release(slot);
}
function labelsOf(node) {
	let labels = "";
	for (let at = node.parent; at?.type === "LabeledStatement"; at = at.parent) labels = `${at.label?.name}: ${labels}`;
	return labels;
}
/** One turn of an iteration: bind the value, run the body. */
function eachBody(step, node, each) {
	const { e } = step;
	const { left } = node;
	const declared = left.type === "VariableDeclaration";
	const pattern = declared ? left.declarations[0].id : left;
	const scope = declared && left.kind !== "var" ? node.scope : null;
	return step.block([], scope, () => {
		if (declared && left.kind.endsWith("using")) {
			withDisposal(step, left.kind === "await using", node, (stack) => {
				bindResource(step, pattern, each, left.kind, stack);
				step.reentrant(() => bodyOf(step, node.body));
			});
			return;
		}
		const names = declared ? boundIdentifiers(pattern) : [];
		if (pattern.suspends === true) {
			declareAll(step, declared ? left.kind : "var", names);
			lowerPattern(step, pattern, each);
		} else if (pattern.type === "Identifier" && declared && !step.isAssigned(pattern.ref?.variable)) step.push(`${left.kind === "var" ? "var" : left.kind} ${pattern.name} = ${each}; `);
		else {
			declareAll(step, declared ? left.kind : "var", names);
			if (pattern.type === "Identifier" && declared) step.push(emitInitialisation(e, pattern, each), "; ");
			else step.push("(", emitPattern(e, pattern), " = ", patternSource(e, pattern, each, ".for"), "); ");
		}
		for (const name of names) step.writeThrough(name.ref?.variable);
		step.reentrant(() => bodyOf(step, node.body));
	});
}
/** `for await`: the iterator in a slot, each `next()` awaited, and closed on every abrupt way out of the body. */
function forAwait(step, node) {
	const { e } = step;
	const iterable = value(step, node.right);
	const slot = step.allocate("for await");
	const record = step.slotCode(slot);
	step.push(new Mark(node.right.start), `${record} = ${e.use("forAwait")}(`, iterable, "); ");
	const target = addTarget(step, node);
	step.reentrant(() => {
		const inner = step.nested(() => {
			const result = step.awaitValue(node, `${record}.step()`, node.right.end);
			step.push(`if (${record}.finished(`, result, `)) break ${target.label}; `);
			const bodyEnd = e.fresh("L");
			step.guard(() => {
				step.targets.set(node, {
					...target,
					continueLabel: bodyEnd,
					continueDepth: step.regions.length
				});
				step.reentrant(() => [`${bodyEnd}: `, eachBody(step, node, `${record}.value`)]);
				step.targets.set(node, target);
			}, (kind) => {
				step.branch(`${kind} !== 0 && ${record}.close(${kind})`, () => awaitClose(step, node, record, kind), null);
			});
		});
		return [
			`${target.label}: for (;;) { `,
			inner.code,
			"} "
		];
	});
	step.release(slot);
}
/** Awaits what `return()` of the iterator gave; its failure counts only if nothing else failed before. */
function awaitClose(step, node, record, kind) {
	const caught = `${step.sent}e`;
	step.reentrant(() => {
		return [
			"try { ",
			step.nested(() => {
				const result = step.awaitValue(node, `${record}.value`, node.end - 1);
				step.push(`${record}.closed(`, result, `, ${kind}); `);
			}).code,
			`} catch (${caught}) { if (${kind} !== 1) throw ${caught}; } `
		];
	});
}
function switchStatement(step, node) {
	const { e, pc } = step;
	const target = addTarget(step, node);
	const { cases } = node;
	const scope = node.scope;
	const testsSuspend = cases.some((each) => each.test?.suspends === true);
	const discriminant = value(step, node.discriminant);
	const chosen = e.temporary();
	if (!testsSuspend) step.push(`${chosen} = (`, discriminant, "); ");
	const kept = testsSuspend ? saveValue(step, discriminant) : chosen;
	step.reentrant(() => step.block(cases.flatMap((each) => statements(each)).filter((each) => declaredFunction(each) !== null), scope, () => {
		const defaultIndex = cases.findIndex((each) => each.test === null);
		const none = defaultIndex === -1 ? -1 : defaultIndex;
		if (!testsSuspend) {
			const tests = cases.map((each, index) => each.test === null ? "" : [
				"case ",
				e.emit(each.test),
				`: ${chosen} = ${index}; break; `
			]);
			step.push(`switch (${chosen}) { `, tests, `default: ${chosen} = ${none}; } `);
		} else {
			const index = saveValue(step, "-1");
			for (const [at, each] of cases.entries()) {
				if (each.test === null) continue;
				step.branch([index, " === -1"], () => {
					step.push("if (", kept, " === (", value(step, each.test), ")) ", index, ` = ${at}; `);
				}, null);
			}
			step.push(`${chosen} = `, index, ` === -1 ? ${none} : `, index, "; ");
		}
		const ranges = [];
		step.reentrant(() => {
			const bodies = cases.map((each, index) => {
				const inner = step.nested(() => {
					for (const statement of statements(each)) if (declaredFunction(statement) === null) step.statement(statement);
				});
				if (inner.last >= inner.first) ranges.push(`${pc} >= ${inner.first} && ${pc} <= ${inner.last} ? ${index} : `);
				return [`case ${index}: `, inner.code];
			});
			const select = ranges.length === 0 ? chosen : `${pc} === 0 ? ${chosen} : ${ranges.join("")}-1`;
			return [
				`${target.label}: switch (${select}) { `,
				bodies,
				"} "
			];
		});
	}));
}
function tryStatement(step, node) {
	const { finalizer } = node;
	if (finalizer === null) {
		step.reentrant(() => tryCatch(step, node, null));
		return;
	}
	if (finalizer.suspends !== true) {
		const final = [
			`finally { if (${step.frame}.pc === 0) `,
			step.e.emit(finalizer),
			" } "
		];
		step.reentrant(() => tryCatch(step, node, final));
		return;
	}
	step.guard(() => step.reentrant(() => node.handler === null ? plainBlock(step, node.block) : tryCatch(step, node, null)), () => step.reentrant(() => block(step, finalizer)));
}
function plainBlock(step, node) {
	return node.suspends === true ? block(step, node) : step.e.emit(node);
}
function tryCatch(step, node, final) {
	const { e, pc } = step;
	const { handler } = node;
	if (handler === null) return [
		"try ",
		plainBlock(step, node.block),
		final ?? ""
	];
	if (handler.suspends !== true) return [
		"try ",
		plainBlock(step, node.block),
		e.emit(handler),
		" ",
		final ?? ""
	];
	const failed = e.temporary();
	const caught = e.temporary();
	const inner = step.nested(() => {
		step.push(`${failed} = false; `);
		step.reentrant(() => [
			"try ",
			plainBlock(step, node.block),
			` catch (${step.sent}e) { ${failed} = true; ${caught} = ${step.sent}e; } `
		]);
		step.reentrant(() => {
			const body = handlerBody(step, handler, caught);
			return [`if (${pc} !== 0 || ${failed}) `, body];
		});
	});
	if (final === null) return inner.code;
	return [
		"try { ",
		inner.code,
		"} ",
		final
	];
}
function handlerBody(step, handler, caught) {
	const { e } = step;
	return step.block([], handler.scope, () => {
		const { param } = handler;
		if (param !== null) {
			const names = boundIdentifiers(param);
			const plain = names.filter((name) => !step.isAssigned(name.ref?.variable));
			if (plain.length > 0) step.push(`let ${plain.map((name) => name.name).join(", ")}; `);
			if (param.suspends === true) lowerPattern(step, param, caught);
			else step.push("(", emitPattern(e, param), " = ", caughtSource(e, param, caught), "); ");
			for (const name of names) step.writeThrough(name.ref?.variable);
		}
		if (handler.body.suspends === true) step.reentrant(() => block(step, handler.body));
		else step.push(e.emit(handler.body), " ");
	});
}
// packages/transform/src/step-emitter.ts
var StepEmitter = class {
	e;
	info;
	/** What has been emitted into the list at hand. */
	parts = [];
	targets = /* @__PURE__ */ new Map();
	regions = [];
	slotNames = [];
	points = [];
	freeSlots = [];
	temporarySlots = [];
	/** What each slot in use holds: a variable, or a value of the emitted code's own. */
	shadowed = /* @__PURE__ */ new Set();
	occupied = /* @__PURE__ */ new Map();
	/** Variables in scope that hold their value in a local and are spilled where they live on. */
	active = [];
	constructor(e, info) {
		this.e = e;
		this.info = info;
	}
	get pc() {
		return `${this.e.prefix}pc`;
	}
	get frame() {
		return `${this.e.prefix}F`;
	}
	get sent() {
		return `${this.e.prefix}v`;
	}
	get how() {
		return `${this.e.prefix}t`;
	}
	allocate(name, variable = null) {
		const slot = this.freeSlots.pop() ?? this.slotNames.length;
		this.slotNames[slot] = name;
		this.occupied.set(slot, variable);
		return slot;
	}
	release(slot) {
		this.freeSlots.push(slot);
		this.occupied.delete(slot);
	}
	/** A slot for an intermediate value, free again when the statement ends. */
	allocateTemporary() {
		const slot = this.allocate("");
		this.temporarySlots.push(slot);
		return slot;
	}
	slotCode(slot) {
		return slot < 8 ? `${this.frame}.s${slot}` : `${this.frame}.more[${slot - 8}]`;
	}
	push(...code) {
		this.parts.push(...code);
	}
	/** Number of the last point so far. */
	get lastPoint() {
		return this.points.length;
	}
	spills(at) {
		let code = "";
		for (const variable of this.active) {
			if (this.shadowed.has(variable)) continue;
			if (variable.slot !== null && isLiveAt(variable, at)) code += `${this.slotCode(variable.slot)} = ${variable.name}; `;
		}
		return code;
	}
	newPoint(node, at) {
		const live = [];
		for (const [slot, variable] of this.occupied) if (variable === null || variable.kind === "handle" || isLiveAt(variable, at, this.info)) live.push(slot);
		this.points.push({
			at: node.start,
			live: live.toSorted((a, b) => a - b)
		});
		return this.points.length;
	}
	/** Suspends for an `await` of a value; afterwards the result is in `$v`. */
	awaitValue(node, value, at = node.end) {
		const { frame, sent } = this;
		const spills = this.spills(at);
		const k = this.newPoint(node, at);
		const mark = new Mark(node.start);
		const suspend = `${this.e.use("await")}(${frame}, ${k}, `;
		if (spills === "") this.push(mark, "return ", suspend, value, "); ");
		else this.push(mark, `${sent} = `, value, "; ", spills, mark, "return ", suspend, `${sent}); `);
		this.push(`case ${k}: ${this.pc} = 0; `, mark, `if (${this.how} !== 0) throw ${sent}; `);
		return sent;
	}
	/** Suspends at a `yield`; afterwards the value sent in is in `$v`. */
	yieldValue(node, value) {
		const { frame, sent, how } = this;
		const isAsync = this.info.async;
		const at = node.end;
		this.push(`${sent} = `, isAsync ? this.awaitValue(node, value) : value, "; ");
		const spills = this.spills(at);
		const k = this.newPoint(node, at);
		this.push(spills);
		if (isAsync) this.push(`return ${this.e.use("yieldAsync")}(${frame}, ${k}, ${sent}); `);
		else this.push(`${frame}.pc = ${k}; return { value: ${sent}, done: false }; `);
		this.push(`case ${k}: ${this.pc} = 0; if (${how} !== 0) { if (${how} === 1) throw ${sent}; `, this.returnJump(sent), " } ");
		return sent;
	}
	/** `yield*`: one point that is entered once per exchange with the inner iterator. */
	delegate(node, iterable) {
		const { frame, sent, how } = this;
		const slot = this.allocate("yield*");
		const code = this.slotCode(slot);
		const kind = this.info.async ? "AsyncDelegate" : "Delegate";
		const at = node.end;
		this.push(`${code} = new ${this.e.use(kind)}(`, iterable, `); ${sent} = void 0; ${how} = 0; `, this.spills(at));
		const k = this.newPoint(node, at);
		this.push(`case ${k}: ${this.pc} = 0; ${sent} = ${this.e.use("delegate")}(${frame}, ${k}, ${code}, ${sent}, ${how}); `, `if (${frame}.pc !== 0) return ${sent}; `, `if (${code}.returning) { `, this.returnJump(`${code}.value`), " } ");
		this.release(slot);
		return `${code}.value`;
	}
	/** Emits into a list of its own; the result carries its dispatch if something suspended in it. */
	nested(run) {
		const outer = this.parts;
		this.parts = [];
		const first = this.lastPoint + 1;
		run();
		const inner = this.parts;
		this.parts = outer;
		const last = this.lastPoint;
		return {
			code: last < first ? inner : [
				`switch (${this.pc}) { case 0: `,
				inner,
				" } "
			],
			first,
			last
		};
	}
	/** Emits a statement that is entered again when one of its own points is resumed. */
	reentrant(run) {
		const first = this.lastPoint + 1;
		const code = run();
		this.push(this.labels(first, this.lastPoint), code);
	}
	labels(first, last) {
		let code = "";
		for (let k = first; k <= last; k++) code += `case ${k}: `;
		return code;
	}
	/** `if` with branches that may suspend. The test is evaluated only when not resuming. */
	branch(test, yes, no) {
		this.reentrant(() => {
			const a = this.nested(yes);
			const b = no === null ? null : this.nested(no);
			return [
				"if (",
				a.last < a.first && (b === null || b.last < b.first) ? test : [
					`${this.pc} !== 0 ? ${this.pc} <= ${a.last} : (`,
					test,
					")"
				],
				") { ",
				a.code,
				"} ",
				b === null ? "" : [
					"else { ",
					b.code,
					"} "
				]
			];
		});
	}
	/** The statements of a block, with what the scope declares. */
	block(list, scope, before = null) {
		const { pc } = this;
		const declared = [];
		const reloads = [];
		const slots = [];
		const starts = [];
		const activeBefore = this.active.length;
		const spilled = this.shadow(scope);
		for (const variable of scope?.variables.values() ?? []) this.declareVariable(variable, {
			declared,
			reloads,
			slots,
			starts
		});
		const body = this.nested(() => {
			this.push(starts);
			this.hoistFunctions(list);
			before?.();
			for (const statement of list) this.statement(statement);
		});
		this.active.length = activeBefore;
		for (const variable of spilled) this.shadowed.delete(variable);
		for (const slot of slots) this.release(slot);
		const suspends = body.last >= body.first;
		const resumes = reloads.length > 0 && suspends;
		const spills = spilled.map((variable) => `${this.slotCode(variable.slot)} = ${variable.name}; `).join("");
		const guarded = suspends && spills !== "";
		return [
			guarded ? `{ if (${pc} === 0) { ${spills}} ` : "",
			"{ ",
			declared.length === 0 ? "" : `let ${declared.join(", ")}; `,
			resumes ? `if (${pc} !== 0) { ${reloads.join(" ")} } ` : "",
			body.code,
			guarded ? "} } " : "} "
		];
	}
	/** Variables whose names the scope takes: inside it nothing can spill them, and nothing but closures can change them. */
	shadow(scope) {
		const found = this.active.filter((variable) => variable.scope !== scope && scope?.variables.has(variable.name) === true && !this.shadowed.has(variable));
		for (const variable of found) this.shadowed.add(variable);
		return found;
	}
	declareVariable(variable, into) {
		const { kind, storage, name } = variable;
		if (kind === "import" || kind === "handle" || kind === "name" || kind === "param" || storage === "binding") return;
		if (variable.isRoot) {
			if (kind !== "function" && this.e.isDeclaredAtRoot(variable)) variable.converted = kind === "const";
			return;
		}
		const boxed = storage === "box" || storage === "cell";
		const across = livesAcross(variable);
		if (!boxed && !across) {
			if (kind === "function" || variable.declaredAhead) into.declared.push(name);
			return;
		}
		into.declared.push(name);
		if (across) {
			const slot = this.allocate(name, variable);
			variable.slot = slot;
			into.slots.push(slot);
			into.reloads.push(`${name} = ${this.slotCode(slot)};`);
			if (!boxed && !isConstLike(variable)) this.active.push(variable);
		}
		variable.converted = true;
		if (boxed) {
			const box = storage === "cell" ? `new ${this.e.use("Cell")}(${JSON.stringify(name)})` : "{ v: void 0 }";
			const slot = across ? `${this.slotCode(variable.slot)} = ` : "";
			into.starts.push(`${name} = ${slot}${box}; `);
		}
	}
	/** Function declarations of the list, as assignments at its start. */
	hoistFunctions(list) {
		for (const node of hoistedFunctions(list)) {
			const id = node.id;
			const variable = id.ref?.variable;
			if (variable.isRoot) continue;
			const value = functionExpression(this.e, node, { name: id.name });
			const target = variable.storage === "local" ? id.name : `${id.name}.v`;
			this.push(`${target} = `, value, "; ");
			this.writeThrough(variable);
		}
	}
	/** Stores a variable that is assigned only once in its slot, so that no suspension has to. */
	writeThrough(variable) {
		if (variable === null || variable === void 0) return;
		if (variable.isRoot) this.push(this.e.exports?.initialisations([variable.name]) ?? "");
		if (variable.slot === null) return;
		if (variable.storage === "local" && isConstLike(variable)) this.push(`${this.slotCode(variable.slot)} = ${variable.name}; `);
	}
	/** Whether a declared variable has its declaration elsewhere, so that here it is only assigned. */
	isAssigned(variable) {
		return variable.slot !== null || variable.storage !== "local" || variable.isRoot || variable.declaredAhead;
	}
	/** A parameter that is assigned later on: spilled like any variable. */
	trackMutable(variable) {
		this.active.push(variable);
	}
	/** Leaves the function with the value of an expression, which may suspend. */
	returnValue(expression, statement = null) {
		emitReturn(this, expression, statement);
	}
	statement(node) {
		const outer = this.temporarySlots;
		this.temporarySlots = [];
		emitSuspending(this, node);
		for (const slot of this.temporarySlots) this.release(slot);
		this.temporarySlots = outer;
	}
	/** Leaves the function with a value that is evaluated already or needs no suspension. */
	returnJump(value) {
		const region = this.regions.at(-1);
		if (region !== void 0) return `{ ${region.value} = (${this.e.sourceText(value)}); ${region.kind} = 2; break ${region.label}; }`;
		if (this.info.generator && !this.info.async) return [
			"return { value: (",
			value,
			"), done: true };"
		];
		return [
			"return ",
			value,
			";"
		];
	}
	/** `return`, `break` and `continue` that need no suspension themselves, wherever they stand. */
	emitJump(node) {
		if (node.type === "ReturnStatement") return this.returnJump(node.argument === null ? "void 0" : this.e.emit(node.argument));
		const target = this.targets.get(targetOf(node));
		if (target === void 0) return this.e.source.slice(node.start, node.end);
		return this.jumpTo(target, node.type === "BreakStatement" ? "break" : "continue");
	}
	jumpTo(target, kind) {
		const region = this.regions.at(-1);
		const depth = kind === "break" ? target.depth : target.continueDepth;
		if (region !== void 0 && this.regions.length > depth) {
			const key = `${kind} ${target.label}`;
			let index = region.exits.findIndex((exit) => exit.key === key);
			if (index === -1) index = region.exits.push({
				key,
				jump: () => this.jumpTo(target, kind)
			}) - 1;
			return `{ ${region.kind} = ${index + 3}; break ${region.label}; }`;
		}
		if (kind === "break") return `break ${target.label};`;
		return target.continueLabel === null ? `continue ${target.label};` : `break ${target.continueLabel};`;
	}
	/** Runs `body` so that every way out of it, suspension aside, first goes through `final`. Both may suspend. */
	guard(body, final) {
		const { e } = this;
		const kindSlot = this.allocate("completion");
		const valueSlot = this.allocate("completion value");
		const region = {
			label: e.fresh("R"),
			kind: this.slotCode(kindSlot),
			value: this.slotCode(valueSlot),
			exits: []
		};
		this.push(`${region.kind} = 0; `);
		const caught = e.fresh("e");
		this.reentrant(() => {
			this.regions.push(region);
			const inner = this.nested(body);
			this.regions.pop();
			return [
				`${region.label}: { try { `,
				inner.code,
				`} catch (${caught}) { ${region.kind} = 1; ${region.value} = ${caught}; } } `
			];
		});
		final(region.kind, region.value);
		this.push(`if (${region.kind} === 1) throw ${region.value}; `);
		this.push(`if (${region.kind} === 2) `, this.returnJump(region.value), " ");
		region.exits.forEach((exit, index) => this.push(`if (${region.kind} === ${index + 3}) `, exit.jump(), " "));
		this.release(kindSlot);
		this.release(valueSlot);
	}
	entry(name) {
		return {
			name,
			slots: this.slotNames,
			points: this.points
		};
	}
};
/** The statement a `break` or `continue` goes to. */
function targetOf(jump) {
	const label = jump.label?.name;
	for (let at = jump.parent; at !== null; at = at.parent) if (label !== void 0) {
		if (at.type === "LabeledStatement" && at.label?.name === label) {
			let body = at.body;
			while (body.type === "LabeledStatement") body = body.body;
			return isLoop(body) ? body : at;
		}
	} else if (isLoop(at) || jump.type === "BreakStatement" && at.type === "SwitchStatement") return at;
	return null;
}
function isLoop(node) {
	return /^(For|ForIn|ForOf|While|DoWhile)Statement$/.test(node.type);
}
// packages/transform/src/wrapper-emitter.ts
/** Parameters and body of the wrapper of a suspendable function; its step function goes to the file's top scope. */
function emitWrapper(e, info) {
	return info.node.parent?.type === "Property" && info.kind === "method" ? e.within({ stepOf: info }, () => wrapperOf(e, info)) : wrapperOf(e, info);
}
function wrapperOf(e, info) {
	if (!info.suspendable) return emitSettling(e, info);
	const { node } = info;
	const step = new StepEmitter(e, info);
	const stepName = `${e.prefix}s${info.ordinal}`;
	const { frame } = step;
	const stores = [];
	const top = [];
	const around = e.around;
	const keep = (name, code, local, variable = null) => {
		const slot = step.allocate(name, variable);
		stores.push(`${step.slotCode(slot)} = ${code}; `);
		top.push(`${local} = ${step.slotCode(slot)}`);
	};
	const own = info.isArrow ? around : {
		thisCode: "this",
		argumentsCode: "arguments",
		newTargetCode: "new.target"
	};
	if (info.usesThis) keep("this", own.thisCode, `${e.prefix}this`);
	if (info.usesArguments) keep("arguments", own.argumentsCode, `${e.prefix}arguments`);
	if (info.usesNewTarget) keep("new.target", own.newTargetCode, `${e.prefix}target`);
	for (const variable of info.captures) {
		const name = captureCode(e, variable);
		keep(name, name, name, variable);
	}
	const inStep = info.async && !info.generator && !node.params.every(isSimple);
	const wrapper = emitInside(e, info, () => {
		const probe = probeStatement(e, probeHit(e, info));
		if (!inStep) {
			const plan = planParameters(e, info);
			return {
				params: parameterList(e, info, plan),
				prologue: [plan.probed ? "" : probe, plan.prologue]
			};
		}
		return {
			params: "",
			prologue: probe
		};
	});
	let params = wrapper.params;
	const before = [];
	const bound = node.params.flatMap((param) => boundIdentifiers(param));
	const paramLocals = [];
	const reloads = [];
	const seen = /* @__PURE__ */ new Set();
	if (!inStep) for (const id of bound) {
		const variable = id.ref?.variable;
		if (seen.has(id.name)) continue;
		seen.add(id.name);
		if (variable.references.every((reference) => reference.initialises && reference.fn === info) && variable.storage === "local") continue;
		const slot = step.allocate(id.name, variable);
		variable.slot = slot;
		stores.push(`${step.slotCode(slot)} = ${id.name}; `);
		paramLocals.push(`${id.name} = ${step.slotCode(slot)}`);
	}
	else {
		const list = [];
		let counted = true;
		for (const param of node.params) {
			const raw = e.fresh("a");
			const slot = step.allocate(raw);
			const code = step.slotCode(slot);
			const rest = param.type === "RestElement";
			const hasDefault = param.type === "AssignmentPattern";
			list.push([
				list.length === 0 ? markerBefore(e, info, param) : ", ",
				rest ? "..." : "",
				raw,
				hasDefault && counted ? " = void 0" : ""
			]);
			if (hasDefault) counted = false;
			stores.push(`${code} = ${raw}; `);
			before.push(() => {
				const target = rest ? param.argument : hasDefault ? param.left : param;
				const value = hasDefault ? defaulted(e, param, code) : patternSource(e, target, code, null);
				step.push("(", emitPattern(e, target), " = ", value, "); ");
				for (const id of boundIdentifiers(target)) step.writeThrough(id.ref?.variable);
				step.release(slot);
			});
		}
		params = list;
		for (const id of bound) {
			const variable = id.ref?.variable;
			if (seen.has(id.name)) continue;
			seen.add(id.name);
			const slot = step.allocate(id.name, variable);
			const box = variable.storage === "cell" ? `new ${e.use("Cell")}(${JSON.stringify(id.name)})` : "{ v: void 0 }";
			variable.slot = slot;
			reloads.push(`${id.name} = ${step.slotCode(slot)};`);
			paramLocals.push(id.name);
			if (variable.storage !== "local") before.unshift(() => step.push(`${id.name} = ${step.slotCode(slot)} = ${box}; `));
		}
	}
	const emitStep = () => e.within({
		fn: info,
		step,
		stepOf: info,
		settles: false,
		thisCode: `${e.prefix}this`,
		argumentsCode: `${e.prefix}arguments`,
		newTargetCode: `${e.prefix}target`
	}, () => {
		for (const id of bound) {
			const variable = id.ref?.variable;
			if (variable.slot !== null && variable.storage === "local" && !isConstLike(variable)) step.trackMutable(variable);
		}
		const isBlock = node.body.type === "BlockStatement";
		const list = isBlock ? statements(node.body).filter((each) => typeof each.directive !== "string") : [];
		const body = listBlock(step, info.bodyScope === null ? list : [], info.scope, () => {
			for (const each of before) each();
			if (!isBlock) step.returnValue(node.body);
			if (info.bodyScope !== null) step.reentrant(() => ownBody(step, list));
		});
		const strict = info.strict && !e.analysis.root.strict ? "\"use strict\"; " : "";
		const locals = [...top, ...paramLocals];
		const temporaries = info.temporaries.length === 0 ? "" : `var ${info.temporaries.join(", ")}; `;
		return [
			`function ${stepName}(${frame}, ${step.sent}, ${step.how}) { ${strict}${stepMarker(e, info)}let ${step.pc} = ${frame}.pc; ${frame}.pc = 0; `,
			locals.length === 0 ? "" : `let ${locals.join(", ")}; `,
			temporaries,
			reloads.length === 0 ? "" : `if (${step.pc} !== 0) { ${reloads.join(" ")} } `,
			body,
			info.generator && !info.async ? "return { value: void 0, done: true }; " : "",
			"}\n"
		];
	});
	const emitted = e.steps.get(info);
	if (emitted === void 0) e.hoisted.push(emitStep());
	const entry = emitted ?? step.entry(stepName);
	e.steps.set(info, entry);
	const more = entry.slots.length > 8 ? `, ${entry.slots.length - 8}` : "";
	const run = info.generator ? `${e.use(info.async ? "asyncGenerator" : "generator")}(${frame}, ${prototypeCode(e, info)})` : `${e.use("async")}(${frame})`;
	const body = [
		`{ ${ownStrictness(info) && node.params.every(({ type }) => type === "Identifier") ? "\"use strict\"; " : ""}${bodyMarker(e, info)}`,
		wrapper.prologue,
		`const ${frame} = new ${e.use("Frame")}(${stepName}${more}); ${stores.join("")}return ${run}; }`
	];
	return {
		params,
		body
	};
}
/** A body whose names are not its parameters', in a block inside theirs. */
function ownBody(step, list) {
	const { e, info } = step;
	const copies = namesakes(info).map(([variable, parameter]) => {
		const copy = e.temporary();
		step.push(`${copy} = ${parameter ?? e.around.argumentsCode}; `);
		return {
			variable,
			copy
		};
	});
	for (const variable of info.bodyScope?.variables.values() ?? []) variable.declaredAhead = /^(var|function)$/.test(variable.kind);
	return listBlock(step, list, info.bodyScope, () => {
		for (const { variable, copy } of copies) {
			step.push(`${variable.name}${variable.storage === "local" ? "" : ".v"} = ${copy}; `);
			step.writeThrough(variable);
		}
	});
}
/** Says which step this is, and that it is one and may not be called for its captures. */
function stepMarker(e, info) {
	return `/*@${e.id}:${info.ordinal}!*/`;
}
/** Strict by its own directive rather than by what surrounds it. */
function ownStrictness(info) {
	return info.strict && info.parent !== null && !info.parent.strict;
}
// packages/transform/src/function-emitter.ts
function emitFunction(e, node) {
	const info = node.fn;
	if (info.wrapped) return functionExpression(e, node, {});
	return functionText(e, node, info);
}
/** A function in the form its place needs. */
function functionExpression(e, node, form) {
	const info = node.fn;
	const { member } = form;
	if (member !== void 0) return memberText(e, node, info, member, form.key ?? null);
	if (!info.wrapped) {
		const name = JSON.stringify(form.name);
		return [
			`({ [${name}]: `,
			anonymousText(e, node, info),
			` })[${name}]`
		];
	}
	return wrapperExpression(e, node, info, form.name);
}
function wrapperExpression(e, node, info, hoistedName) {
	const { params, body } = emitWrapper(e, info);
	const helper = prototypeHelper(e, info);
	const ownName = node.id?.name ?? hoistedName;
	const name = ownName ?? contextName(node);
	const dynamic = ownName === void 0 && name === null ? dynamicNames.get(node) : void 0;
	const key = dynamic ?? JSON.stringify(name ?? "");
	let value;
	if (info.isArrow) {
		value = [
			"(",
			params,
			") => ",
			body
		];
		if (name !== null || dynamic !== void 0) value = [
			`({ [${key}]: `,
			value,
			` })[${key}]`
		];
	} else value = [
		`({ [${key}](`,
		params,
		") ",
		body,
		` })[${key}]`
	];
	value = [
		`${helper.name}(`,
		value,
		helper.rest,
		")"
	];
	const hasName = node.type === "FunctionExpression" && node.id !== null && usesOwnName(node);
	return knowingItself(e, info, value, hasName ? [node.id.name] : []);
}
/** A function with variables around it that lead to it: for its `prototype`, and for a name of its own. */
function knowingItself(e, info, value, names = []) {
	const selves = info.generator ? [selfName(e, info), ...names] : names;
	if (selves.length === 0) return value;
	return [
		`((${selves.join(", ")}) => `,
		selves.map((self) => `${self} = `),
		value,
		")()"
	];
}
function usesOwnName(node) {
	const variable = node.fn?.scope.parent?.variables.get(node.id.name);
	return variable !== void 0 && variable.kind === "name" && variable.references.length > 0;
}
/** The variable that leads the wrapper of a generator function to itself, for the sake of its `prototype`. */
function selfName(e, info) {
	return `${e.prefix}g${info.ordinal}`;
}
/** Where a generator method of a class is kept for its own wrapper: beside each evaluation of the class. */
function methodCode(e, info) {
	const handle = info.classInfo?.handle ?? null;
	if (handle !== null && !handle.isRoot) return `${e.handleCode(handle)}.${selfName(e, info)}`;
	const name = selfName(e, info);
	if (!e.rootVariables.includes(name)) e.rootVariables.push(name);
	return name;
}
function prototypeCode(e, info) {
	const member = info.node.parent;
	if (info.kind !== "method" || member?.type === "Property") return `${selfName(e, info)}.prototype`;
	return member?.key.type === "PrivateIdentifier" ? "void 0" : `${methodCode(e, info)}.prototype`;
}
/** The realm function that gives a wrapper its prototype, and its further arguments. */
function prototypeHelper(e, info) {
	if (!info.generator) return {
		name: e.use("asyncFunction"),
		rest: ""
	};
	return {
		name: e.use(info.async ? "asyncGeneratorFunction" : "generatorFunction"),
		rest: `, ${e.use(info.async ? "asyncGeneratorPrototype" : "generatorPrototype")}()`
	};
}
/** Names given by computed keys: the temporary that holds the key. */
const dynamicNames = /* @__PURE__ */ new WeakMap();
/** The name an anonymous function or class gets from where it stands. */
function contextName(node) {
	let child = node;
	let parent = node.parent;
	while (parent !== null && parent.type === "ParenthesizedExpression") {
		child = parent;
		parent = parent.parent;
	}
	if (parent === null) return null;
	switch (parent.type) {
		case "VariableDeclarator": return parent.id.type === "Identifier" ? parent.id.name : null;
		case "AssignmentExpression":
			if (parent.right !== child || !/^(=|\|\|=|&&=|\?\?=)$/.test(parent.operator)) return null;
			return parent.left.type === "Identifier" ? parent.left.name : null;
		case "AssignmentPattern": return parent.right === child && parent.left.type === "Identifier" ? parent.left.name : null;
		case "Property": return parent.value === child && parent.parent?.type === "ObjectExpression" ? memberName(parent) : null;
		case "PropertyDefinition": return parent.value === child ? memberName(parent) : null;
		case "ExportDefaultDeclaration": return "default";
		default: return null;
	}
}
function memberText(e, node, info, member, key) {
	const { key: keyNode } = member;
	const emittedKey = e.emit(keyNode);
	let keyCode = containsFunction(keyNode) ? [markerCode(e, info), emittedKey] : emittedKey;
	if (member.computed) keyCode = key === null ? [
		"[",
		keyCode,
		"]"
	] : [
		`[${key} = ${e.use("key")}(`,
		keyCode,
		")]"
	];
	if (info.wrapped) {
		const { params, body } = emitWrapper(e, info);
		if (member.type === "Property") {
			const helper = prototypeHelper(e, info);
			const name = memberName(member);
			if (name !== null) {
				const property = `[${JSON.stringify(name)}]`;
				const value = [
					`${helper.name}(({ ${property}(`,
					params,
					") ",
					body,
					` })${property}`,
					helper.rest,
					")"
				];
				return [`${property}: `, knowingItself(e, info, value)];
			}
			const temporary = e.temporary();
			const value = [
				`${helper.name}(({ [${temporary}](`,
				params,
				") ",
				body,
				` })[${temporary}]`,
				helper.rest,
				")"
			];
			return [
				`[${temporary} = ${e.use("key")}(`,
				emittedKey,
				")]: ",
				knowingItself(e, info, value)
			];
		}
		return [
			member.static ? "static " : "",
			keyCode,
			"(",
			params,
			") ",
			body
		];
	}
	const head = member.computed ? e.source.indexOf("[", member.start) : keyNode.start;
	const keyEnd = member.computed ? e.source.indexOf("]", keyNode.end) + 1 : keyNode.end;
	if (info.kind === "constructor") return [new Span(member.start, keyEnd), functionText(e, node, info)];
	return [
		new Span(member.start, head),
		keyCode,
		new Span(keyEnd, node.start),
		functionText(e, node, info)
	];
}
/** The function's own text with probe and boxes. */
function functionText(e, node, info) {
	return emitInside(e, info, () => {
		const plan = planParameters(e, info);
		const body = plainBody(e, node, info, plan);
		const parts = [];
		let at = node.start;
		for (const param of node.params) {
			parts.push(new Span(at, param.start), markerBefore(e, info, param), plan.codes.get(param) ?? e.emit(param));
			at = param.end;
		}
		parts.push(new Span(at, node.body.start), body);
		return parts;
	});
}
function anonymousText(e, node, info) {
	return emitInside(e, info, () => {
		const plan = planParameters(e, info);
		const body = plainBody(e, node, info, plan);
		return [
			"function (",
			parameterList(e, info, plan),
			") ",
			body
		];
	});
}
/** All parameters, with the function's marker if the body is not to carry it. */
function parameterList(e, info, plan) {
	const { params } = info.node;
	return join(params.map((param) => [markerBefore(e, info, param), plan.codes.get(param) ?? e.emit(param)]), ", ");
}
function emitInside(e, info, run) {
	if (info.isArrow) return e.within({
		fn: info,
		step: null,
		settles: false
	}, run);
	return e.within({
		fn: info,
		step: null,
		settles: false,
		thisCode: "this",
		argumentsCode: "arguments",
		newTargetCode: "new.target"
	}, run);
}
function plainBody(e, node, info, plan) {
	const { body } = node;
	const probe = info.kind === "constructor" || plan.probed ? null : probeHit(e, info);
	const marker = info.kind === "constructor" ? "" : bodyMarker(e, info);
	if (body.type !== "BlockStatement") {
		const value = e.emit(body);
		if (isEmpty(plan.prologue) && info.temporaries.length === 0) return [marker, probe === null ? value : [
			`${e.use("P")}.on ? `,
			probe,
			" : ",
			value
		]];
		return [
			`{ ${marker}`,
			probeStatement(e, probe),
			plan.prologue,
			temporariesOf(info),
			"return ",
			value,
			"; }"
		];
	}
	const list = statements(body);
	const directives = list.filter((each) => typeof each.directive === "string");
	const start = directives.at(-1)?.end ?? body.start + 1;
	const rest = list.slice(directives.length);
	const inner = bodyCode(e, info, plan, () => e.emitStatements(rest, start, body.end), rest);
	return [
		start === body.start + 1 ? "{" : [new Span(body.start, start), "; "],
		marker,
		probeStatement(e, probe),
		e.guards.get(info) ?? "",
		plan.prologue,
		temporariesOf(info),
		inner
	];
}
/** Statements with what they need ahead of them. In a body with a scope of its own, names may hide those of parameters. */
function bodyCode(e, info, plan, emit, list) {
	const scope = info.bodyScope;
	if (scope === null) return [emitHoists(e, info.scope, list, "var"), emit()];
	if (isEmpty(plan.prologue)) {
		for (const [variable, parameter] of namesakes(info)) variable.initial = parameter ?? e.around.argumentsCode;
		return [emitHoists(e, scope, list, "var"), emit()];
	}
	const copies = [];
	for (const variable of scope.variables.values()) variable.declaredAhead = /^(var|function)$/.test(variable.kind);
	for (const [variable, parameter] of namesakes(info)) {
		variable.initial = e.fresh("b");
		copies.push(`const ${variable.initial} = ${parameter ?? e.around.argumentsCode}; `);
	}
	return [
		copies,
		"{ ",
		emitHoists(e, scope, list, "let"),
		emit(),
		"}"
	];
}
/** Variables of a body's own scope that begin with the value of a parameter, and that one's code; null for `arguments`. */
function namesakes(info) {
	const found = [];
	for (const variable of info.bodyScope?.variables.values() ?? []) {
		if (variable.kind !== "var") continue;
		const parameter = info.scope.variables.get(variable.name);
		if (parameter !== void 0) found.push([variable, parameter.storage === "local" ? parameter.name : `${parameter.name}.v`]);
		else if (variable.name === "arguments" && !info.isArrow) found.push([variable, null]);
	}
	return found;
}
function temporariesOf(info) {
	return info.temporaries.length === 0 ? "" : `var ${info.temporaries.join(", ")}; `;
}
/**
* An async function that never suspends: no frame, and its eventual is settled where the function returns or throws. What
* parameters throw rejects as well, so patterns and defaults are evaluated inside.
*/
function emitSettling(e, info) {
	const { node } = info;
	return emitInside(e, info, () => {
		const codes = /* @__PURE__ */ new Map();
		const firstComplex = node.params.findIndex((param) => !isSimple(param));
		const plan = firstComplex === -1 ? planParameters(e, info) : {
			...moveParameters(e, info, firstComplex, codes),
			probed: false
		};
		const params = parameterList(e, info, plan);
		const head = [bodyMarker(e, info), probeStatement(e, probeHit(e, info))];
		const isBlock = node.body.type === "BlockStatement";
		const list = isBlock ? statements(node.body) : [];
		const directives = list.filter((each) => typeof each.directive === "string");
		const start = directives.at(-1)?.end ?? node.body.start + 1;
		const rest = list.slice(directives.length);
		const strict = directives.length === 0 ? "" : [new Span(node.body.start + 1, start), "; "];
		const run = e.within({ settles: true }, () => isBlock ? bodyCode(e, info, plan, () => [e.emitStatements(rest, start, node.body.end - 1), ` return ${e.use("fulfilled")}(void 0); `], rest) : [
			`return ${e.use("fulfilled")}((`,
			e.emit(node.body),
			")); "
		]);
		const failed = e.fresh("e");
		return {
			params,
			body: [
				"{ ",
				strict,
				head,
				"try { ",
				plan.prologue,
				temporariesOf(info),
				run,
				`} catch (${failed}) { return ${e.use("rejected")}(${failed}); } }`
			]
		};
	});
}
function probeStatement(e, probe) {
	return probe === null ? "" : [
		`if (${e.use("P")}.on) return `,
		probe,
		"; "
	];
}
/** What a function answers when it is asked for its captures; null if it captures nothing and need not be asked. */
function probeHit(e, info, how = "take") {
	const captured = captureNames(e, info);
	if (captured.length === 0) return null;
	return `${e.use("P")}.${how}([${captured.map((each) => readingCode(e, each)).join(", ")}])`;
}
/**
* A function's identity is a comment in its own text: it costs no bytecode, so that small functions stay small enough for
* V8 to inline at once. It must be the first marker in the text, and parameters may hold functions. A `+` says that the
* function has a probe and may be called for its captures.
*/
function markerCode(e, info) {
	const asks = captureNames(e, info).length > 0 ? "+" : "";
	return `/*@${e.id}:${info.ordinal}${asks}*/`;
}
function markerBefore(e, info, param) {
	return param === info.node.params[0] && !info.node.params.every(isSimple) ? markerCode(e, info) : "";
}
function bodyMarker(e, info) {
	return info.node.params.every(isSimple) ? markerCode(e, info) : "";
}
/** What capture reads: a variable that is dead for ever must not keep it from the others. */
function readingCode(e, { code, mayStayDead }) {
	return mayStayDead ? `${e.use("P")}.read(() => ${code})` : code;
}
/** What a function captures: emitted code and the name in the table. */
function captureNames(e, info) {
	const found = [...info.captures].map((variable) => ({
		code: captureCode(e, variable),
		name: variable.name,
		boxed: variable.storage === "box" || variable.storage === "cell",
		mayStayDead: variable.mayStayDead
	}));
	if (info.isArrow) {
		const { around } = e;
		const plain = {
			boxed: false,
			mayStayDead: false
		};
		if (info.usesThis) found.push({
			code: around.thisCode,
			name: "this",
			...plain
		});
		if (info.usesArguments) found.push({
			code: around.argumentsCode,
			name: "arguments",
			...plain
		});
		if (info.usesNewTarget) found.push({
			code: around.newTargetCode,
			name: "new.target",
			...plain
		});
	}
	return found;
}
function planParameters(e, info) {
	const { params } = info.node;
	const codes = /* @__PURE__ */ new Map();
	const bound = params.flatMap((param) => boundIdentifiers(param));
	const boxed = bound.filter((id) => !e.isPlain(id));
	const firstComplex = params.findIndex((param) => !isSimple(param));
	if (firstComplex === -1) {
		const mapped = boxed.length > 0 && info.mapsArguments;
		return {
			codes,
			prologue: boxed.map((id) => {
				const raw = mapped ? e.fresh("a") : id.name;
				const rest = id.parent?.type === "RestElement";
				codes.set(rest ? id.parent : id, rest ? `...${raw}` : raw);
				if (!mapped) return `${id.name} = { v: ${raw} }; `;
				return `var ${id.name} = ${e.use("parameter")}(arguments, ${bound.indexOf(id)}, ${raw}); `;
			}),
			probed: false
		};
	}
	if (e.guards.has(info)) return {
		...moveParameters(e, info, firstComplex, codes),
		probed: false
	};
	const first = params[firstComplex];
	const probe = probeHit(e, info, "stop");
	if (boxed.length === 0 && probe === null) return {
		codes,
		prologue: "",
		probed: true
	};
	if (boxed.length === 0 && first.type === "AssignmentPattern") {
		const code = [
			e.emit(first.left),
			` = ${e.use("P")}.on ? `,
			probe,
			" : ",
			probedDefault(e, first)
		];
		codes.set(first, code);
		return {
			codes,
			prologue: "",
			probed: true
		};
	}
	return {
		...moveParameters(e, info, firstComplex, codes),
		probed: false
	};
}
/** A default keeps the name it would give to an anonymous function although a conditional stands around it. */
function probedDefault(e, pattern) {
	const { left, right } = pattern;
	if (left.type === "Identifier" && isAnonymousFunction(right)) return e.named(left.name, right);
	return [
		"(",
		e.emit(right),
		")"
	];
}
function isSimple(param) {
	if (param.type === "RestElement") return param.argument.type === "Identifier";
	return param.type === "Identifier";
}
/** Plain parameters in the list, patterns and defaults in the body. The first default stays for the sake of `length`. */
function moveParameters(e, info, from, codes) {
	const { params } = info.node;
	const prologue = [];
	let counted = true;
	for (const param of params.slice(0, from)) for (const id of boundIdentifiers(param)) {
		if (e.isPlain(id)) continue;
		codes.set(param, id.name);
		prologue.push(`${id.name} = { v: ${id.name} }; `);
	}
	for (const param of params.slice(from)) {
		const raw = e.fresh("a");
		if (param.type === "RestElement") {
			codes.set(param, `...${raw}`);
			prologue.push(declareParameter(e, param.argument, raw));
		} else if (param.type === "AssignmentPattern") {
			codes.set(param, counted ? `${raw} = void 0` : raw);
			counted = false;
			prologue.push(declareParameter(e, param.left, defaulted(e, param, raw)));
		} else {
			codes.set(param, raw);
			prologue.push(declareParameter(e, param, patternSource(e, param, raw, null)));
		}
	}
	return {
		codes,
		prologue
	};
}
/** `raw === void 0 ? default : raw` */
function defaulted(e, param, raw) {
	const target = bare(param.left);
	const value = target.type === "Identifier" ? e.named(target.name, param.right) : e.emit(param.right);
	return [
		raw,
		" === void 0 ? ",
		isFunction(bare(param.right)) ? [
			"(",
			value,
			")"
		] : value,
		" : ",
		raw
	];
}
function declareParameter(e, pattern, value) {
	const ids = boundIdentifiers(pattern);
	const redeclared = ids.some((id) => (id.ref?.variable?.declarations ?? 1) > 1);
	if (ids.every((id) => e.isPlain(id))) return [
		redeclared ? "var " : "let ",
		e.emit(pattern),
		" = ",
		value,
		"; "
	];
	if (pattern.type === "Identifier") return [
		redeclared ? "var " : "let ",
		`${pattern.name} = { v: `,
		value,
		" }; "
	];
	return declarePattern(e, pattern, value, redeclared ? "var" : "let");
}
function isConstLike(variable) {
	return variable.writes === 0 && variable.kind !== "var" && variable.storage === "local";
}
// packages/transform/src/emitter.ts
var Emitter = class {
	source;
	analysis;
	prefix;
	/** Names the file in the markers of its functions. */
	id;
	ambientNames;
	/** Realm members in use, by emitted name. */
	helpers = /* @__PURE__ */ new Set();
	/** Code hoisted to the file's own top scope: step functions. */
	hoisted = [];
	/** Variables of the file's own top scope that the transform adds. */
	rootVariables = [];
	/** The step of a module with top-level await. */
	body = "";
	templates = [];
	substitutions = /* @__PURE__ */ new Map();
	around;
	exports = null;
	steps = /* @__PURE__ */ new Map();
	/** Only in the form that restores: what a constructor begins with, and fields whose initialisers are conditional. */
	guards = /* @__PURE__ */ new Map();
	fieldGuards = /* @__PURE__ */ new Map();
	counter = 0;
	constructor(source, analysis, names) {
		this.ambientNames = names.ambient;
		this.id = names.id;
		this.source = source;
		this.analysis = analysis;
		this.prefix = names.prefix;
		this.around = {
			thisCode: "this",
			argumentsCode: "arguments",
			newTargetCode: "new.target",
			stepOf: null,
			step: null,
			settles: false,
			fn: analysis.root
		};
	}
	/** The emitted name of a realm member. */
	use(helper) {
		this.helpers.add(helper);
		return this.prefix + helper;
	}
	fresh(kind) {
		return `${this.prefix}${kind}${this.counter++}`;
	}
	/** A variable for an intermediate value, declared at the top of the function being emitted. */
	temporary() {
		const name = this.fresh("t");
		this.around.fn.temporaries.push(name);
		return name;
	}
	within(around, run) {
		const outer = this.around;
		this.around = {
			...outer,
			...around
		};
		const result = run();
		this.around = outer;
		return result;
	}
	text(node) {
		return this.source.slice(node.start, node.end);
	}
	emit(node) {
		const substitution = this.substitutions.get(node);
		if (substitution !== void 0) return substitution;
		if (node.dirty !== true) return new Span(node.start, node.end);
		switch (node.type) {
			case "Identifier": return this.emitIdentifier(node);
			case "ThisExpression": return node.sloppyThis === true ? `${this.use("view")}(${this.around.thisCode})` : this.around.thisCode;
			case "MetaProperty": return node.meta.name === "import" ? `${this.prefix}M.meta` : this.around.newTargetCode;
			case "FunctionDeclaration":
			case "FunctionExpression":
			case "ArrowFunctionExpression": return emitFunction(this, node);
			case "ClassDeclaration":
			case "ClassExpression": return emitClass(this, node);
			case "Property": return this.emitProperty(node);
			case "ObjectExpression": return this.emitObject(node);
			case "CallExpression": return this.emitCall(node);
			case "ChainExpression": return emitChain(this, node);
			case "MemberExpression": return this.emitMember(node);
			case "BinaryExpression":
				if (node.left.type === "PrivateIdentifier") {
					const info = outsideClassOf(this, node.left);
					if (info !== null) return [
						this.privateAccessors(info, node.left.name),
						".has(",
						this.emit(node.right),
						")"
					];
				}
				return this.emitChildren(node);
			case "TaggedTemplateExpression": return this.emitTaggedTemplate(node);
			case "ImportExpression": return [
				`${this.prefix}M.dynamicImport(`,
				this.emit(node.source),
				node.options === null ? "" : [", ", this.emit(node.options)],
				typeof node.phase === "string" ? [node.options === null ? ", void 0" : "", `, ${JSON.stringify(node.phase)}`] : "",
				")"
			];
			case "AssignmentExpression": return emitAssignment(this, node);
			case "UpdateExpression": return emitUpdate(this, node);
			case "UnaryExpression":
				if (node.operator === "delete" && bare(node.argument).type === "Identifier") return "false";
				return this.emitChildren(node);
			case "VariableDeclaration": return emitDeclaration(this, node);
			case "BlockStatement": return this.emitBlock(node);
			case "SwitchStatement": return this.emitSwitch(node);
			case "ForStatement": return this.emitFor(node);
			case "ForInStatement":
			case "ForOfStatement": return this.emitForEach(node);
			case "CatchClause": return this.emitCatch(node);
			case "ReturnStatement":
			case "BreakStatement":
			case "ContinueStatement": {
				const { step, settles } = this.around;
				if (step !== null) return step.emitJump(node);
				if (!settles || node.type !== "ReturnStatement") return this.emitChildren(node);
				const value = node.argument === null ? "void 0" : this.emit(node.argument);
				return [
					`return ${this.use("fulfilled")}((`,
					value,
					"));"
				];
			}
			case "LabeledStatement": return this.emitLabeled(node);
			default: return this.emitChildren(node);
		}
	}
	/** The node's own text with its children emitted in their places. */
	emitChildren(node, from = node.start, to = node.end) {
		const parts = [];
		let at = from;
		for (const child of childrenOf(node)) {
			if (child.start < at || child.end > to) continue;
			if (child.start > at) parts.push(new Span(at, child.start));
			parts.push(this.emit(child));
			at = child.end;
		}
		if (at < to) parts.push(new Span(at, to));
		return parts;
	}
	emitIdentifier(node) {
		const reference = node.ref;
		if (reference === void 0) return new Span(node.start, node.end);
		const { variable } = reference;
		if (reference.dead === true) return `${this.use("dead")}(${JSON.stringify(node.name)})`;
		if (variable === null) {
			if (node.name === "arguments") return this.around.argumentsCode;
			if (this.ambientNames.has(node.name)) return [`${this.use("A")}.`, new Span(node.start, node.end)];
			return new Span(node.start, node.end);
		}
		switch (variable.storage) {
			case "box":
			case "cell": return [new Span(node.start, node.end), ".v"];
			case "binding": return `${variable.bindingCode}.v`;
			default: return new Span(node.start, node.end);
		}
	}
	isPlain(node) {
		const { ref } = node;
		if (ref === void 0) return true;
		const { variable } = ref;
		if (ref.dead === true) return false;
		if (variable === null) return !this.ambientNames.has(node.name) && node.name !== "arguments";
		return variable.storage === "local";
	}
	handleCode(handle) {
		return this.prefix + handle.name.replace("class ", "h").replace("object ", "o");
	}
	privateAccessors(info, name) {
		return `${this.handleCode(info.handle)}.p.${name}`;
	}
	emitProperty(node) {
		if (node.shorthand) {
			const value = node.value.type === "AssignmentPattern" ? node.value.left : node.value;
			const inner = this.emit(node.value);
			return this.substitutions.has(node.value) || !this.isPlain(value) || isForbiddenWrite(value) ? [
				value.name,
				": ",
				inner
			] : inner;
		}
		if (isFunction(node.value) && (node.method || node.kind !== "init")) return functionExpression(this, node.value, { member: node });
		const value = bare(node.value);
		if (node.computed && isAnonymousFunction(value) && value.fn?.wrapped === true) {
			const key = this.temporary();
			dynamicNames.set(value, key);
			return [
				`[${key} = ${this.use("key")}(`,
				this.emit(node.key),
				")]: ",
				this.emit(node.value)
			];
		}
		return this.emitChildren(node);
	}
	emitObject(node) {
		const handle = node.scope?.variables.values().next().value;
		if (handle === void 0) return this.emitChildren(node);
		const name = this.handleCode(handle);
		return [
			`((${name}) => ${name} = `,
			this.emitChildren(node),
			")()"
		];
	}
	/** A callee that is written as a member for our reasons must not receive the object as `this`. */
	emitCallee(callee) {
		if (this.substitutions.has(callee) || callee.type === "Identifier" && !this.isPlain(callee)) return [
			"(0, ",
			this.emit(callee),
			")"
		];
		return this.emit(callee);
	}
	emitCall(node) {
		const { callee } = node;
		const member = bare(callee);
		if (member.type === "MemberExpression" && !this.substitutions.has(callee)) {
			const call = node.optional ? "?.call(" : ".call(";
			const home = emitSuperMember(this, member);
			if (home !== null) return [
				home,
				`${call}${this.around.thisCode}`,
				this.restOfArguments(node),
				")"
			];
			const info = outsideClassOf(this, member.property);
			if (info !== null) {
				const { object, setup } = this.once(member.object);
				return [
					`${this.privateAccessors(info, member.property.name)}.get(`,
					setup,
					")",
					call,
					object,
					this.restOfArguments(node),
					")"
				];
			}
		}
		const keeping = keepingOf(node);
		if (keeping !== null) return emitKept(this, node, keeping, this.emitChildren(node));
		if (callee.dirty !== true) return this.emitChildren(node);
		if (this.analysis.refused.some((each) => each.node === node)) return ["eval", this.emitChildren(node, callee.end)];
		return [this.emitCallee(callee), this.emitChildren(node, callee.end)];
	}
	restOfArguments(node) {
		return node.arguments.map((argument) => [", ", this.emit(argument)]);
	}
	/** Code that evaluates an expression once, and code that repeats its value. */
	once(node) {
		const inner = bare(node);
		const code = this.emit(node);
		if (inner.type === "ThisExpression" || inner.type === "Identifier" && this.isPlain(inner)) return {
			object: code,
			setup: code
		};
		const name = this.temporary();
		return {
			object: name,
			setup: [`${name} = `, code]
		};
	}
	emitMember(node) {
		return emitSuperMember(this, node) ?? emitPrivateMember(this, node) ?? this.emitChildren(node);
	}
	emitTaggedTemplate(node, apply = null) {
		const { quasi } = node;
		const known = this.templates.indexOf(quasi);
		const ordinal = known === -1 ? this.templates.push(quasi) - 1 : known;
		const name = `${this.prefix}T${ordinal}`;
		if (known === -1) this.rootVariables.push(name);
		const cooked = [];
		const raw = [];
		for (const part of quasi.quasis) {
			const value = part.value;
			cooked.push(value.cooked === null ? "void 0" : JSON.stringify(value.cooked));
			raw.push(JSON.stringify(value.raw));
		}
		const strings = `${name} ??= ${this.prefix}M.template(${ordinal}, [${cooked.join(", ")}], [${raw.join(", ")}])`;
		const values = quasi.expressions.map((each) => [", ", this.emit(each)]);
		if (apply !== null) return apply(strings, values);
		const tag = bare(node.tag);
		const home = tag.type === "MemberExpression" ? emitSuperMember(this, tag) : null;
		if (home !== null) return [
			home,
			`.call(${this.around.thisCode}, ${strings}`,
			values,
			")"
		];
		const call = [
			this.emitCallee(node.tag),
			`(${strings}`,
			values,
			")"
		];
		return node.parent?.type === "NewExpression" && node.parent.callee === node ? [
			"(",
			call,
			")"
		] : call;
	}
	/** Gives an anonymous function or class the name its context would give it. */
	named(name, node) {
		const code = this.emit(node);
		if (!isAnonymousFunction(node)) return code;
		const key = JSON.stringify(name);
		return [
			"({ [",
			key,
			"]: ",
			code,
			` })[${key}]`
		];
	}
	emitStatements(list, from, to) {
		const parts = [];
		let at = from;
		for (const node of list) {
			if (node.start > at) parts.push(new Span(at, node.start));
			const declared = declaredFunction(node);
			if (declared === null || isNativeDeclaration(declared)) parts.push(this.emit(node));
			else parts.push(";");
			if (this.lacksSemicolon(node)) parts.push(";");
			at = node.end;
		}
		if (at < to) parts.push(new Span(at, to));
		return parts;
	}
	/** What follows may begin differently from the source, so that automatic semicolons cannot be relied on. */
	lacksSemicolon(node) {
		let last = node;
		for (let inner = lastPart(last); inner !== null; inner = lastPart(inner)) last = inner;
		return SIMPLE_STATEMENT.test(last.type) && this.source.charCodeAt(node.end - 1) !== 59;
	}
	emitBlock(node) {
		const list = statements(node);
		return [
			"{",
			emitHoists(this, node.scope, list, "let"),
			this.emitStatements(list, node.start + 1, node.end)
		];
	}
	emitSwitch(node) {
		const list = node.cases.flatMap((each) => statements(each));
		const hoists = emitHoists(this, node.scope, list, "let");
		const discriminant = isEmpty(hoists) ? null : this.fresh("d");
		const parts = [
			"switch (",
			discriminant ?? this.emit(node.discriminant),
			") {"
		];
		for (const each of node.cases) {
			const body = statements(each);
			const bodyStart = body[0]?.start ?? each.end;
			if (each.test === null) parts.push(" default: ");
			else parts.push(" case ", this.emit(each.test), ": ");
			parts.push(this.emitStatements(body, bodyStart, body.at(-1)?.end ?? bodyStart));
		}
		parts.push(" }");
		if (discriminant === null) return parts;
		return [
			`{ const ${discriminant} = (`,
			this.emit(node.discriminant),
			"); { ",
			hoists,
			parts,
			" } }"
		];
	}
	emitLabeled(node) {
		const declared = declaredFunction(node);
		if (declared !== null && !isNativeDeclaration(declared)) return ";";
		return this.emitChildren(node);
	}
	emitFor(node) {
		const { init } = node;
		const boxed = [...node.scope.variables.values()].filter((variable) => variable.storage !== "local");
		if (boxed.length === 0 || init === null || init.kind !== "let") return this.emitChildren(node);
		const head = this.emit(init);
		const renew = boxed.map((variable) => `${variable.name} = { v: ${variable.name}.v }`).join(", ");
		const first = containsFunction(init) ? `, ${this.fresh("_")} = (${renew})` : "";
		const update = node.update === null ? "" : [", ", this.emit(node.update)];
		return [
			"for (",
			head,
			first,
			"; ",
			node.test === null ? "" : this.emit(node.test),
			`; ${renew}`,
			update,
			") ",
			this.emit(node.body)
		];
	}
	emitForEach(node) {
		const { left } = node;
		const isDeclaration = left.type === "VariableDeclaration";
		const pattern = isDeclaration ? left.declarations[0].id : left;
		const ids = boundIdentifiers(pattern);
		const special = isDeclaration && left.kind === "var" && ids.some((id) => isDeclaredAhead(this, id)) || ids.some((id) => !this.isPlain(id));
		if (!isDeclaration || !special) {
			if (isDeclaration || left.dirty !== true) return this.emitChildren(node);
			return [
				new Span(node.start, left.start),
				emitPattern(this, left),
				this.emitChildren(node, left.end)
			];
		}
		if (left.kind === "var") return [
			new Span(node.start, left.start),
			emitPattern(this, pattern),
			this.emitChildren(node, left.end)
		];
		const each = this.fresh("e");
		return [
			new Span(node.start, left.start),
			`const ${each}`,
			this.emitChildren(node, left.end, node.body.start),
			"{ ",
			declarePattern(this, pattern, patternSource(this, pattern, each, ".for")),
			this.emit(node.body),
			" }"
		];
	}
	emitCatch(node) {
		const { param } = node;
		if (param === null || boundIdentifiers(param).every((id) => this.isPlain(id))) return this.emitChildren(node);
		const caught = this.fresh("e");
		return [
			`catch (${caught}) { `,
			declarePattern(this, param, caughtSource(this, param, caught)),
			this.emit(node.body),
			" }"
		];
	}
	/** Marks every use of a name that is emitted in another form. */
	markStorage() {
		for (const reference of this.analysis.references) {
			const { node, variable, name, dead } = reference;
			if (node === null || node.parent === void 0) continue;
			if (dead === true || (variable === null ? this.ambientNames.has(name) : variable.storage !== "local" || (variable.kind === "const" || variable.kind === "name") && variable.writes > 0)) markDirty(node);
		}
	}
	/** Whether a variable of the file's top scope is declared there rather than where its declaration stands. */
	isDeclaredAtRoot(variable) {
		return this.analysis.root.topLevelAwait && variable.isRoot;
	}
	/** `import` and `export` in a module with top-level await. */
	emitModuleStatement(step, node) {
		this.exports?.statement(step, node);
	}
	sourceText(code) {
		return textOf(code, this.source);
	}
};
/** The statement that a statement ends with, and whose semicolon is its own. */
function lastPart(node) {
	switch (node.type) {
		case "ExportNamedDeclaration": return node.declaration;
		case "IfStatement": return node.alternate ?? node.consequent;
		case "ForStatement":
		case "ForInStatement":
		case "ForOfStatement":
		case "WhileStatement":
		case "LabeledStatement": return node.body;
		default: return null;
	}
}
const SIMPLE_STATEMENT = /^(Expression|Return|Throw|Break|Continue|DoWhile|Debugger)Statement$|^(VariableDeclaration|PropertyDefinition)$/;
function join(parts, separator) {
	return parts.flatMap((part, index) => index === 0 ? [part] : [separator, part]);
}
/** Of those that can be changed in no other way than through the global object, the program's way to which is its view. */
function isEmpty(code) {
	if (typeof code === "string") return code === "";
	return Array.isArray(code) && code.every(isEmpty);
}
/** An anonymous function or class in the sense of NamedEvaluation. */
function isAnonymousFunction(node) {
	const inner = bare(node);
	if (isFunction(inner)) return inner.id === null || inner.id === void 0;
	if (!isClass(inner)) return false;
	return inner.id === null && !statements(inner.body).some((member) => isStaticName(member));
}
function isStaticName(member) {
	return member.type !== "StaticBlock" && member.static && !member.computed && memberName(member) === "name";
}
/** The name of a property or member with a literal key. */
function memberName(member) {
	const { key } = member;
	if (member.computed) return key.type === "Literal" ? String(literalValue(key)) : null;
	if (key.type === "Identifier") return key.name;
	if (key.type === "PrivateIdentifier") return `#${key.name}`;
	return String(literalValue(key));
}
function containsFunction(node) {
	if (isFunction(node) || isClass(node)) return true;
	return childrenOf(node).some(containsFunction);
}
// packages/transform/src/declaration-emitter.ts
function emitDeclaration(e, node) {
	const names = node.declarations.flatMap((declarator) => boundIdentifiers(declarator.id));
	if (!(node.kind === "var" && names.some((id) => isDeclaredAhead(e, id))) && names.every((id) => e.isPlain(id))) return e.emitChildren(node);
	const inFor = node.parent !== null && node.parent.type === "ForStatement" && node.parent.init === node;
	if (node.kind === "var" || names.every((id) => id.ref?.variable?.storage === "binding")) return emitDeclarationAsAssignments(e, node, inFor);
	const parts = [];
	let keyword = node.kind;
	for (const declarator of node.declarations) {
		const id = declarator.id;
		const variable = id.ref?.variable;
		if (id.type === "Identifier" && variable !== void 0 && variable !== null) {
			if (variable.storage === "box" || variable.storage === "cell" && inFor) {
				variable.storage = "box";
				const value = declarator.init === null ? "void 0" : e.named(id.name, declarator.init);
				parts.push([
					new Span(id.start, id.end),
					" = { v: ",
					value,
					" }"
				]);
			} else if (variable.storage === "cell" || variable.storage === "binding") {
				const value = declarator.init === null ? "void 0" : e.named(id.name, declarator.init);
				parts.push([`${e.fresh("_")} = `, emitInitialisation(e, id, value)]);
			} else parts.push(e.emit(declarator));
			continue;
		}
		if (!usesOwnNames(e, id)) {
			const { code, boxes } = declareThenBox(e, id, e.emit(declarator.init));
			parts.push(code, ...boxes);
			continue;
		}
		keyword = "let";
		for (const each of boundIdentifiers(id)) {
			const bound = each.ref?.variable;
			if (bound.storage === "box") parts.push([each.name, " = { v: void 0 }"]);
			else if (bound.storage === "cell" && inFor) parts.push(`${each.name} = ${newCell(e, each.name)}`);
			else if (bound.storage === "local") {
				bound.converted = true;
				parts.push(each.name);
			}
		}
		parts.push([
			`${e.fresh("_")} = (`,
			emitPattern(e, id),
			" = ",
			e.emit(declarator.init),
			")"
		]);
	}
	return [
		`${keyword} `,
		join(parts, ", "),
		inFor ? "" : ";"
	];
}
/** A pattern whose defaults or keys use the names it binds. */
function usesOwnNames(e, pattern) {
	return boundIdentifiers(pattern).some((id) => !e.isPlain(id) && (id.ref?.variable?.references ?? []).some(({ node, initialises }) => node !== null && !initialises && node.start >= pattern.start && node.end <= pattern.end));
}
/** `[$1, b] = init, a = { v: $1 }`: boxes come after the pattern, so that V8 keeps the dead zone of every name. */
function declareThenBox(e, pattern, init) {
	const boxes = [];
	const replaced = [];
	for (const id of boundIdentifiers(pattern)) {
		if (e.isPlain(id)) continue;
		const raw = e.fresh("b");
		e.substitutions.set(id, raw);
		replaced.push(id);
		const variable = id.ref?.variable;
		boxes.push(variable.storage === "box" ? `${id.name} = { v: ${raw} }` : [`${e.fresh("_")} = `, emitInitialisation(e, id, raw)]);
	}
	const code = [
		emitPattern(e, pattern),
		" = ",
		init
	];
	for (const id of replaced) e.substitutions.delete(id);
	return {
		code,
		boxes
	};
}
function newCell(e, name) {
	return `new ${e.use("Cell")}(${JSON.stringify(name)})`;
}
/** A `var` whose declaration stands at the head of its list: one that lives across suspensions, or in a body within another. */
function isDeclaredAhead(e, id) {
	const { step } = e.around;
	const variable = id.ref?.variable;
	if (variable === null || variable === void 0) return false;
	return variable.declaredAhead || step !== null && step.isAssigned(variable);
}
/** `var` declarations of boxed names, and exported declarations, whose storage exists already. */
function emitDeclarationAsAssignments(e, node, inFor) {
	const parts = [];
	for (const declarator of node.declarations) {
		const id = declarator.id;
		if (declarator.init === null) {
			const variable = id.ref?.variable ?? null;
			if (variable !== null && variable.isLexical) parts.push(emitInitialisation(e, id, "void 0"));
			else if (variable !== null && variable.storage === "local" && !isDeclaredAhead(e, id)) e.around.fn.temporaries.push(id.name);
			continue;
		}
		for (const each of boundIdentifiers(id)) if (each.ref?.variable?.storage === "local" && !isDeclaredAhead(e, each)) e.around.fn.temporaries.push(each.name);
		if (id.type === "Identifier") parts.push(emitInitialisation(e, id, e.named(id.name, declarator.init)));
		else parts.push([
			"(",
			emitPattern(e, id),
			" = ",
			e.emit(declarator.init),
			")"
		]);
	}
	return [join(parts, ", "), inFor ? "" : ";"];
}
function assignPattern(e, id, init) {
	if (id.type !== "Identifier") return [
		"(",
		emitPattern(e, id),
		" = ",
		sourceOf(e, id, init),
		")"
	];
	if (e.substitutions.has(init)) return emitInitialisation(e, id, e.emit(init));
	return emitInitialisation(e, id, e.isPlain(id) ? e.emit(init) : e.named(id.name, init));
}
/** `let` declarations of a pattern's names, boxes and cells included, and their values. */
function declarePattern(e, pattern, value, keyword = "let") {
	const variables = boundIdentifiers(pattern).map((id) => id.ref?.variable);
	for (const variable of variables) if (variable.storage === "local") variable.converted = true;
	if (!usesOwnNames(e, pattern)) {
		const { code, boxes } = declareThenBox(e, pattern, value);
		return [
			`${keyword} `,
			join([code, ...boxes], ", "),
			"; "
		];
	}
	const parts = [];
	for (const { name, storage } of variables) if (storage === "local") parts.push(`${keyword} ${name}; `);
	else parts.push(`${keyword} ${name} = ${storage === "cell" ? newCell(e, name) : "{ v: void 0 }"}; `);
	const assignment = [
		emitPattern(e, pattern),
		" = ",
		value
	];
	return [parts, pattern.type === "ObjectPattern" ? [
		"(",
		assignment,
		"); "
	] : [assignment, "; "]];
}
/** What a scope needs at its start: boxes, cells, and functions that are no native declarations any more. */
function emitHoists(e, scope, list, keyword) {
	const parts = [];
	for (const variable of scope.variables.values()) if (variable.storage === "cell" && variable.kind !== "param") parts.push(`const ${variable.name} = ${newCell(e, variable.name)}; `);
	else if (variable.storage === "box" && (variable.kind === "var" || variable.kind === "function")) parts.push(`${keyword} ${variable.name} = { v: ${variable.initial ?? "void 0"} }; `);
	else if (variable.declaredAhead && variable.kind === "var") parts.push(`${keyword} ${variable.name}${variable.initial === null ? "" : ` = ${variable.initial}`}; `);
	const declared = /* @__PURE__ */ new Set();
	for (const node of hoistedFunctions(list)) {
		const name = node.id.name;
		const variable = node.id.ref?.variable;
		if (isNativeDeclaration(node)) continue;
		const isNew = variable.storage === "local" && !declared.has(name) && variable.scope === scope && variable.kind !== "param";
		declared.add(name);
		const value = functionExpression(e, node, { name });
		if (variable.storage === "binding") {
			parts.push([
				`${e.use("init")}(${storageCode(variable)}, `,
				value,
				"); "
			]);
			continue;
		}
		const target = isNew ? `${keyword} ${name}` : variable.storage === "local" ? name : `${name}.v`;
		parts.push([
			target,
			" = ",
			value,
			"; "
		]);
	}
	return parts;
}
function isNativeDeclaration(node) {
	const info = node.fn;
	const variable = node.id.ref?.variable;
	if (info.wrapped) return false;
	return variable === null || variable === void 0 || variable.storage === "local" && !variable.declaredAhead;
}
/** The function a statement declares, through labels and `export`. */
function declaredFunction(statement) {
	let node = statement;
	while (node.type === "LabeledStatement") node = node.body;
	if (node.type === "FunctionDeclaration" && node.id !== null) return node;
	return null;
}
function hoistedFunctions(list) {
	const found = [];
	for (const statement of list) {
		const node = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration" ? statement.declaration : statement;
		const declared = node === null ? null : declaredFunction(node);
		if (declared !== null) found.push(declared);
	}
	return found;
}
// packages/transform/src/class-emitter.ts
function emitClass(e, node) {
	const storage = node.type === "ClassDeclaration" && node.id !== null ? node.id.ref?.variable?.storage : "local";
	if (storage === "box") return [
		`let ${node.id.name} = { v: `,
		classExpression(e, node),
		" };"
	];
	if (storage === "cell") return [emitInitialisation(e, node.id, classExpression(e, node)), ";"];
	const info = node.classInfo;
	const { handle } = info;
	if (!(handle !== null && handle.scope === info.scope)) return classText$1(e, node, info);
	const name = e.handleCode(handle);
	const text = classText$1(e, node, info);
	const own = isAnonymousFunction(node) ? contextName(node) : null;
	const value = own === null ? text : [
		`{ [${JSON.stringify(own)}]: `,
		text,
		` }[${JSON.stringify(own)}]`
	];
	const expression = [
		`(() => { let ${name}; return (`,
		value,
		"); })()"
	];
	if (node.type === "ClassDeclaration") return [
		`let ${node.id.name} = `,
		expression,
		";"
	];
	return node.parent?.type === "NewExpression" && node.parent.callee === node ? [
		"(",
		expression,
		")"
	] : expression;
}
/** The class without a name of its own, for a declaration that became an assignment. */
function classExpression(e, node) {
	const info = node.classInfo;
	const { handle } = info;
	if (handle !== null && handle.scope === info.scope) return [
		`(() => { let ${e.handleCode(handle)}; return (`,
		classText$1(e, node, info),
		"); })()"
	];
	return classText$1(e, node, info);
}
function classText$1(e, node, info) {
	const { body } = node;
	const fixes = [];
	const members = [];
	const keys = [];
	let at = body.start + 1;
	for (const member of statements(body)) {
		if (member.start > at) members.push(new Span(at, member.start));
		const code = isKeyedField(member) ? keyedField(e, member, keys) : emitMember(e, member, fixes);
		members.push(code, e.lacksSemicolon(member) ? ";" : "");
		at = member.end;
	}
	members.push(new Span(at, body.end));
	const given = keys.length === 0 ? null : `[${keys.join(", ")}]`;
	return [
		classHead(e, node),
		"{ ",
		registration(e, info, fixes, given),
		members
	];
}
/** A field whose key was computed when the class was: instances made later need that key again. */
function isKeyedField(member) {
	return member.type === "PropertyDefinition" && member.computed && !member.static;
}
function keyedField(e, member, keys) {
	const { key } = member;
	const before = e.substitutions.get(key);
	const name = e.temporary();
	keys.push(name);
	e.substitutions.set(key, [
		`${name} = ${e.use("key")}(`,
		e.emit(key),
		")"
	]);
	const code = emitMember(e, member, []);
	if (before === void 0) e.substitutions.delete(key);
	else e.substitutions.set(key, before);
	return code;
}
/** `class Name extends Base `: the name as it stands, however the variable of that name is stored. */
function classHead(e, node) {
	const { id } = node;
	if (id !== null) e.substitutions.set(id, id.name);
	const head = e.emitChildren(node, node.start, node.body.start);
	if (id !== null) e.substitutions.delete(id);
	return head;
}
/** The first static block: tells core of the class. `keys` is what its fields' computed keys were. */
function registration(e, info, fixes, keys) {
	const captures = classCaptures(info);
	const privates = info.privates.size === 0 ? "null" : privateTable(info);
	const codes = captures.map((each) => readingCode(e, {
		code: captureCode(e, each),
		mayStayDead: each.mayStayDead
	}));
	const read = captures.length === 0 ? "null" : `() => [${codes.join(", ")}]`;
	return [
		`static { ${info.handle === null ? "" : `${e.handleCode(info.handle)} = `}${e.use("defineClass")}(${e.prefix}M, ${info.ordinal}, this, ${read}, ${privates}${keys === null ? "" : `, ${keys}`}); `,
		fixes,
		"} "
	];
}
function captureCode(e, variable) {
	return variable.kind === "handle" ? e.handleCode(variable) : variable.name;
}
/** What the members of a class capture from outside it; static fields and blocks have run and need nothing any more. */
function classCaptures(info) {
	const { node } = info;
	const found = /* @__PURE__ */ new Set();
	for (const member of statements(node.body)) {
		if (member.type === "StaticBlock" || member.type === "PropertyDefinition" && member.static) continue;
		const fn = member.type === "MethodDefinition" ? member.value.fn : member.fn;
		for (const variable of fn?.captures ?? []) {
			const at = variable.scope.node;
			if (at.start < node.start || at.end > node.end) found.add(variable);
		}
	}
	return [...found];
}
function emitMember(e, member, fixes) {
	if (member.type === "StaticBlock") return e.within({ ...pseudo(e, member.fn) }, () => {
		const list = statements(member);
		const open = e.source.indexOf("{", member.start) + 1;
		const hoists = emitHoists(e, member.fn.scope, list, "var");
		const body = e.emitStatements(list, open, member.end);
		return [
			"static {",
			temporaries(member.fn),
			hoists,
			body
		];
	});
	if (member.type === "MethodDefinition") {
		const info = member.value.fn;
		if (!info.wrapped) return functionExpression(e, member.value, { member });
		const holder = member.static ? "this" : "this.prototype";
		if (member.key.type === "PrivateIdentifier") return functionExpression(e, member.value, { member });
		const helper = prototypeHelper(e, info);
		const keep = info.generator ? `${methodCode(e, info)} = ` : "";
		if (!member.computed) {
			const name = JSON.stringify(memberName(member));
			fixes.push([
				`${keep}${helper.name}(${holder}[${name}]`,
				helper.rest,
				"); "
			]);
			return functionExpression(e, member.value, { member });
		}
		const key = e.temporary();
		fixes.push([
			`${keep}${helper.name}(${holder}[${key}]`,
			helper.rest,
			"); "
		]);
		return functionExpression(e, member.value, {
			member,
			key
		});
	}
	const guard = e.fieldGuards.get(member);
	if (member.value === null || member.value.dirty !== true && guard === void 0) return e.emitChildren(member);
	const parts = [e.emitChildren(member, member.start, member.value.start)];
	const info = member.fn;
	let value = e.within(pseudo(e, info), () => e.emit(member.value));
	if (guard !== void 0) {
		const named = guard.name === null ? value : [
			`{ [${guard.name}]: `,
			value,
			` }[${guard.name}]`
		];
		value = [
			`${e.use("P")}.blank ? void 0 : (`,
			named,
			")"
		];
	}
	if (info.temporaries.length === 0) parts.push(value);
	else parts.push([
		"(() => { ",
		temporaries(info),
		"return ",
		value,
		"; })()"
	]);
	parts.push(new Span(member.value.end, member.end));
	return parts;
}
function pseudo(e, fn) {
	return {
		fn,
		step: null,
		thisCode: "this",
		argumentsCode: "arguments",
		newTargetCode: "new.target",
		stepOf: e.around.stepOf,
		settles: false
	};
}
function temporaries(fn) {
	return fn.temporaries.length === 0 ? "" : `let ${fn.temporaries.join(", ")}; `;
}
/** The private names that hold values, and one that every instance has. */
function privateMembers({ node }) {
	const fields = [];
	const statics = [];
	let brand = null;
	for (const member of statements(node.body)) {
		if (member.type === "StaticBlock" || member.key.type !== "PrivateIdentifier") continue;
		const { name } = member.key;
		if (!member.static) brand ??= name;
		if (member.type === "PropertyDefinition") (member.static ? statics : fields).push(name);
	}
	return {
		fields,
		statics,
		brand
	};
}
// packages/transform/src/restore-emitter.ts
/** Factories and steps, as the properties of the object that the code answers. */
function emitFactories(e, selection) {
	return [
		"{ functions: {\n",
		selection.functions.map((ordinal) => {
			const info = e.analysis.functions[ordinal];
			return [
				`${ordinal}: `,
				functionFactory(e, info),
				",\n"
			];
		}),
		"}, classes: {\n",
		selection.classes.map((ordinal) => {
			const info = e.analysis.classes[ordinal];
			return [
				`${ordinal}: `,
				classFactory(e, info),
				",\n"
			];
		}),
		"}, steps: { ",
		[...e.steps].map(([info, step]) => `'${info.ordinal}': ${step.name}, `),
		"} }"
	];
}
function functionFactory(e, info) {
	const { node } = info;
	const captured = captureNames(e, info);
	const special = {
		this: `${e.prefix}this`,
		arguments: `${e.prefix}arguments`,
		"new.target": `${e.prefix}target`
	};
	const names = captured.map(({ code, name }) => {
		return info.isArrow && Object.hasOwn(special, name) ? special[name] : code;
	});
	freeze(info.captures);
	markFree(node, info.isArrow);
	const calls = info.isArrow ? superCalls(node) : [];
	for (const callee of calls) e.substitutions.set(callee, e.use("superAgain"));
	const scratch = new FunctionInfo(node, "block", info.parent, info.strict);
	const text = e.within({
		fn: scratch,
		step: null,
		stepOf: info,
		settles: false,
		thisCode: special["this"],
		argumentsCode: special["arguments"],
		newTargetCode: special["new.target"]
	}, () => functionValue(e, info));
	for (const callee of calls) e.substitutions.delete(callee);
	const directive = info.strict && !e.analysis.root.strict ? "'use strict'; " : "";
	const variables = names.map((code, i) => ({
		code,
		mayStayDead: captured[i]?.mayStayDead === true
	}));
	const body = [
		filler(e, variables),
		"return ",
		text,
		"; "
	];
	return [
		`(${e.prefix}k) => { ${directive}`,
		declared(e, variables, scratch.temporaries, body),
		"}"
	];
}
/**
* The factory's variables. One that is dead for ever stands in a clause of a `switch` that is not entered, so that the function uses a
* variable whose declaration is never reached.
*/
function declared(e, variables, temporaries, body) {
	const locals = [...variables.filter(({ mayStayDead }) => !mayStayDead).map(({ code }) => code), ...temporaries];
	let code = body;
	variables.forEach(({ code: name, mayStayDead }, i) => {
		if (mayStayDead) code = [
			`switch (${e.prefix}k.dead?.[${i}]) { case void 0: let ${name}; default: `,
			...code,
			"} "
		];
	});
	return [locals.length === 0 ? "" : `var ${locals.join(", ")}; `, ...code];
}
/** Captured variables are set after everything has been made: what they hold may lead back to the function. */
function filler(e, variables) {
	if (variables.length === 0) return "";
	const assignments = variables.map(({ code, mayStayDead }, index) => {
		const filling = `${code} = ${e.prefix}c[${index}]; `;
		return mayStayDead ? `if (${e.prefix}k.dead?.[${index}] === void 0) ${filling}` : filling;
	}).join("");
	return `${e.prefix}k.fill = (${e.prefix}c) => { ${assignments}}; `;
}
/** Constants are filled like other variables, so V8 no longer keeps writes from them. */
function freeze(variables) {
	for (const variable of variables) if (variable.kind === "const") variable.converted = true;
}
function functionValue(e, info) {
	const { node } = info;
	if (info.wrapped) {
		dynamicNames.delete(node);
		return functionExpression(e, node, node.type === "FunctionDeclaration" ? nameOf$2(node) : {});
	}
	if (info.kind === "method") {
		const member = node.parent;
		const key = memberKey(e, info, member);
		const kind = member.kind === "get" || member.kind === "set" ? member.kind : "value";
		const head = kind === "value" ? "" : `${kind} `;
		return [
			`${e.use("memberOf")}({ ${head}[${key}]`,
			emitInside(e, info, () => functionText(e, node, info)),
			` }, ${key}, ${JSON.stringify(kind)})`
		];
	}
	if (node.type === "FunctionDeclaration") return functionExpression(e, node, nameOf$2(node));
	const name = isAnonymousFunction(node) ? contextName(node) : null;
	const text = e.emit(node);
	return name === null ? [
		"(",
		text,
		")"
	] : [
		`({ [${JSON.stringify(name)}]: `,
		text,
		` })[${JSON.stringify(name)}]`
	];
}
function nameOf$2(node) {
	return { name: node.id === null || node.id === void 0 ? "default" : node.id.name };
}
/** The key a member is made under: its own, unless that is computed, which is not done again. */
function memberKey(e, info, member) {
	const name = memberName(member);
	return name === null || name === "__proto__" ? `${e.use("memberKey")}(${info.ordinal})` : JSON.stringify(name);
}
/** Likewise for a class, which is told what its computed keys were, as far as the members still stand there. */
function classMemberKey(e, info, member) {
	const key = memberKey(e, info, member);
	return member.computed ? `(${e.prefix}k.keys?.[${info.ordinal}] ?? ${key})` : key;
}
/**
* Marks what stands for something outside the text: `this`, `arguments` and `new.target` of an arrow, `super` and private
* names. Over-marking is harmless, the text stays the same.
*/
function markFree(node, free) {
	for (const child of childrenOf(node)) {
		if (child.type === "PrivateIdentifier" || child.type === "Super") markDirty(child);
		if (free && (child.type === "ThisExpression" || child.type === "MetaProperty")) markDirty(child);
		if (free && child.type === "Identifier" && child.name === "arguments") markDirty(child);
		markFree(child, free && !(isFunction(child) && child.type !== "ArrowFunctionExpression"));
	}
}
/** What is called by the `super()` of the constructor around an arrow function. */
function superCalls(node) {
	return childrenOf(node).flatMap((child) => {
		if (child.type === "CallExpression" && child.callee.type === "Super") return [child.callee, ...superCalls(child)];
		return isFunction(child) && child.type !== "ArrowFunctionExpression" ? [] : superCalls(child);
	});
}
/**
* The class without anything that evaluates: heritage and keys of fields are given, other computed keys are replaced, static
* fields and blocks are left out. A class with private members of its instances can make *blank* ones (`$$P.blank`), by a
* constructor that runs no code of the program.
*/
function classFactory(e, info) {
	const { node } = info;
	const captured = classCaptures(info);
	freeze(captured);
	markFree(node, false);
	const nested = info.handle !== null && info.handle.scope === info.scope;
	const variables = captured.map((variable) => ({
		code: captureCode(e, variable),
		mayStayDead: variable.mayStayDead
	}));
	const stepOf = { node };
	const heritage = `${e.prefix}base`;
	const keys = `${e.prefix}keys`;
	const made = `${e.prefix}class`;
	const scratch = new FunctionInfo(node, "block", info.scope.fn, true);
	const text = e.within({
		fn: scratch,
		step: null,
		stepOf,
		settles: false
	}, () => classText(e, info, heritage, keys));
	const name = isAnonymousFunction(node) ? contextName(node) : null;
	const value = name === null ? text : [
		`({ [${JSON.stringify(name)}]: `,
		text,
		` })[${JSON.stringify(name)}]`
	];
	const own = [...nested ? [e.handleCode(info.handle)] : [], ...scratch.temporaries];
	const body = [
		filler(e, variables),
		`const ${made} = `,
		value,
		`; ${e.prefix}k.members = ${e.use("membersOf")}(${made}, [`,
		memberList(e, info),
		`]); return ${made}; `
	];
	return [
		`(${e.prefix}k, ${heritage}, ${keys}) => { `,
		declared(e, variables, own, body),
		"}"
	];
}
function classText(e, info, heritage, keys) {
	const { node } = info;
	const members = [];
	const fixes = [];
	const guarded = privateMembers(info).brand !== null;
	let fields = 0;
	for (const member of statements(node.body)) {
		if (member.type === "StaticBlock") continue;
		if (member.type === "PropertyDefinition") {
			if (!member.static) {
				const key = member.computed ? `${keys}[${fields++}]` : null;
				members.push(instanceField(e, member, key, guarded), "; ");
			} else if (member.key.type === "PrivateIdentifier") members.push(`static #${member.key.name}; `);
			continue;
		}
		if (member.computed) e.substitutions.set(member.key, classMemberKey(e, member.value.fn, member));
		if (member.kind === "constructor" && guarded) {
			const call = node.superClass === null ? "" : "super(); ";
			e.guards.set(member.value.fn, `if (${e.use("P")}.blank) { ${call}return; } `);
		}
		members.push(emitMember(e, member, fixes), " ");
		e.guards.delete(member.value.fn);
		e.substitutions.delete(member.key);
	}
	return [
		`class${node.id === null ? "" : ` ${node.id.name}`}${node.superClass === null ? "" : ` extends ${heritage}`} { `,
		registration(e, info, fixes, keys),
		members,
		"}"
	];
}
/** A blank instance has its fields, but their initialisers have run in another life. */
function instanceField(e, member, key, guarded) {
	if (key !== null) e.substitutions.set(member.key, key);
	if (guarded && member.value !== null) {
		const own = memberName(member);
		const name = own === null ? key : JSON.stringify(own);
		e.fieldGuards.set(member, { name: isAnonymousFunction(member.value) ? name : null });
	}
	const code = emitMember(e, member, []);
	e.fieldGuards.delete(member);
	e.substitutions.delete(member.key);
	return code;
}
/** `[ordinal, static, key, kind]` of every function a class is made with. */
function memberList(e, info) {
	const parts = [];
	for (const member of statements(info.node.body)) {
		if (member.type !== "MethodDefinition" || member.kind === "constructor") continue;
		const fn = member.value.fn;
		const isPrivate = member.key.type === "PrivateIdentifier";
		if (isPrivate && member.kind !== "method") continue;
		const kind = isPrivate ? "private" : member.kind === "method" ? "value" : member.kind;
		const key = isPrivate ? JSON.stringify(member.key.name) : classMemberKey(e, fn, member);
		parts.push(`[${fn.ordinal}, ${member.static === true}, ${key}, ${JSON.stringify(kind)}], `);
	}
	return parts;
}
// packages/transform/src/module-emitter.ts
const DEFAULT = "*default*";
/** What a module imports and exports; decides which top-level variables live in cells. */
var ModuleExports = class {
	requests = [];
	imports = [];
	exports = [];
	cells = [];
	e;
	scope;
	constructor(e, program) {
		this.e = e;
		this.scope = e.analysis.rootScope;
		for (const node of statements(program)) this.collect(node);
		for (const entry of this.exports) if (entry.cell !== void 0) this.bind(entry.cell);
	}
	request(node) {
		const attributes = {};
		for (const each of node.attributes ?? []) {
			const key = each.key.type === "Identifier" ? each.key.name : String(literalValue(each.key));
			attributes[key] = String(literalValue(each.value));
		}
		const source = node.source;
		const specifier = String(literalValue(source));
		const known = this.requests.findIndex((each) => each.specifier === specifier && JSON.stringify(each.attributes) === JSON.stringify(attributes));
		if (known !== -1) return known;
		return this.requests.push({
			specifier,
			attributes,
			start: source.start
		}) - 1;
	}
	collect(node) {
		switch (node.type) {
			case "ImportDeclaration": {
				const request = this.request(node);
				for (const specifier of node.specifiers) {
					const local = specifier.local.name;
					const name = specifier.type === "ImportNamespaceSpecifier" ? "*" : specifier.type === "ImportDefaultSpecifier" ? "default" : nameOf$1(specifier.imported);
					const variable = this.scope.variables.get(local);
					variable.storage = "binding";
					variable.bindingCode = `${this.e.prefix}i${this.imports.length}`;
					this.imports.push({
						request,
						name,
						local
					});
				}
				return;
			}
			case "ExportAllDeclaration": {
				const request = this.request(node);
				if (node.exported === null) this.exports.push({
					exported: null,
					request
				});
				else this.exports.push({
					exported: nameOf$1(node.exported),
					request,
					name: "*"
				});
				return;
			}
			case "ExportDefaultDeclaration": {
				const declaration = node.declaration;
				const isNamed = /^(Function|Class)Declaration$/.test(declaration.type) && declaration.id !== null;
				this.local("default", isNamed ? declaration.id.name : DEFAULT);
				return;
			}
			case "ExportNamedDeclaration": if (node.source !== null) {
				const request = this.request(node);
				for (const specifier of node.specifiers) this.exports.push({
					exported: nameOf$1(specifier.exported),
					request,
					name: nameOf$1(specifier.local)
				});
			} else if (node.declaration === null) for (const specifier of node.specifiers) this.local(nameOf$1(specifier.exported), specifier.local.name);
			else for (const name of declaredNames(node.declaration)) this.local(name, name);
		}
	}
	local(exported, cell) {
		this.exports.push({
			exported,
			cell
		});
	}
	/** Turns exports of imports into re-exports, which may stand in either order in the text. */
	finish() {
		for (const [index, entry] of this.exports.entries()) {
			const imported = this.imports.find((each) => each.local === entry.cell);
			if (imported === void 0) continue;
			this.exports[index] = {
				exported: entry.exported,
				request: imported.request,
				name: imported.name
			};
		}
		for (const entry of this.exports) if (entry.cell !== void 0 && !this.cells.includes(entry.cell)) this.cells.push(entry.cell);
	}
	bind(name) {
		const variable = this.scope.variables.get(name);
		if (variable === void 0 || variable.kind === "import") return;
		if (variable.storage === "local" && variable.writes === 0 && variable.kind !== "var" && variable.declarations === 1) return;
		variable.storage = "binding";
		variable.bindingCode = this.cellCode(name);
	}
	cellCode(name) {
		return `${this.e.prefix}x${name === DEFAULT ? "" : `_${name}`}`;
	}
	/** With `restored`, cells have the values they had. */
	prelude(restored = false) {
		const { prefix } = this.e;
		const parts = this.imports.map((_, index) => `const ${prefix}i${index} = ${prefix}M.import(${index}); `);
		for (const name of this.cells) {
			parts.push(`const ${this.cellCode(name)} = ${prefix}M.cell(${JSON.stringify(name)}); `);
			const variable = this.scope.variables.get(name);
			if (!restored && variable?.storage === "binding" && variable.kind === "var") parts.push(`${this.e.use("init")}(${this.cellCode(name)}, void 0); `);
		}
		return parts;
	}
	/** Cells of variables that a statement has just initialised. */
	initialisations(names) {
		const parts = [];
		for (const name of names) {
			if (!this.cells.includes(name) || this.scope.variables.get(name)?.storage !== "local") continue;
			parts.push(`${this.e.use("init")}(${this.cellCode(name)}, ${name}); `);
		}
		return parts;
	}
	/** A module's own statement, outside suspended code. */
	emitStatement(node) {
		const { e } = this;
		switch (node.type) {
			case "ImportDeclaration":
			case "ExportAllDeclaration": return "";
			case "ExportNamedDeclaration": {
				const { declaration } = node;
				if (declaration === null) return "";
				if (declaration.type === "FunctionDeclaration") return isNativeDeclaration(declaration) ? e.emit(declaration) : "";
				return [this.declared(declaration), this.initialisations(declaredNames(declaration))];
			}
			case "ExportDefaultDeclaration": {
				const declaration = node.declaration;
				if (declaration.type === "FunctionDeclaration") return declaration.id !== null && isNativeDeclaration(declaration) ? e.emit(declaration) : "";
				if (declaration.type === "ClassDeclaration" && declaration.id !== null) return [this.declared(declaration), this.initialisations([declaration.id.name])];
				return [
					`${e.use("init")}(${this.cellCode(DEFAULT)}, `,
					e.named("default", declaration),
					"); "
				];
			}
			default: {
				const declared = declaredFunction(node);
				if (declared !== null && !isNativeDeclaration(declared)) return "";
				return [this.declared(node), this.initialisations(declaredNames(node))];
			}
		}
	}
	declared(node) {
		if (node.type === "ClassDeclaration") {
			if ((node.id.ref?.variable)?.storage === "binding") return [emitInitialisation(this.e, node.id, classExpression(this.e, node)), "; "];
		}
		return [this.e.emit(node), "\n"];
	}
	/** The same in a module with top-level await. */
	statement(step, node) {
		const { e } = this;
		if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration") return;
		const { declaration } = node;
		if (declaration === null || declaration.type === "FunctionDeclaration") return;
		if (node.type === "ExportNamedDeclaration" || declaration.type === "ClassDeclaration" && declaration.id !== null) {
			step.statement(declaration);
			return;
		}
		if (declaration.type === "ClassDeclaration") prepareClass(step, declaration);
		const code = declaration.suspends === true && declaration.type !== "ClassDeclaration" ? value(step, declaration) : e.named("default", declaration);
		step.push(`${e.use("init")}(${this.cellCode(DEFAULT)}, `, code, "); ");
	}
	/** Exported function declarations exist before any module is evaluated. */
	functions(list) {
		const { e } = this;
		const parts = [];
		for (const node of list) if (node.type === "ExportDefaultDeclaration" && node.declaration?.type === "FunctionDeclaration" && node.declaration.id === null) {
			const code = functionExpression(e, node.declaration, { name: "default" });
			parts.push(`${e.use("init")}(${this.cellCode(DEFAULT)}, `, code, "); ");
		}
		const names = new Set(hoistedFunctions(list).map((node) => node.id.name));
		for (const name of names) parts.push(this.initialisations([name]));
		return parts;
	}
};
function nameOf$1(node) {
	return node.type === "Identifier" ? node.name : String(literalValue(node));
}
function declaredNames(node) {
	if (node.type === "VariableDeclaration") return node.declarations.flatMap((each) => boundIdentifiers(each.id)).map((id) => id.name);
	if (/^(Function|Class)Declaration$/.test(node.type) && node.id !== null) return [node.id.name];
	return [];
}
/** With a selection, the file in the form that restores (restore-emitter.ts). */
function emitFile(e, program, kind, selection) {
	const top = [...e.analysis.rootScope.variables.values()];
	const wanted = new Set(kind === "script" ? [] : selection?.dead);
	const dead = new Set(top.flatMap(({ name, isLexical }) => isLexical && wanted.has(name) ? [name] : []));
	if (selection !== void 0) freeze(top.filter(({ name }) => !dead.has(name)));
	const file = kind === "module" ? emitModule(e, program) : emitScript(e, program, kind);
	if (selection === void 0) return file;
	return {
		code: restoration(e, file.module, {
			...selection,
			dead
		}),
		module: file.module
	};
}
function restoration(e, { kind, variables }, selection) {
	const { dead } = selection;
	const { prefix } = e;
	const factories = emitFactories(e, selection);
	const given = kind === "commonjs" ? `, ${COMMONJS_PARAMETERS.join(", ")}` : "";
	const strict = kind === "module" || e.analysis.root.strict ? "'use strict'; " : "";
	const isGiven = (name) => kind === "commonjs" && COMMONJS_NAMES.has(name);
	const declared = variables.filter((name) => !e.rootVariables.includes(name) && !isGiven(name) && !dead.has(name));
	const shared = kind === "script" ? declared : [];
	const locals = [...kind === "script" ? [] : declared, ...e.analysis.root.temporaries];
	return [
		shared.length === 0 ? "" : `let ${shared.join(", ")}; `,
		`(function (${prefix}M, ${prefix}R${given}) { ${strict}`,
		prelude(e, variables, { dead }),
		e.exports === null ? "" : e.exports.prelude(true),
		locals.length === 0 ? "" : `var ${[...new Set(locals)].join(", ")}; `,
		kind === "commonjs" ? `${prefix}M.given((${prefix}c) => { ${assignments(e, COMMONJS_PARAMETERS)}}); ` : "",
		"\n",
		e.hoisted,
		e.body,
		"return ",
		factories,
		dead.size === 0 ? "; })" : `; let ${[...dead].join(", ")}; })`
	];
}
const COMMONJS_PARAMETERS = [
	"exports",
	"require",
	"module",
	"__filename",
	"__dirname"
];
const COMMONJS_NAMES = new Set(COMMONJS_PARAMETERS);
function prelude(e, variables, form = "module") {
	const names = [...e.helpers].map((name) => name === "A" ? `ambient: ${e.prefix}A` : `${realmName(name)}: ${e.prefix}${name}`);
	const parts = [];
	if (form === "script") parts.push(`const { M: ${e.prefix}M, R: ${e.prefix}R } = globalThis[Symbol.for('turntable.script')]; `);
	parts.push(`${e.prefix}R.defineFile(${e.prefix}M, ${JSON.stringify(e.id)}); `);
	if (names.length > 0) parts.push(`const { ${names.join(", ")} } = ${e.prefix}R; `);
	if (e.rootVariables.length > 0) parts.push(`let ${e.rootVariables.join(", ")}; `);
	if (variables.length > 0) {
		const read = variables.map((name, index) => `case ${index}: return ${name}; `).join("");
		const writer = typeof form === "string" ? "" : `, (${e.prefix}c) => { ${assignments(e, variables, form.dead)}}`;
		parts.push(`${e.prefix}M.scope((${e.prefix}i) => { switch (${e.prefix}i) { ${read}} }${writer}); `);
	}
	return parts;
}
function assignments(e, names, except = /* @__PURE__ */ new Set()) {
	return names.map((name, index) => except.has(name) ? "" : `${name} = ${e.prefix}c[${index}]; `).join("");
}
function realmName(name) {
	return name === "P" ? "probe" : name;
}
/** What a script does not share with the global object. */
const LEXICAL = /* @__PURE__ */ new Set([
	"let",
	"const",
	"class"
]);
/** The file's own top scope as it is captured: the program's variables, handles, and what the transform keeps there. */
function rootVariableNames(e, kinds) {
	const found = [];
	for (const variable of e.analysis.rootScope.variables.values()) {
		if (kinds !== void 0 && !kinds.has(variable.kind)) continue;
		if (variable.kind === "import" || variable.kind === "handle" || variable.storage === "binding") continue;
		found.push(variable.name);
	}
	for (const { name, variable, writes } of e.analysis.references) if (variable === null && writes && COMMONJS_NAMES.has(name) && !found.includes(name)) found.push(name);
	for (const name of e.rootVariables) if (!name.startsWith(`${e.prefix}T`)) found.push(name);
	return found;
}
function declareHandles(e) {
	for (const variable of e.analysis.rootScope.variables.values()) if (variable.kind === "handle") e.rootVariables.push(e.handleCode(variable));
}
function emitModule(e, program) {
	const { prefix, analysis } = e;
	const exports = new ModuleExports(e, program);
	exports.finish();
	e.exports = exports;
	e.markStorage();
	declareHandles(e);
	const list = statements(program);
	const head = `(function${analysis.root.topLevelAwait ? "" : "*"} (${prefix}M, ${prefix}R) { 'use strict'; `;
	let code;
	if (analysis.root.topLevelAwait) code = topLevelAwaitBody(e, exports, list);
	else {
		const hoists = emitHoists(e, analysis.rootScope, list, "let");
		const body = [];
		let at = 0;
		for (const node of list) {
			if (node.start > at) body.push(new Span(at, node.start));
			body.push(exports.emitStatement(node), e.lacksSemicolon(node) ? ";" : "");
			at = node.end;
		}
		body.push(new Span(at, e.source.length));
		code = [
			hoists,
			exports.functions(list),
			"yield;\n",
			body
		];
	}
	const names = rootVariableNames(e);
	return {
		code: insertPrelude(e, [
			head,
			rootTemporaries(e),
			exports.prelude(),
			code,
			"\n",
			e.hoisted,
			"})"
		], 1, names),
		module: {
			kind: "module",
			async: analysis.root.topLevelAwait,
			requests: exports.requests,
			imports: exports.imports,
			exports: exports.exports,
			cells: exports.cells,
			variables: names
		}
	};
}
function rootTemporaries(e) {
	const { temporaries } = e.analysis.root;
	return temporaries.length === 0 ? "" : `var ${temporaries.join(", ")}; `;
}
/** The realm's names stand first, but which they are is known only after everything else has been emitted. */
function insertPrelude(e, code, at, names, form = "module") {
	return [
		...code.slice(0, at),
		prelude(e, names, form),
		...code.slice(at)
	];
}
function topLevelAwaitBody(e, exports, list) {
	const { analysis, prefix } = e;
	const step = new StepEmitter(e, analysis.root);
	const declared = [];
	for (const variable of analysis.rootScope.variables.values()) {
		if (variable.kind === "import" || variable.kind === "handle" || variable.storage === "binding") continue;
		if (variable.storage === "cell") {
			declared.push(`${variable.name} = ${newCell(e, variable.name)}`);
			continue;
		}
		if (!(variable.kind === "function" && hoistedFunctions(list).some((node) => node.id?.name === variable.name && isNativeDeclaration(node)))) declared.push(variable.name);
		if (variable.kind === "const") variable.converted = true;
	}
	const natives = [];
	const others = [];
	for (const node of hoistedFunctions(list)) if (isNativeDeclaration(node)) natives.push(e.emit(node), "\n");
	else {
		const id = node.id;
		others.push(emitInitialisation(e, id, functionExpression(e, node, { name: id.name })), "; ");
	}
	const functions = exports.functions(list);
	const body = e.within({
		step,
		stepOf: null,
		thisCode: "void 0",
		fn: analysis.root
	}, () => listBlock(step, list, null, null));
	const name = `${prefix}body`;
	const { temporaries } = analysis.root;
	const locals = temporaries.length === 0 ? "" : `var ${temporaries.join(", ")}; `;
	temporaries.length = 0;
	e.steps.set(analysis.root, step.entry(name));
	const more = step.slotNames.length > 8 ? `, ${step.slotNames.length - 8}` : "";
	e.body = [
		`\nfunction ${name}(${step.frame}, ${step.sent}, ${step.how}) { ${stepMarker(e, analysis.root)}let ${step.pc} = ${step.frame}.pc; ${step.frame}.pc = 0; ${locals}`,
		body,
		"}\n"
	];
	return [
		declared.length === 0 ? "" : `let ${declared.join(", ")}; `,
		natives,
		others,
		functions,
		e.body,
		`return new ${e.use("Frame")}(${name}${more});`
	];
}
function emitScript(e, program, kind) {
	const { prefix, analysis } = e;
	e.markStorage();
	declareHandles(e);
	const list = statements(program);
	const usesArguments = kind === "commonjs" && analysis.root.usesArguments;
	const names = () => kind === "commonjs" ? [...rootVariableNames(e), ...usesArguments ? [`${prefix}arguments`] : []] : kind === "script" ? rootVariableNames(e, LEXICAL) : [];
	if (usesArguments) e.around.argumentsCode = `${prefix}arguments`;
	const directives = list.filter((each) => typeof each.directive === "string");
	const start = directives.at(-1)?.end ?? 0;
	const rest = list.slice(directives.length);
	let code;
	if (kind === "function") {
		const expression = rest[0].expression;
		const text = e.emit(expression);
		code = insertPrelude(e, [
			`(function (${prefix}M, ${prefix}R) { `,
			rootTemporaries(e),
			e.hoisted,
			"return ",
			text,
			";\n})"
		], 1, []);
	} else {
		const hoists = emitHoists(e, analysis.rootScope, rest, "var");
		const body = e.emitStatements(rest, start, e.source.length);
		const head = directives.length === 0 ? "" : [new Span(directives[0].start, start), "; "];
		if (kind === "commonjs") code = insertPrelude(e, [
			`(function (${prefix}M, ${prefix}R, exports, require, module, __filename, __dirname) { `,
			head,
			usesArguments ? `const ${prefix}arguments = (function () { return arguments; })(exports, require, module, __filename, __dirname); ` : "",
			rootTemporaries(e),
			hoists,
			"\n",
			body,
			"\n",
			e.hoisted,
			"})"
		], 2, names());
		else {
			const steps = e.hoisted.map((each) => [
				"const ",
				stepNameOf(e, each),
				" = ",
				each,
				"; "
			]);
			code = insertPrelude(e, [
				head,
				rootTemporaries(e),
				steps,
				hoists,
				"\n",
				body
			], 1, names(), "script");
		}
	}
	return {
		code,
		module: {
			kind,
			async: false,
			requests: [],
			imports: [],
			exports: [],
			cells: [],
			variables: names()
		}
	};
}
function stepNameOf(e, code) {
	return /function ([^(]+)\(/.exec(e.sourceText(code))[1];
}
// packages/transform/src/redeclaration.ts
/** Whether what the parser calls a second declaration is a lexical one around a block with a function of its name. */
function isAllowedRedeclaration(program, first, second) {
	const around = pathTo(program, first);
	const declaration = around.findLast((node) => node.type !== "Identifier");
	if (declaration?.type !== "FunctionDeclaration" || declaration.id?.start !== first) return false;
	const block = listAround(around.slice(0, around.indexOf(declaration)));
	return block !== null && !isBody(block) && block !== listAround(pathTo(program, second));
}
/** The nodes that hold a place, outermost first. */
function pathTo(program, position) {
	const path = [program];
	for (;;) {
		const next = childrenOf(path.at(-1)).find((child) => child.start <= position && position < child.end);
		if (next === void 0) return path;
		next.parent = path.at(-1);
		path.push(next);
	}
}
/** What the declarations of a list belong to; the branch of an `if` is a list of its own. */
function listAround(path) {
	return path.findLast((node) => /^(Program|BlockStatement|SwitchStatement|StaticBlock|IfStatement)$/.test(node.type)) ?? null;
}
function isBody(list) {
	return list.type === "Program" || list.type === "StaticBlock" || list.parent !== null && isFunction(list.parent);
}
// packages/transform/src/accessors.ts
function lowerAccessors(scopes, edits, source) {
	for (const record of scopes.accessors) lowerAccessor(record, scopes, edits, source);
}
function lowerAccessor({ member, owner }, scopes, edits, source) {
	const { key, value, computed } = member;
	const storage = scopes.storageOf(member);
	const holder = member.static ? owner.id?.name ?? "this" : "this";
	const isStatic = member.static ? "static " : "";
	const kept = scopes.keyOf(member);
	const decoratorsEnd = (member.decorators ?? []).at(-1)?.end ?? member.start;
	edits.replace(decoratorsEnd, member.end, () => {
		const text = source.slice(key.start, key.end);
		const first = computed ? [
			"[",
			kept === null ? "" : `${kept} = `,
			edits.render(key.start, key.end),
			"]"
		] : text;
		const again = computed ? `[${kept ?? text}]` : text;
		const descriptor = scopes.accessorDescriptors.get(member);
		const read = descriptor === void 0 ? `${holder}.#${storage}` : `${descriptor}.get.call(this)`;
		const write = descriptor === void 0 ? `${holder}.#${storage} = value` : `${descriptor}.set.call(this, value)`;
		const begin = scopes.accessorValues.get(member) ?? (value === null ? null : () => edits.render(value.start, value.end));
		return [
			` ${isStatic}get `,
			first,
			`() { return ${read}; } ${isStatic}set ${again}(value) { ${write}; } ${isStatic}#${storage}`,
			begin === null ? "" : [" = ", begin()],
			";"
		];
	});
}
// packages/transform/src/typescript-tree.ts
/** The nodes of a body that is a list. */
function listOf(node) {
	return node.body;
}
const NO_VALUES = /* @__PURE__ */ new Set([
	"typeAnnotation",
	"typeParameters",
	"typeArguments",
	"returnType",
	"superTypeArguments",
	"implements"
]);
const valueKeys = /* @__PURE__ */ new Map();
/** Child nodes that exist at run time. */
function valuesIn(node) {
	let keys = valueKeys.get(node.type);
	if (keys === void 0) {
		keys = (visitorKeys[node.type] ?? []).filter((key) => !NO_VALUES.has(key));
		valueKeys.set(node.type, keys);
	}
	const fields = node;
	const found = [];
	for (const key of keys) {
		const child = fields[key];
		if (child === null || child === void 0) continue;
		if ("type" in child) found.push(child);
		else for (const each of child) if (each !== null) found.push(each);
	}
	return found;
}
/** Binding identifiers of a pattern or parameter. */
function namesIn(pattern) {
	switch (pattern.type) {
		case "Identifier": return [pattern];
		case "ObjectPattern": return pattern.properties.flatMap((each) => namesIn(each.type === "RestElement" ? each.argument : each.value));
		case "ArrayPattern": return pattern.elements.flatMap((each) => each === null ? [] : namesIn(each));
		case "AssignmentPattern": return namesIn(pattern.left);
		case "RestElement": return namesIn(pattern.argument);
		case "TSParameterProperty": return namesIn(pattern.parameter);
		default: return [];
	}
}
/** The declaration that a statement exports, or the statement. */
function declarationOf(statement) {
	return (statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration" ? statement.declaration : null) ?? statement;
}
/** Nothing of it is left at run time. */
function isTypeOnly(declaration) {
	switch (declaration.type) {
		case "TSInterfaceDeclaration":
		case "TSTypeAliasDeclaration":
		case "TSDeclareFunction": return true;
		case "TSModuleDeclaration": return declaration.declare === true || declaration.body === null || !isInstantiated(declaration);
		case "TSImportEqualsDeclaration": return declaration.importKind === "type";
		default: return declaration.declare === true;
	}
}
/** A namespace of types alone has no object. */
function isInstantiated(namespace) {
	return listOf(namespace.body).some((statement) => {
		const declaration = declarationOf(statement);
		switch (declaration.type) {
			case "TSInterfaceDeclaration":
			case "TSTypeAliasDeclaration": return false;
			case "TSImportEqualsDeclaration": return statement.type === "ExportNamedDeclaration" && declaration.importKind !== "type";
			case "TSModuleDeclaration": return declaration.body !== null && isInstantiated(declaration);
			default: return true;
		}
	});
}
// packages/transform/src/typescript-scopes.ts
/** What all blocks of one namespace, or of a namespace and an enum, have in common. */
var Container = class {
	values = /* @__PURE__ */ new Set();
	types = /* @__PURE__ */ new Map();
	containers = /* @__PURE__ */ new Map();
	/** An object of that name is already there when a block begins. */
	exists = false;
};
var TsScope = class {
	parent;
	isFunction;
	block;
	values = /* @__PURE__ */ new Map();
	types = /* @__PURE__ */ new Map();
	containers;
	constructor(parent, isFunction = false, block = null) {
		this.parent = parent;
		this.isFunction = isFunction || block !== null;
		this.block = block;
		this.containers = /* @__PURE__ */ new Map();
	}
	container(name) {
		let found = this.containers.get(name);
		if (found === void 0) this.containers.set(name, found = new Container());
		return found;
	}
	resolve(name) {
		for (let scope = this; scope !== null; scope = scope.parent) {
			const found = scope.values.get(name);
			if (found !== void 0) return found;
			const { block } = scope;
			if (block?.container.values.has(name) === true) return {
				node: block.name,
				block,
				uses: 0
			};
		}
	}
	/** The node that declares a type, or a container to look further in. */
	resolveType(name) {
		for (let scope = this; scope !== null; scope = scope.parent) {
			const found = scope.types.get(name) ?? scope.block?.container.types.get(name);
			if (found !== void 0) return found;
		}
	}
	resolveContainer(name) {
		for (let scope = this; scope !== null; scope = scope.parent) {
			const found = scope.containers.get(name) ?? scope.block?.container.containers.get(name);
			if (found !== void 0) return found;
		}
	}
};
var TypeScriptScopes = class {
	root = new TsScope(null, true);
	references = [];
	namespaces = [];
	classes = [];
	accessors = [];
	/** `import x = require('y')`. */
	requires = [];
	/** What a decorated accessor begins with, in the place of its initialiser. */
	accessorValues = /* @__PURE__ */ new Map();
	/** Where decorators have left the functions of a private accessor. */
	accessorDescriptors = /* @__PURE__ */ new Map();
	/** Of anonymous class expressions, from what they are assigned to. */
	inferredNames = /* @__PURE__ */ new Map();
	#storages = /* @__PURE__ */ new Map();
	#keys = /* @__PURE__ */ new Map();
	/** Import declarations by the local names they make. */
	imports = /* @__PURE__ */ new Map();
	#taken = /* @__PURE__ */ new Set();
	#blocks = [];
	#open = [];
	constructor(program) {
		this.#statements(listOf(program), this.root, null);
		for (const { node, scope } of this.references) {
			const found = scope.resolve(node.name);
			if (found !== void 0) found.uses++;
		}
		for (const { block, declared } of this.#blocks) if (declared.has(block.name.name)) block.parameter = this.fresh(`${block.name.name}_1`);
	}
	/** A name that the file does not have. */
	fresh(wanted) {
		let name = wanted;
		for (let i = 2; this.#taken.has(name); i++) name = `${wanted.replace(/_\d+$/, "")}_${i}`;
		this.#taken.add(name);
		return name;
	}
	/** The private field behind an accessor. */
	storageOf(member) {
		let name = this.#storages.get(member);
		if (name === void 0) {
			const { key } = member;
			const isNamed = key.type === "PrivateIdentifier" || key.type === "Identifier" && !member.computed;
			this.#storages.set(member, name = this.fresh(`${isNamed ? key.name : ""}_accessor_storage`));
		}
		return name;
	}
	/** Variables of `keyOf`. */
	get keys() {
		return this.#keys.values();
	}
	/** The variable that keeps a computed key, if the key has to be evaluated only once. */
	keyOf(member) {
		if (!member.computed || member.key.type === "Literal") return null;
		let name = this.#keys.get(member);
		if (name === void 0) this.#keys.set(member, name = this.fresh("key_1"));
		return name;
	}
	#declare(scope, name, node, block = null) {
		const before = scope.values.get(name);
		if (before === void 0 || before.block !== null) scope.values.set(name, {
			node,
			block,
			uses: 0
		});
		this.#taken.add(name);
		if (block === null) for (const { declared } of this.#open) declared.add(name);
	}
	#declareVar(scope, name, node) {
		let at = scope;
		while (!at.isFunction && at.parent !== null) at = at.parent;
		this.#declare(at, name, node);
	}
	#statements(list, scope, block) {
		for (const statement of list) {
			const exported = statement.type === "ExportNamedDeclaration" && statement.declaration !== null;
			this.#statement(statement, scope, exported ? block : null);
		}
	}
	/** `from`: the block that exports what the statement declares. */
	#statement(statement, scope, from) {
		const node = declarationOf(statement);
		if (this.#declaredType(node, scope, from)) return;
		switch (node.type) {
			case "VariableDeclaration":
				for (const { id } of node.declarations) for (const { name } of namesIn(id)) {
					from?.container.values.add(name);
					if (from === null && node.kind === "var") this.#declareVar(scope, name, node);
					else this.#declare(scope, name, node, from);
				}
				this.#variables(node, scope);
				return;
			case "FunctionDeclaration":
				if (node.id !== null) {
					from?.container.values.add(node.id.name);
					this.#declare(scope, node.id.name, node);
				}
				this.#function(node, scope);
				return;
			case "ClassDeclaration":
				if (node.id !== null) {
					from?.container.values.add(node.id.name);
					this.#declare(scope, node.id.name, node);
				}
				this.#class(node, scope, statement, from);
				return;
			case "TSEnumDeclaration":
				this.#enum(node, scope, from);
				return;
			case "TSModuleDeclaration":
				this.#namespace(node, scope, statement, from);
				return;
			case "TSImportEqualsDeclaration":
				if (node.id !== null) {
					from?.container.values.add(node.id.name);
					this.#declare(scope, node.id.name, node, from);
				}
				if (node.moduleReference.type === "TSExternalModuleReference") this.requires.push({
					node,
					statement
				});
				this.#visit(node.moduleReference, scope);
				return;
			case "ImportDeclaration":
				this.#import(node, scope);
				return;
			case "ExportNamedDeclaration":
				if (node.source === null) {
					for (const each of node.specifiers) if (each.exportKind !== "type" && node.exportKind !== "type") this.#visit(each.local, scope);
				}
				return;
			case "ExportAllDeclaration": return;
			default: this.#visit(node, scope);
		}
	}
	#declaredType(node, scope, from) {
		if ((node.type === "TSInterfaceDeclaration" || node.type === "TSTypeAliasDeclaration" || node.type === "ClassDeclaration" || node.type === "TSEnumDeclaration") && node.id !== null) {
			const types = from?.container.types ?? scope.types;
			if (!types.has(node.id.name) || node.type === "ClassDeclaration") types.set(node.id.name, node);
			if (node.type === "TSEnumDeclaration" || node.type === "ClassDeclaration") return node.declare === true;
		}
		return isTypeOnly(node);
	}
	#import(node, scope) {
		for (const specifier of node.specifiers) {
			const { name } = specifier.local;
			this.#declare(scope, name, specifier);
			scope.types.set(name, specifier);
			this.imports.set(name, {
				statement: node,
				specifier
			});
		}
	}
	#variables(node, scope) {
		for (const { id, init } of node.declarations) {
			this.#pattern(id, scope);
			if (init !== null) {
				this.#named(id, init);
				this.#visit(init, scope);
			}
		}
	}
	/** What a binding pattern evaluates. */
	#pattern(node, scope) {
		for (const decorator of node.decorators ?? []) this.#visit(decorator.expression, scope);
		switch (node.type) {
			case "Identifier":
				this.#taken.add(node.name);
				return;
			case "ObjectPattern":
				for (const each of node.properties) if (each.type === "RestElement") this.#pattern(each.argument, scope);
				else {
					if (each.computed) this.#visit(each.key, scope);
					this.#pattern(each.value, scope);
				}
				return;
			case "ArrayPattern":
				for (const each of node.elements) if (each !== null) this.#pattern(each, scope);
				return;
			case "AssignmentPattern":
				this.#pattern(node.left, scope);
				this.#named(node.left, node.right);
				this.#visit(node.right, scope);
				return;
			case "RestElement":
				this.#pattern(node.argument, scope);
				return;
			case "TSParameterProperty": this.#pattern(node.parameter, scope);
		}
	}
	#function(node, scope) {
		const inner = new TsScope(scope, true);
		if (node.type === "FunctionExpression" && node.id !== null) this.#declare(inner, node.id.name, node);
		for (const parameter of node.params) {
			for (const { name } of namesIn(parameter)) this.#declare(inner, name, parameter);
			this.#pattern(parameter, inner);
		}
		const { body } = node;
		if (body === null) return;
		if (body.type === "BlockStatement") this.#statements(listOf(body), inner, null);
		else this.#visit(body, inner);
	}
	#class(node, scope, statement, from) {
		for (const decorator of node.decorators ?? []) this.#visit(decorator.expression, scope);
		const inner = new TsScope(scope);
		if (node.type === "ClassExpression" && node.id !== null) this.#declare(inner, node.id.name, node);
		this.#typeParameters(node, inner);
		if (node.superClass !== null) this.#visit(node.superClass, inner);
		for (const member of listOf(node.body)) {
			this.#visit(member, inner);
			if (member.type === "AccessorProperty") this.accessors.push({
				member,
				owner: node,
				statement
			});
		}
		if (isDecorated(node)) this.classes.push({
			node,
			statement,
			scope: inner,
			from
		});
	}
	#typeParameters(node, scope) {
		for (const each of node.typeParameters?.params ?? []) scope.types.set(each.name.name, each);
	}
	#named(target, value) {
		if (value.type === "ParenthesizedExpression") this.#named(target, value.expression);
		else if (value.type === "ClassExpression" && value.id === null) {
			const name = target.type === "Literal" ? String(target.value) : target.name;
			if (name !== void 0) this.inferredNames.set(value, target.type === "PrivateIdentifier" ? `#${name}` : name);
		}
	}
	#enum(node, scope, from) {
		const { name } = node.id;
		from?.container.values.add(name);
		this.#declare(scope, name, node);
		const container = from === null ? scope.container(name) : containerIn(from.container, name);
		container.exists = true;
		const inner = new TsScope(scope);
		for (const { id, initializer } of node.body.members) {
			const member = id.name ?? String(id.value);
			inner.values.set(member, {
				node,
				block: null,
				uses: 0
			});
			if (initializer !== null) this.#visit(initializer, inner);
		}
	}
	#namespace(node, scope, statement, from) {
		const names = partsOf(node.id);
		const [first] = names;
		const merges = scope.values.get(first.name)?.block === null;
		from?.container.values.add(first.name);
		this.#declare(scope, first.name, node);
		const blocks = [];
		let inner = scope;
		let above = from?.container;
		for (const name of names) {
			const container = above === void 0 ? inner.container(name.name) : containerIn(above, name.name);
			if (blocks.length > 0) above?.values.add(name.name);
			const block = {
				name,
				container,
				parameter: name.name
			};
			blocks.push(block);
			for (const { declared } of this.#open) declared.add(name.name);
			const known = {
				block,
				declared: /* @__PURE__ */ new Set()
			};
			this.#blocks.push(known);
			this.#open.push(known);
			inner = new TsScope(inner, true, block);
			above = container;
		}
		const seeded = /* @__PURE__ */ new Set();
		const body = listOf(node.body);
		for (const each of body) {
			const declaration = declarationOf(each);
			if (each !== declaration && declaration.type === "TSEnumDeclaration") {
				if (above?.containers.get(declaration.id?.name ?? "")?.exists === true) seeded.add(declaration);
			}
		}
		this.#statements(body, inner, blocks.at(-1));
		this.#open.length -= names.length;
		this.namespaces.push({
			node,
			statement,
			blocks,
			scope: inner,
			from,
			merges,
			seeded
		});
	}
	#visit(node, scope, shorthand = false) {
		switch (node.type) {
			case "Identifier":
				this.#taken.add(node.name);
				this.references.push({
					node,
					scope,
					shorthand
				});
				return;
			case "JSXIdentifier":
				if (/^[A-Z$_]/.test(node.name)) this.references.push({
					node,
					scope,
					shorthand
				});
				return;
			case "JSXAttribute":
				if (node.value !== null) this.#visit(node.value, scope);
				return;
			case "JSXMemberExpression":
				this.#visit(node.object, scope);
				return;
			case "MemberExpression": {
				const { object, property } = node;
				this.#visit(object, scope);
				if (node.computed) this.#visit(property, scope);
				return;
			}
			case "TSQualifiedName":
				this.#visit(node.left, scope);
				return;
			case "Property":
				if (node.computed) this.#visit(node.key, scope);
				if (!node.computed) this.#named(node.key, node.value);
				this.#visit(node.value, scope, node.shorthand);
				return;
			case "AssignmentPattern":
			case "AssignmentExpression":
				this.#named(node.left, node.right);
				this.#visit(node.left, scope, shorthand);
				this.#visit(node.right, scope);
				return;
			case "MethodDefinition":
			case "PropertyDefinition":
			case "AccessorProperty":
			case "TSAbstractMethodDefinition":
			case "TSAbstractPropertyDefinition":
			case "TSAbstractAccessorProperty":
				if (node.key.type === "PrivateIdentifier") this.#taken.add(node.key.name);
				for (const decorator of node.decorators ?? []) this.#visit(decorator.expression, scope);
				if (node.computed) this.#visit(node.key, scope);
				if (node.value !== null) {
					if (!node.computed) this.#named(node.key, node.value);
					this.#visit(node.value, scope);
				}
				return;
			case "FunctionExpression":
			case "ArrowFunctionExpression":
				this.#function(node, scope);
				return;
			case "ClassExpression":
				this.#class(node, scope, node, null);
				return;
			case "BlockStatement":
				this.#statements(listOf(node), new TsScope(scope), null);
				return;
			case "StaticBlock":
				this.#statements(listOf(node), new TsScope(scope, true), null);
				return;
			case "ForStatement":
			case "ForInStatement":
			case "ForOfStatement":
			case "SwitchStatement": {
				const inner = new TsScope(scope);
				for (const child of valuesIn(node)) this.#statement(child, inner, null);
				return;
			}
			case "SwitchCase":
				for (const child of valuesIn(node)) this.#statement(child, scope, null);
				return;
			case "CatchClause": {
				const inner = new TsScope(scope);
				if (node.param !== null) {
					for (const { name } of namesIn(node.param)) this.#declare(inner, name, node);
					this.#pattern(node.param, inner);
				}
				this.#visit(node.body, inner);
				return;
			}
			case "LabeledStatement":
				this.#statement(node.body, scope, null);
				return;
			case "BreakStatement":
			case "ContinueStatement":
			case "MetaProperty":
			case "TSEmptyBodyFunctionExpression":
			case "TSIndexSignature": return;
			case "VariableDeclaration":
			case "FunctionDeclaration":
			case "ClassDeclaration":
			case "TSEnumDeclaration":
			case "TSModuleDeclaration":
				this.#statement(node, scope, null);
				return;
			default: for (const child of valuesIn(node)) this.#visit(child, scope);
		}
	}
};
function containerIn(outer, name) {
	let found = outer.containers.get(name);
	if (found === void 0) outer.containers.set(name, found = new Container());
	return found;
}
/** The names of `A.B.C`. */
function partsOf(id) {
	return id.type === "TSQualifiedName" ? [...partsOf(id.left), id.right] : [id];
}
function hasDecorators(nodes) {
	return nodes.some((each) => (each.decorators ?? []).length > 0);
}
/** The class itself, a member or a parameter. */
function isDecorated(node) {
	const members = listOf(node.body);
	return hasDecorators([node, ...members]) || members.some((member) => hasDecorators(member.value?.params ?? []));
}
// packages/transform/src/standard-decorators.ts
const HELPERS$1 = "babelHelpers";
function lowerStandardDecorators(scopes, edits, place) {
	for (const record of scopes.classes) new StandardDecorators(scopes, edits, place, record).lower();
}
var StandardDecorators = class {
	#scopes;
	#edits;
	#place;
	#record;
	#state;
	#decorated;
	#isClassDecorated;
	constructor(scopes, edits, place, record) {
		this.#scopes = scopes;
		this.#edits = edits;
		this.#place = place;
		this.#record = record;
		this.#state = scopes.fresh("decorated_1");
		this.#isClassDecorated = hasDecorators([record.node]);
		this.#decorated = listOf(record.node.body).filter((member) => hasDecorators([member]) && !isAbstract(member)).map((member, index) => ({
			member,
			index,
			kind: kindOf(member),
			isPrivate: member.key.type === "PrivateIdentifier"
		}));
	}
	lower() {
		const { node } = this.#record;
		const members = listOf(node.body);
		for (const member of members) {
			if (isAbstract(member)) this.#edits.replace(member.start, member.end);
			const parameter = (member.value?.params ?? []).find((each) => hasDecorators([each]));
			if (parameter !== void 0) {
				const { path, source } = this.#place;
				throw new TransformError("TT_SYNTAX", "Parameter decorators need \"experimentalDecorators\": true in tsconfig.json", {
					path,
					...placeOf(source, (parameter.decorators?.[0] ?? parameter).start)
				});
			}
		}
		const outer = members.flatMap((member) => member.decorators ?? []).flatMap(thisIn);
		for (const { start, end } of outer) this.#edits.replace(start, end, `${this.#state}.outer`);
		if (this.#isClassDecorated) this.#meanDecoratedClass(members);
		this.#frame(this.#evaluate(members), outer.length > 0);
		this.#runInitializers(members, false);
		this.#runInitializers(members, true);
		for (const each of this.#decorated) if (each.isPrivate) this.#private(each);
	}
	/** In static initialisers `this` is what decorators made of the class. */
	#meanDecoratedClass(members) {
		for (const member of members) {
			const isField = member.type === "PropertyDefinition" || member.type === "AccessorProperty";
			const values = member.type === "StaticBlock" ? [member] : isField && member.static && member.value !== null ? [member.value] : [];
			for (const { start, end } of values.flatMap(thisIn)) this.#edits.replace(start, end, `${this.#state}.this`);
		}
	}
	/** Decorators of members are evaluated with the next computed key, what is left when the class is made. */
	#evaluate(members) {
		const edits = this.#edits;
		const state = this.#state;
		let pending = [];
		for (const member of members) {
			const decorated = this.#decorated.find((each) => each.member === member);
			if (decorated !== void 0) {
				pending.push([`${state}.d${decorated.index} = `, this.#list(member)]);
				for (const { start, end } of member.decorators ?? []) edits.replace(start, end);
			}
			if (!member.computed || member.type.startsWith("TS")) continue;
			const flushed = pending;
			pending = [];
			const { start, end } = member.key;
			const isKept = decorated !== void 0 && member.type !== "AccessorProperty";
			const keeps = isKept ? `${state}.k${decorated.index} = ${HELPERS$1}.propertyKey(` : "";
			edits.insert(start, () => [
				"(",
				flushed.flatMap((each) => [each, ", "]),
				keeps
			]);
			edits.insert(end, isKept ? "))" : ")");
		}
		return pending;
	}
	#list({ decorators }) {
		return [
			"[",
			(decorators ?? []).map(({ expression: { start, end } }) => this.#edits.render(start, end)).flatMap((item, i) => i === 0 ? [item] : [", ", item]),
			"]"
		];
	}
	/** The function around the class, and the block in it that applies the decorators. */
	#frame(pending, usesOuterThis) {
		const { node, statement, from } = this.#record;
		const edits = this.#edits;
		const state = this.#state;
		const isStatement = node.type === "ClassDeclaration";
		const isDefault = statement.type === "ExportDefaultDeclaration";
		const name = node.id?.name ?? this.#scopes.fresh(isDefault ? "default_1" : "class_1");
		const decorators = node.decorators ?? [];
		const start = isStatement ? Math.min(statement.start, decorators[0]?.start ?? node.start) : node.start;
		const classAt = classKeyword(this.#place.source, Math.max(isStatement ? statement.start : 0, node.start, decorators.at(-1)?.end ?? 0));
		const lists = this.#decorated.map(({ index }) => `i${index}: [], e${index}: []`);
		edits.replace(start, classAt, () => [
			isStatement ? `let ${name} = ` : "",
			`(() => { const ${state} = { ${usesOuterThis ? "outer: this, " : ""}ii: [], si: [], ci: [], ${lists.join(", ")} }; `,
			this.#isClassDecorated ? [
				`${state}.cd = `,
				this.#list(node),
				`; var ${name} = `
			] : "return ",
			new Span(classAt, classAt)
		]);
		const { id, superClass } = node;
		const body = node.body;
		if (this.#isClassDecorated && id !== null) edits.replace(id.start, id.end);
		if (!this.#isClassDecorated && id === null && isStatement && !isDefault) edits.insert(classAt + 5, ` ${name}`);
		if (superClass !== null) {
			edits.insert(superClass.start, `(${state}.base = `);
			edits.insert(superClass.end, ")");
		}
		const ownName = isDefault && id === null ? "default" : id === null && !isStatement ? this.#scopes.inferredNames.get(node) ?? "" : null;
		edits.insert(body.start + 1, () => [
			" static { ",
			ownName === null ? "" : `Object.defineProperty(this, "name", { value: ${JSON.stringify(ownName)}, configurable: true }); `,
			`${state}.this = this; const metadata = ${HELPERS$1}.decoratorMetadata(${superClass === null ? "undefined" : `${state}.base`}); `,
			pending.flatMap((each) => [each, "; "]),
			this.#applied(),
			this.#isClassDecorated ? `const descriptor = { value: this }; ${HELPERS$1}.esDecorate(null, descriptor, ${state}.cd, { kind: "class", name: this.name, metadata }, null, ${state}.ci); ${name} = ${state}.this = descriptor.value; ` : "",
			`if (metadata) Object.defineProperty(${state}.this, Symbol.metadata, { enumerable: true, configurable: true, writable: true, value: metadata }); } `
		]);
		edits.insert(Math.max(node.end, isStatement ? statement.end : node.end), () => {
			const code = [this.#isClassDecorated ? `; return ${name} = ${state}.this; })()` : "; })()"];
			if (!isStatement) return code;
			code.push(";");
			if (from !== null) code.push(` ${from.parameter}.${name} = ${name};`);
			else if (isDefault) code.push(` export default ${name};`);
			else if (statement !== node) code.push(` export { ${name} };`);
			return code;
		});
	}
	#applied() {
		return [
			...this.#decorated.filter(({ member, kind }) => member.static && kind !== "field"),
			...this.#decorated.filter(({ member, kind }) => !member.static && kind !== "field"),
			...this.#decorated.filter(({ member, kind }) => member.static && kind === "field"),
			...this.#decorated.filter(({ member, kind }) => !member.static && kind === "field")
		].map((each) => {
			const { member, index, kind, isPrivate } = each;
			const state = this.#state;
			const isField = kind === "field";
			const initializers = isField || kind === "accessor" ? `${state}.i${index}` : "null";
			const extra = isField || kind === "accessor" ? `${state}.e${index}` : `${state}.${member.static ? "si" : "ii"}`;
			return [
				new Mark(member.start),
				`${HELPERS$1}.esDecorate(${isField ? "null" : "this"}, `,
				isPrivate && !isField ? [`${state}.v${index} = `, this.#privateDescriptor(each)] : "null",
				`, ${state}.d${index}, { kind: "${kind}", name: `,
				this.#name(each),
				`, static: ${member.static}, private: ${isPrivate}, access: `,
				this.#access(each),
				`, metadata }, ${initializers}, ${extra}); `
			];
		});
	}
	#name({ member, index, isPrivate }) {
		const { key, computed, type } = member;
		if (computed) return type === "AccessorProperty" ? this.#scopes.keyOf(member) ?? span(key) : `${this.#state}.k${index}`;
		if (isPrivate) return JSON.stringify(`#${key.name}`);
		return key.type === "Identifier" ? JSON.stringify(key.name) : [
			"String(",
			span(key),
			")"
		];
	}
	#access(each) {
		const { member, kind, isPrivate } = each;
		const name = isPrivate ? `#${member.key.name}` : this.#name(each);
		const at = isPrivate ? ["o.", name] : [
			"o[",
			name,
			"]"
		];
		return [
			"{ has: (o) => ",
			name,
			" in o",
			kind !== "setter" ? [", get: (o) => ", at] : "",
			kind === "setter" || kind === "field" || kind === "accessor" ? [
				", set: (o, value) => { ",
				at,
				" = value; }"
			] : "",
			" }"
		];
	}
	/** Puts what the decorators of fields and methods added between the fields. */
	#runInitializers(members, isStatic) {
		const state = this.#state;
		const edits = this.#edits;
		const target = isStatic ? `${state}.this` : "this";
		const run = (list) => `${HELPERS$1}.runInitializers(${target}, ${state}.${list})`;
		const own = this.#decorated.filter(({ member }) => member.static === isStatic);
		let pending = own.some(({ kind }) => kind !== "field" && kind !== "accessor") ? [run(isStatic ? "si" : "ii")] : [];
		const carrier = () => {
			if (pending.length === 0) return "";
			const text = pending.join(", ");
			pending = [];
			return isStatic ? ` static { ${text}; } ` : ` #${this.#scopes.fresh("initializers_1")} = (${text}, void 0); `;
		};
		for (const member of members) {
			if (!(member.type === "PropertyDefinition" || member.type === "AccessorProperty") || member.static !== isStatic || member.declare === true) continue;
			const decorated = own.find((each) => each.member === member);
			edits.insert(member.start, carrier());
			if (decorated === void 0) continue;
			const { index } = decorated;
			pending.push(run(`e${index}`));
			const wrapped = () => [
				`${HELPERS$1}.runInitializers(${target}, ${state}.i${index}, `,
				member.value === null ? "void 0" : this.#named(decorated, member.value),
				")"
			];
			if (member.type === "AccessorProperty") this.#scopes.accessorValues.set(member, wrapped);
			else if (member.value === null) {
				const end = member.typeAnnotation?.end ?? this.#endOfKey(member);
				if (member.definite === true) edits.replace(this.#endOfKey(member), end);
				edits.insert(end, () => [" = ", wrapped()]);
			} else {
				const { start, end } = member.value;
				edits.insert(start, `${HELPERS$1}.runInitializers(${target}, ${state}.i${index}, ${this.#nameOpens(decorated, member.value)}`);
				edits.insert(end, `${this.#nameCloses(decorated, member.value)})`);
			}
		}
		if (isStatic && this.#isClassDecorated) pending.push(run("ci"));
		const body = this.#record.node.body;
		edits.insert(body.end - 1, carrier());
	}
	#endOfKey(member) {
		const { source } = this.#place;
		const { end } = member.key;
		return member.computed ? source.indexOf("]", end) + 1 : end;
	}
	/** An anonymous function takes the name of its field. */
	#named(decorated, value) {
		const { start, end } = value;
		return [
			this.#nameOpens(decorated, value),
			this.#edits.render(start, end),
			this.#nameCloses(decorated, value)
		];
	}
	#nameOpens(decorated, value) {
		const name = inferredName(decorated, value);
		return name === null ? "" : `{ ${name}: `;
	}
	#nameCloses(decorated, value) {
		const name = inferredName(decorated, value);
		return name === null ? "" : ` }[${name}]`;
	}
	/** Private methods cannot be replaced: the class has accessors that ask for the decorated function. */
	#private({ member, index, kind }) {
		if (kind === "field") return;
		const { key } = member;
		const descriptor = `${this.#state}.v${index}`;
		if (kind === "accessor") {
			this.#scopes.accessorDescriptors.set(member, descriptor);
			return;
		}
		const words = member.static ? "static " : "";
		const text = kind === "method" ? `get #${key.name}() { return ${descriptor}.value; }` : kind === "getter" ? `get #${key.name}() { return ${descriptor}.get.call(this); }` : `set #${key.name}(value) { ${descriptor}.set.call(this, value); }`;
		const from = (member.decorators ?? []).at(-1)?.end ?? member.start;
		this.#edits.replace(from, member.end, ` ${words}${text}`);
	}
	#privateDescriptor({ member, kind }) {
		const { key } = member;
		const name = JSON.stringify(`#${key.name}`);
		if (kind === "accessor") {
			const storage = this.#scopes.storageOf(member);
			return `{ get() { return this.#${storage}; }, set(value) { this.#${storage} = value; } }`;
		}
		const method = member.value;
		const words = kind === "getter" ? "get " : kind === "setter" ? "set " : method.async ? "async " : "";
		const star = method.generator ? "*" : "";
		const function_ = this.#edits.render(method.start, method.end);
		return [
			`Object.getOwnPropertyDescriptor({ ${words}${star}${name}`,
			function_,
			` }, ${name})`
		];
	}
};
function inferredName({ member }, value) {
	if (!(value.type === "ArrowFunctionExpression" || value.type === "FunctionExpression" || value.type === "ClassExpression") || value.id !== null && value.id !== void 0) return null;
	const { key, computed } = member;
	if (computed) return null;
	if (key.type === "PrivateIdentifier") return JSON.stringify(`#${key.name}`);
	return JSON.stringify(key.type === "Identifier" ? key.name : String(key.value));
}
/** Where the `this` around an expression is meant. */
function thisIn(node) {
	if (node.type === "ThisExpression") return [node];
	if (node.type === "FunctionExpression" || node.type === "FunctionDeclaration" || node.type.startsWith("Class")) return [];
	return valuesIn(node).flatMap(thisIn);
}
function kindOf(member) {
	if (member.type === "AccessorProperty") return "accessor";
	if (member.type !== "MethodDefinition") return "field";
	return member.kind === "get" ? "getter" : member.kind === "set" ? "setter" : "method";
}
function isAbstract({ type }) {
	return type.startsWith("TSAbstract");
}
function span({ start, end }) {
	return new Span(start, end);
}
/** Where `class` stands, after words and comments. */
function classKeyword(source, from) {
	const gap = /(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*|\b(?:export|default|abstract|declare)\b)*/y;
	gap.lastIndex = from;
	gap.exec(source);
	return gap.lastIndex;
}
// packages/transform/src/type-metadata.ts
const OBJECT = "Object";
const VOID = "void 0";
const KEYWORDS = {
	TSVoidKeyword: VOID,
	TSUndefinedKeyword: VOID,
	TSNeverKeyword: VOID,
	TSNullKeyword: VOID,
	TSFunctionType: "Function",
	TSConstructorType: "Function",
	TSArrayType: "Array",
	TSTupleType: "Array",
	TSBooleanKeyword: "Boolean",
	TSStringKeyword: "String",
	TSTemplateLiteralType: "String",
	TSNumberKeyword: "Number",
	TSBigIntKeyword: "BigInt",
	TSSymbolKeyword: "Symbol"
};
var TypeMetadata = class {
	#scopes;
	#strictNullChecks;
	/** Imported names that only metadata reads, by the namespace to read them from. */
	namespaces = /* @__PURE__ */ new Map();
	constructor(scopes, strictNullChecks) {
		this.#scopes = scopes;
		this.#strictNullChecks = strictNullChecks;
	}
	/** Of a method, accessor or field. */
	ofMember(member, members, scope) {
		if (member.type !== "MethodDefinition") return [["design:type", this.#type(annotation(member), scope)]];
		const method = member.value;
		if (member.kind === "method") {
			const returned = annotation({
				...method,
				typeAnnotation: method.returnType
			});
			return [
				["design:type", "Function"],
				["design:paramtypes", this.#parameters(method, scope)],
				["design:returntype", returned === null ? method.async ? "Promise" : VOID : this.#type(returned, scope)]
			];
		}
		const other = members.find((each) => each !== member && each.type === "MethodDefinition" && isPair(each, member));
		const [getter, setter] = member.kind === "get" ? [member, other] : [other, member];
		const [parameter] = parametersOf(setter?.value ?? null);
		const got = getter?.value?.returnType ?? null;
		const set = parameter === void 0 ? null : annotationOfParameter(parameter);
		return [["design:type", this.#type(set ?? got?.typeAnnotation ?? null, scope)], ["design:paramtypes", setter === void 0 ? "[]" : this.#parameters(setter.value, scope)]];
	}
	/** Of a class: the parameters of its constructor. */
	ofClass(node, scope) {
		const constructor = listOf(node.body).find((member) => member.kind === "constructor" && member.value?.body != null);
		if (constructor === void 0) return [];
		return [["design:paramtypes", this.#parameters(constructor.value, scope)]];
	}
	#parameters(method, scope) {
		return `[${parametersOf(method).map((parameter) => {
			const type = annotationOfParameter(parameter);
			return this.#type(parameter.type === "RestElement" ? elementOf(type) : type, scope);
		}).join(", ")}]`;
	}
	#type(type, scope) {
		if (type === null) return OBJECT;
		const keyword = KEYWORDS[type.type];
		if (keyword !== void 0) return keyword;
		switch (type.type) {
			case "TSParenthesizedType": return this.#type(type.typeAnnotation, scope);
			case "TSTypePredicate": return type.asserts ? VOID : "Boolean";
			case "TSTypeOperator": return type.operator === "readonly" ? this.#type(type.typeAnnotation, scope) : OBJECT;
			case "TSLiteralType": return literalType(type.literal);
			case "TSUnionType": return this.#union(type.types, false, scope);
			case "TSIntersectionType": return this.#union(type.types, true, scope);
			case "TSConditionalType": return this.#union([type.trueType, type.falseType], false, scope);
			case "TSTypeReference": return this.#reference(type.typeName, scope);
			default: return OBJECT;
		}
	}
	#union(types, isIntersection, scope) {
		let found;
		for (const each of types) {
			let type = each;
			while (type.type === "TSParenthesizedType") type = type.typeAnnotation;
			if (type.type === "TSNeverKeyword") {
				if (isIntersection) return VOID;
				continue;
			}
			if (type.type === "TSUnknownKeyword") {
				if (!isIntersection) return OBJECT;
				continue;
			}
			if (type.type === "TSAnyKeyword") return OBJECT;
			if ((type.type === "TSNullKeyword" || type.type === "TSUndefinedKeyword") && !this.#strictNullChecks) continue;
			const serialized = this.#type(type, scope);
			if (serialized === OBJECT) return OBJECT;
			if (found !== void 0 && found !== serialized) return OBJECT;
			found = serialized;
		}
		return found ?? VOID;
	}
	#reference(name, scope) {
		if (name.type === "TSQualifiedName") return this.#qualified(name, scope);
		const declared = scope.resolveType(name.name);
		if (declared !== void 0) {
			const { specifier, statement } = this.#scopes.imports.get(name.name) ?? {};
			if (specifier !== declared || statement === void 0) return this.#declared(declared, this.#valueOf(name, scope), scope);
			return this.#imported(name.name, specifier, statement, scope);
		}
		if (name.name === "ReadonlyArray") return "Array";
		return ifFunction(this.#valueOf(name, scope));
	}
	#valueOf(name, scope) {
		const block = scope.resolve(name.name)?.block;
		return block === null || block === void 0 ? name.name : `${block.parameter}.${name.name}`;
	}
	#imported(name, specifier, statement, scope) {
		if (statement.importKind === "type" || specifier.importKind === "type") return OBJECT;
		if (specifier.type === "ImportNamespaceSpecifier" || (scope.resolve(name)?.uses ?? 0) > 0) return ifFunction(name);
		const member = specifier.type === "ImportDefaultSpecifier" ? "default" : nameOf(specifier.imported);
		return ifFunction(`${this.#namespaceOf(statement)}[${JSON.stringify(member)}]`, false);
	}
	#namespaceOf(statement) {
		let name = this.namespaces.get(statement);
		if (name === void 0) this.namespaces.set(statement, name = this.#scopes.fresh("types_1"));
		return name;
	}
	#qualified(name, scope) {
		const parts = [];
		let first = name;
		for (; first.type === "TSQualifiedName"; first = first.left) parts.unshift(first.right.name);
		const { specifier, statement } = this.#scopes.imports.get(first.name) ?? {};
		if (specifier !== void 0 && statement !== void 0) {
			if (statement.importKind === "type" || specifier.importKind === "type") return OBJECT;
			if ((scope.resolve(first.name)?.uses ?? 0) === 0 && specifier.type !== "ImportNamespaceSpecifier") {
				const member = specifier.type === "ImportDefaultSpecifier" ? "default" : nameOf(specifier.imported);
				return ifFunction(`${this.#namespaceOf(statement)}[${JSON.stringify(member)}]?.${parts.join("?.")}`, false);
			}
		}
		const path = [this.#valueOf(first, scope), ...parts];
		let container = scope.resolveContainer(first.name);
		for (const part of parts.slice(0, -1)) container = container?.containers.get(part);
		const declared = container?.types.get(parts.at(-1) ?? "");
		if (declared !== void 0) return this.#declared(declared, path.join("."), scope);
		return ifFunction(path.join("?."), true, path[0]);
	}
	/** A type that the file itself declares. */
	#declared(node, value, scope) {
		switch (node.type) {
			case "ClassDeclaration": return node.declare === true ? ifFunction(value) : value;
			case "TSEnumDeclaration": return enumType(node);
			case "TSTypeAliasDeclaration": return this.#alias(node.typeAnnotation, scope, /* @__PURE__ */ new Set([node]));
			case "TSTypeParameter": return node.constraint === null ? OBJECT : this.#alias(node.constraint, scope, /* @__PURE__ */ new Set([node]));
			default: return OBJECT;
		}
	}
	/** What an alias stands for counts as a type: it has no constructor to name. */
	#alias(type, scope, seen) {
		if (type === null) return OBJECT;
		if (type.type === "TSParenthesizedType") return this.#alias(type.typeAnnotation, scope, seen);
		if (type.type === "TSUnionType") {
			const kinds = new Set(type.types.filter((each) => this.#strictNullChecks || each.type !== "TSNullKeyword" && each.type !== "TSUndefinedKeyword").map((each) => this.#alias(each, scope, seen)));
			const [only] = kinds;
			return kinds.size === 1 && only !== "Function" && only !== "Array" && only !== void 0 ? only : OBJECT;
		}
		if (type.type === "TSTypeReference") {
			const name = type.typeName;
			if (name.type !== "Identifier") return OBJECT;
			const declared = scope.resolveType(name.name);
			if (declared === void 0) return name.name === "Array" || name.name === "ReadonlyArray" ? "Array" : name.name === "Promise" ? "Promise" : OBJECT;
			if (seen.has(declared)) return OBJECT;
			seen.add(declared);
			if (declared.type === "TSEnumDeclaration") return enumType(declared);
			if (declared.type === "TSTypeAliasDeclaration") return this.#alias(declared.typeAnnotation, scope, seen);
			if (declared.type === "TSTypeParameter") return this.#alias(declared.constraint, scope, seen);
			return OBJECT;
		}
		if (type.type === "TSIntersectionType" || type.type === "TSConditionalType") return OBJECT;
		if (type.type === "TSConstructorType") return OBJECT;
		return this.#type(type, scope);
	}
};
function ifFunction(value, guarded = true, first = value) {
	const test = `typeof ${value} === "function" ? ${value} : Object`;
	return guarded && first !== value ? `typeof ${first} !== "undefined" && ${test}` : test;
}
function enumType({ body }) {
	const kinds = new Set(body.members.map(({ initializer }) => initializer !== null && isText(initializer) ? "String" : "Number"));
	const [only] = kinds;
	return kinds.size === 1 && only !== void 0 ? only : kinds.size === 0 ? "Number" : OBJECT;
}
function isText(value) {
	return value.type === "TemplateLiteral" || value.type === "Literal" && typeof value.value === "string";
}
function literalType(literal) {
	if (literal.type === "TemplateLiteral") return "String";
	const value = literal.type === "UnaryExpression" ? literal.argument.value : literal.value;
	if ("bigint" in literal || literal.type === "UnaryExpression" && "bigint" in literal.argument) return "BigInt";
	switch (typeof value) {
		case "string": return "String";
		case "number": return "Number";
		case "boolean": return "Boolean";
		default: return VOID;
	}
}
function annotation(node) {
	return node.typeAnnotation?.typeAnnotation ?? null;
}
function nameOf(imported) {
	return imported.name ?? String(imported.value);
}
/** Without `this`. */
function parametersOf(method) {
	return (method?.params ?? []).filter((each, i) => i > 0 || each.type !== "Identifier" || each.name !== "this");
}
function annotationOfParameter(parameter) {
	switch (parameter.type) {
		case "TSParameterProperty": return annotationOfParameter(parameter.parameter);
		case "AssignmentPattern": return annotation(parameter) ?? annotation(parameter.left);
		default: return annotation(parameter);
	}
}
/** Of a rest parameter's type. */
function elementOf(type) {
	if (type?.type === "TSArrayType") return type.elementType;
	const given = type?.type === "TSTypeReference" ? type.typeArguments?.params ?? [] : [];
	return given.length === 1 ? given[0] ?? null : null;
}
function isPair(a, b) {
	return (a.kind === "get" && b.kind === "set" || a.kind === "set" && b.kind === "get") && a.static === b.static && keyText(a) !== null && keyText(a) === keyText(b);
}
/** The property name if it can be read from the text. */
function keyText({ key, computed }) {
	if (key.type === "Literal") return String(key.value);
	if (!computed && (key.type === "Identifier" || key.type === "PrivateIdentifier")) return key.name;
	return null;
}
// packages/transform/src/legacy-decorators.ts
/** Called as lowered code calls it. */
const HELPERS = "babelHelpers";
function lowerLegacyDecorators(scopes, edits, options) {
	const metadata = new TypeMetadata(scopes, options.strictNullChecks);
	const emitter = new DecoratorEmitter(scopes, edits, options, options.metadata ? metadata : null);
	for (const each of scopes.classes) emitter.lower(each);
	for (const [statement, name] of metadata.namespaces) {
		const { start, end } = statement.source;
		edits.insert(statement.end, [
			`;import * as ${name} from `,
			options.source.slice(start, end),
			";"
		]);
	}
}
var DecoratorEmitter = class {
	#scopes;
	#edits;
	#options;
	#metadata;
	constructor(scopes, edits, options, metadata) {
		this.#scopes = scopes;
		this.#edits = edits;
		this.#options = options;
		this.#metadata = metadata;
	}
	lower(record) {
		const { node, statement, from } = record;
		if (node.type === "ClassExpression") this.#refuse(node, "Decorators are not valid in a class expression");
		const edits = this.#edits;
		const body = node.body;
		const members = listOf(body);
		const constructor = members.find((each) => each.kind === "constructor" && each.value?.body != null);
		const ownDecorators = node.decorators ?? [];
		const decoratesClass = ownDecorators.length > 0 || hasDecorators(constructor?.value?.params ?? []);
		const name = node.id?.name ?? this.#scopes.fresh("default_1");
		const alias = decoratesClass ? this.#alias(record, name) : null;
		const memberCalls = [...this.#members(record, name, false), ...this.#members(record, name, true)];
		this.#removeDecorators(node);
		for (const each of members) if (hasDecorators([each])) this.#keepKey(each);
		const before = alias === null ? "" : `let ${alias}; `;
		this.#header(record, name, before, decoratesClass);
		if (alias !== null) edits.insert(body.start + 1, ` static { ${alias} = this; }`);
		const inside = this.#usesPrivateNames(node);
		if (inside) edits.insert(body.end - 1, () => [
			" static {",
			memberCalls,
			"} "
		]);
		edits.insert(Math.max(node.end, statement.end), () => {
			const code = decoratesClass ? [";"] : [];
			if (from !== null) code.push(` ${from.parameter}.${name} = ${name};`);
			if (!inside) code.push(memberCalls);
			if (decoratesClass) {
				const { start } = ownDecorators[0] ?? node;
				code.push(new Mark(start), from === null ? "" : `${from.parameter}.${name} = `, `${name} = ${alias === null ? "" : `${alias} = `}${HELPERS}.decorate([`, this.#list(ownDecorators, constructor?.value ?? null, this.#metadata?.ofClass(node, record.scope) ?? []), `], ${name});`);
				if (statement.type === "ExportDefaultDeclaration") code.push(` export default ${name};`);
				else if (statement !== node && from === null) code.push(` export { ${name} };`);
			}
			return code;
		});
	}
	/** Replaces what stands before the class's name; removes decorators among it. */
	#header({ node, statement, from }, name, before, decoratesClass) {
		const edits = this.#edits;
		const decorators = node.decorators ?? [];
		const start = Math.min(statement.start, decorators[0]?.start ?? node.start);
		const classAt = classKeyword(this.#options.source, Math.max(statement.start, node.start, decorators.at(-1)?.end ?? 0));
		const isDefault = statement.type === "ExportDefaultDeclaration";
		const words = decoratesClass ? `let ${name} = ` : `${statement === node || from !== null ? "" : isDefault ? "export default " : "export "}${this.#isAbstract(node) ? "abstract " : ""}`;
		edits.replace(start, classAt, [
			before,
			words,
			new Span(classAt, classAt)
		]);
		if (node.id === null && !decoratesClass) edits.insert(classAt + 5, ` ${name}`);
		if (decoratesClass) this.#removeAbstract(node);
	}
	#isAbstract(node) {
		return node.abstract === true;
	}
	/** A class expression cannot be abstract; nothing of such members is left at run time. */
	#removeAbstract(node) {
		if (!this.#isAbstract(node)) return;
		for (const { type, start, end } of listOf(node.body)) if (type.startsWith("TSAbstract")) this.#edits.replace(start, end);
	}
	/** The name by which the class means itself: what its decorators made of it, not what they were given. */
	#alias({ node }, name) {
		const { start, end } = node.body;
		let alias = null;
		for (const { node: reference, scope, shorthand } of this.#scopes.references) {
			if (reference.name !== name || reference.start < start || reference.end > end) continue;
			if (scope.resolve(name)?.node !== node) continue;
			alias ??= this.#scopes.fresh(`${name}_1`);
			this.#edits.replace(reference.start, reference.end, [
				shorthand ? `${name}: ` : "",
				new Span(reference.start, reference.start),
				alias
			]);
		}
		return alias;
	}
	#removeDecorators(node) {
		for (const member of listOf(node.body)) {
			const parameters = member.value?.params ?? [];
			for (const each of [member, ...parameters]) for (const { start, end } of each.decorators ?? []) this.#edits.replace(start, end);
		}
	}
	*#members({ node, scope }, name, isStatic) {
		const members = listOf(node.body);
		for (const member of members) {
			if (member.kind === "constructor" || member.static !== isStatic) continue;
			const method = member.value?.params === void 0 ? null : member.value;
			if (method !== null && method.body === null) continue;
			const pair = members.find((each) => isPair(each, member));
			if (pair !== void 0 && (pair.decorators ?? []).length > 0 && pair.start < member.start) continue;
			const setter = pair !== void 0 && member.kind === "get" ? pair.value : method;
			const decorators = member.decorators ?? [];
			if (decorators.length === 0 && !hasDecorators(setter?.params ?? [])) continue;
			if (member.key.type === "PrivateIdentifier") this.#refuse(member, "Decorators are not valid on private names");
			const isField = member.type === "PropertyDefinition" || member.type === "TSAbstractPropertyDefinition";
			yield [
				" ",
				new Mark((decorators[0] ?? member).start),
				`${HELPERS}.decorate([`,
				this.#list(decorators, setter, this.#metadata?.ofMember(member, members, scope) ?? []),
				`], ${name}${isStatic ? "" : ".prototype"}, `,
				this.#key(member),
				isField ? ", void 0);" : ", null);"
			];
		}
	}
	#list(decorators, method, metadata) {
		const items = decorators.map(({ expression: { start, end } }) => this.#edits.render(start, end));
		for (const [i, parameter] of parametersOf(method).entries()) for (const { start, expression } of parameter.decorators ?? []) {
			const value = this.#edits.render(expression.start, expression.end);
			items.push([
				new Mark(start),
				`${HELPERS}.decorateParam(${i}, `,
				value,
				")"
			]);
		}
		for (const [name, value] of metadata) items.push(`${HELPERS}.decorateMetadata("${name}", ${value})`);
		return items.flatMap((item, i) => i === 0 ? [item] : [", ", item]);
	}
	#key(member) {
		const kept = this.#scopes.keyOf(member);
		if (kept !== null) return kept;
		const { key } = member;
		return key.type === "Identifier" ? JSON.stringify(keyText(member)) : new Span(key.start, key.end);
	}
	/** Has the class keep a computed key. */
	#keepKey(member) {
		const name = this.#scopes.keyOf(member);
		if (name !== null && member.type !== "AccessorProperty") this.#edits.insert(member.key.start, `${name} = `);
	}
	#usesPrivateNames(node) {
		return listOf(node.body).flatMap((member) => [...member.decorators ?? [], ...(member.value?.params ?? []).flatMap((parameter) => parameter.decorators ?? [])]).some(hasPrivateName);
	}
	#refuse(node, message) {
		const { path, source } = this.#options;
		throw new TransformError("TT_SYNTAX", message, {
			path,
			...placeOf(source, node.start)
		});
	}
};
function hasPrivateName(node) {
	if (node.type === "PrivateIdentifier") return true;
	for (const child of valuesIn(node)) if (hasPrivateName(child)) return true;
	return false;
}
// packages/transform/src/edits.ts
var Edits = class {
	#edits = [];
	#sorted = true;
	get isEmpty() {
		return this.#edits.length === 0;
	}
	/** `code` is asked for when the text is rendered; it must not render the whole of its own range. */
	replace(start, end, code = "") {
		this.#edits.push({
			start,
			end,
			code: typeof code === "function" ? code : () => code
		});
		this.#sorted = false;
	}
	insert(at, code) {
		this.replace(at, at, code);
	}
	/** The text from `start` to `end` with all changes inside it. */
	render(start, end) {
		const edits = this.#edits;
		if (!this.#sorted) {
			const rank = (edit) => edit.end === edit.start ? -Infinity : -edit.end;
			edits.sort((a, b) => a.start - b.start || (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
			this.#sorted = true;
		}
		const parts = [];
		let at = start;
		for (let i = this.#firstFrom(start); i < edits.length; i++) {
			const edit = edits[i];
			if (edit.start > end) break;
			if (edit.start < at || edit.end > end) continue;
			if (edit.start > at) parts.push(new Span(at, edit.start));
			parts.push(edit.code());
			at = edit.end;
		}
		if (at < end) parts.push(new Span(at, end));
		return parts;
	}
	#firstFrom(offset) {
		let low = 0;
		let high = this.#edits.length;
		while (low < high) {
			const middle = low + high >> 1;
			if (this.#edits[middle].start < offset) low = middle + 1;
			else high = middle;
		}
		return low;
	}
};
// packages/transform/src/namespaces.ts
function lowerNamespaces(scopes, edits) {
	for (const record of scopes.namespaces) lowerNamespace(record, scopes, edits);
	for (const { node, scope, shorthand } of scopes.references) {
		const block = scope.resolve(node.name)?.block;
		if (block === null || block === void 0) continue;
		qualify(node, block, shorthand, edits);
	}
}
function qualify({ name, start }, block, shorthand, edits) {
	const end = start + name.length;
	edits.replace(start, end, () => [`${shorthand ? `${name}: ` : ""}${block.parameter}.`, new Span(start, end)]);
}
function lowerNamespace(record, scopes, edits) {
	const { node, statement, blocks, scope, from, merges, seeded } = record;
	const body = node.body;
	const block = blocks.at(-1);
	const [first] = blocks;
	let outer = scope;
	for (const _ of blocks) outer = outer.parent;
	const declares = merges ? "" : from !== null || outer.parent !== null ? `let ${first.name.name}` : `${statement === node ? "" : "export "}var ${first.name.name}`;
	edits.replace(statement.start, body.start + 1, () => {
		const code = [declares, ";"];
		for (const [i, { name, parameter }] of blocks.entries()) {
			if (i > 0) code.push(`let ${name.name};`);
			code.push("(function (", new Span(name.start, name.start), parameter, ") {");
		}
		return code;
	});
	edits.replace(body.end - 1, body.end, () => blocks.toReversed().map(({ name: { name } }, i) => {
		const outer = i === blocks.length - 1 ? from : blocks[blocks.length - 2 - i];
		const made = outer === null ? name : `${outer.parameter}.${name}`;
		return `})(${outer === null ? "" : `${name} = `}${made} || (${made} = {}));`;
	}).join(""));
	for (const each of listOf(body)) lowerMember(each, block, record, scopes, edits, seeded);
}
function lowerMember(statement, block, { scope }, scopes, edits, seeded) {
	const node = declarationOf(statement);
	if (isTypeOnly(node) || node === statement && node.type === "ExportNamedDeclaration") {
		edits.replace(statement.start, statement.end);
		return;
	}
	const exported = statement.type === "ExportNamedDeclaration";
	if (node.type === "TSImportEqualsDeclaration") {
		const { name } = node.id;
		const { moduleReference: { start, end } } = node;
		const used = exported || (scope.values.get(name)?.uses ?? 0) > 0;
		const target = () => exported ? `${block.parameter}.` : "var ";
		edits.replace(statement.start, statement.end, () => used ? [
			target(),
			new Span(node.id.start, node.id.end),
			" = ",
			edits.render(start, end),
			";"
		] : ";");
		return;
	}
	if (!exported) return;
	const assigned = (name) => `${block.parameter}.${name} = ${name};`;
	switch (node.type) {
		case "VariableDeclaration":
			lowerVariables(statement, node, block, edits);
			return;
		case "FunctionDeclaration":
			edits.replace(statement.start, node.start);
			edits.insert(statement.end, () => ` ${assigned(node.id.name)}`);
			return;
		case "ClassDeclaration":
			if (scopes.classes.some((each) => each.node === node)) return;
			edits.replace(statement.start, node.start);
			edits.insert(statement.end, () => ` ${assigned(node.id.name)}`);
			return;
		case "TSEnumDeclaration": {
			const { name, start, end } = node.id;
			if (!seeded.has(node)) {
				edits.replace(statement.start, node.start);
				edits.insert(statement.end, () => ` ${assigned(name)}`);
				return;
			}
			const part = scopes.fresh(`${name}_1`);
			edits.replace(statement.start, node.start, () => `let ${name} = ${block.parameter}.${name};`);
			edits.replace(start, end, part);
			edits.insert(statement.end, ` Object.assign(${name}, ${part});`);
		}
	}
}
function lowerVariables(statement, { declarations }, block, edits) {
	for (const { id } of declarations) {
		const pattern = id;
		if (pattern.type === "Identifier") continue;
		const shorthands = /* @__PURE__ */ new Set();
		collectShorthands(pattern, shorthands);
		for (const name of namesIn(pattern)) qualify(name, block, shorthands.has(name), edits);
	}
	edits.replace(statement.start, statement.end, () => {
		const code = [];
		for (const { id, init } of declarations) {
			if (init === null) continue;
			const pattern = id;
			const value = edits.render(init.start, init.end);
			code.push(code.length === 0 ? ";" : ", ");
			if (pattern.type === "Identifier") code.push(block.parameter, ".", new Span(pattern.start, pattern.start + pattern.name.length), " = ", value);
			else {
				const end = pattern.typeAnnotation?.start ?? pattern.end;
				code.push("(", edits.render(pattern.start, end), " = ", value, ")");
			}
		}
		return [code, ";"];
	});
}
function collectShorthands(pattern, into) {
	switch (pattern.type) {
		case "ObjectPattern":
			for (const each of pattern.properties) {
				if (each.type === "RestElement") continue;
				const value = each.value;
				const target = value.type === "AssignmentPattern" ? value.left : value;
				if (each.shorthand) into.add(target);
				else collectShorthands(target, into);
			}
			return;
		case "ArrayPattern":
			for (const each of pattern.elements) if (each !== null) collectShorthands(each, into);
			return;
		case "AssignmentPattern": collectShorthands(pattern.left, into);
	}
}
// packages/transform/src/typescript-rewrite.ts
/** `null`: there is nothing of the kind, or the text cannot be read. */
function rewriteTypeScript(source, path, options, isModule) {
	const { program, errors } = parseSync(path, source, {
		lang: path.endsWith("x") ? "tsx" : "ts",
		sourceType: "unambiguous",
		preserveParens: true
	});
	if (errors.some((each) => each.severity === "Error")) return null;
	const scopes = new TypeScriptScopes(program);
	const edits = new Edits();
	if (isModule) lowerRequires(scopes, edits);
	lowerNamespaces(scopes, edits);
	lowerAccessors(scopes, edits, source);
	if (options.legacyDecorators !== false) lowerLegacyDecorators(scopes, edits, {
		source,
		path,
		metadata: options.emitDecoratorMetadata ?? true,
		strictNullChecks: options.strictNullChecks ?? true
	});
	else lowerStandardDecorators(scopes, edits, {
		source,
		path
	});
	if (edits.isEmpty) return null;
	const keys = [...scopes.keys];
	if (keys.length > 0) edits.insert(source.length, `\nvar ${keys.join(", ")};`);
	const { text, spans } = flatten(edits.render(0, source.length), source);
	return {
		text,
		get map() {
			return sourceMap(text, spans, source, path);
		}
	};
}
/** An ES module has no `require` of its own. */
function lowerRequires(scopes, edits) {
	let create;
	for (const { node, statement } of scopes.requires) {
		const { id, moduleReference, importKind } = node;
		const { name, start, end } = id;
		const exported = statement !== node;
		if (importKind === "type" || !exported && (scopes.root.values.get(name)?.uses ?? 0) === 0) continue;
		const isFirst = create === void 0;
		create ??= scopes.fresh("createRequire_1");
		const { expression } = moduleReference;
		edits.replace(statement.start, statement.end, [
			isFirst ? `import { createRequire as ${create} } from "node:module"; ` : "",
			exported ? "export const " : "const ",
			new Span(start, end),
			` = ${create}(import.meta.url)(`,
			new Span(expression.start, expression.end),
			");"
		]);
	}
}
// packages/transform/src/typescript.ts
function isTypeScript(path) {
	return /\.[cm]?tsx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
}
/** What may need `rewriteTypeScript`: a word and what stands before and after it. A false alarm costs a parse. */
const REWRITTEN = [
	[
		"namespace",
		/(?:^|[\s;{}/])$/,
		/[ \t]+[^;=()'"{}\n]+\s*\{/y
	],
	[
		"module",
		/(?:^|[\s;{}/])$/,
		/[ \t]+[^;=()'"{}\n]+\s*\{/y
	],
	[
		"accessor",
		/(?:^|[\s;{}/)])$/,
		/\s+(?:[^\s;=()'"{}.,:*]|['"])/y
	],
	[
		"require",
		/\bimport\s+[^\s;=()'"{}]+\s*=\s*$/,
		/\s*\(/y
	]
];
/** As far as `before` looks back. */
const BEFORE_LENGTH = 100;
/** What stands before `@` in addresses, package names and tags of comments. */
const IN_TEXT = /[\w'"`.*-]$|\/\/$/;
const IN_COMMENT = /\*$|\/\/$/;
/** `kind`: the module system of the file, if that is known by now. */
function lowerTypeScript(source, path, options, kind) {
	if (!mayBeRewritten(source)) {
		const erased = eraseTypes(source, path, options, kind);
		if (!erased.code.includes("babelHelpers.decorate")) return erased;
	}
	const rewritten = rewriteTypeScript(source, path, options, kind === "module");
	if (rewritten === null) return eraseTypes(source, path, options, kind);
	const erased = eraseRewritten(rewritten.text, source, path, options, kind);
	return {
		code: erased.code,
		get map() {
			return remapping([erased.map, rewritten.map], () => null);
		}
	};
}
function mayBeRewritten(source) {
	return REWRITTEN.some((each) => hasWord(source, ...each)) || hasDecorator(source);
}
function hasWord(source, word, before, after) {
	for (let at = source.indexOf(word); at !== -1; at = source.indexOf(word, at + 1)) {
		after.lastIndex = at + word.length;
		if (after.test(source) && before.test(source.slice(Math.max(0, at - BEFORE_LENGTH), at))) return true;
	}
	return false;
}
/** Not in the usual places of comments and strings. */
function hasDecorator(source) {
	for (let at = source.indexOf("@"); at !== -1; at = source.indexOf("@", at + 1)) {
		if (!/[^\s\d\])}>'"`,;:=/*@.-]/.test(source.charAt(at + 1))) continue;
		let before = at - 1;
		while (before >= 0 && (source[before] === " " || source[before] === "	")) before--;
		if (!(before === at - 1 ? IN_TEXT : IN_COMMENT).test(source.slice(Math.max(0, before - 1), before + 1))) return true;
	}
	return false;
}
/** Errors name the place in the original. */
function eraseRewritten(text, source, path, options, kind) {
	try {
		return eraseTypes(text, path, options, kind);
	} catch (error) {
		eraseTypes(source, path, options, kind);
		throw error;
	}
}
function eraseTypes(source, path, options, kind) {
	const result = transformSync(path, source, {
		lang: path.endsWith("x") ? "tsx" : "ts",
		...kind === void 0 ? {} : { sourceType: kind },
		sourcemap: true,
		target: "esnext",
		typescript: {
			onlyRemoveTypeImports: options.verbatimModuleSyntax === true,
			removeClassFieldsWithoutInitializer: options.useDefineForClassFields === false
		},
		assumptions: { setPublicClassFields: options.useDefineForClassFields === false },
		decorator: {
			legacy: options.legacyDecorators ?? true,
			emitDecoratorMetadata: options.emitDecoratorMetadata ?? true
		},
		jsx: {
			runtime: options.jsx ?? "automatic",
			development: options.jsxDevelopment === true,
			...options.jsxImportSource === void 0 ? {} : { importSource: options.jsxImportSource },
			...options.jsxFactory === void 0 ? {} : { pragma: options.jsxFactory },
			...options.jsxFragmentFactory === void 0 ? {} : { pragmaFrag: options.jsxFragmentFactory }
		},
		helpers: { mode: "External" }
	});
	const error = result.errors.find((each) => each.severity === "Error");
	if (error !== void 0) {
		const at = error.labels[0]?.start ?? 0;
		throw new TransformError("TT_SYNTAX", error.message, {
			path,
			...placeOf(source, at)
		});
	}
	return {
		code: result.code,
		get map() {
			return result.map ?? {};
		}
	};
}
// packages/transform/src/transform.ts
function transform(source, options) {
	const { path, kind } = options;
	const lowered = isTypeScript(path) ? lowerTypeScript(source, path, options.typescript ?? {}, kind === "module" || kind === "commonjs" ? kind : void 0) : null;
	const text = (lowered === null ? source : lowered.code).replace(/^#!/, "//");
	const place = (offset) => {
		const found = placeOf(text, offset);
		return {
			path,
			...lowered === null ? found : originalPlace(lowered.map, found)
		};
	};
	const program = parse(text, kind, place);
	const analysis = analyze(program, {
		strict: kind === "module",
		globalThisAtRoot: kind === "script" || kind === "function"
	});
	refuse(analysis.refused, place, options.lenient ?? false);
	const prefix = choosePrefix(options.prefix ?? "$$", analysis.identifiers);
	const id = options.id ?? fileId(path, source);
	const e = new Emitter(text, analysis, {
		prefix,
		id,
		ambient: lowered === null ? AMBIENT_NAMES : LOWERED_AMBIENT_NAMES
	});
	const file = emitFile(e, program, kind, options.restore);
	const { text: code, spans } = flatten(file.code, text);
	const table = {
		abi: 4,
		id,
		functions: analysis.functions.map((info) => {
			const captured = captureNames(e, info);
			return {
				name: functionName(info.node),
				start: sourceStart(info.node, text),
				end: info.node.end,
				arrow: info.isArrow,
				async: info.async,
				generator: info.generator,
				strict: info.strict,
				captures: captured.map((each) => each.name),
				boxed: captured.map((each) => each.boxed),
				step: e.steps.get(info) ?? null,
				length: lengthOf(info.node),
				member: memberOf(info)
			};
		}),
		classes: analysis.classes.map((info) => ({
			name: info.node.id?.name ?? "",
			start: info.node.start,
			end: info.node.end,
			captures: classCaptures(info).map((variable) => variable.name),
			privates: [...info.privates.keys()],
			derived: info.node.superClass !== null,
			...privateMembers(info)
		})),
		scopes: analysis.scopes.filter((scope) => scope.variables.size > 0).map((scope) => ({
			function: scope.fn.ordinal,
			start: scope.node.start,
			end: scope.node.end,
			variables: [...scope.variables.values()].filter((variable) => variable.kind !== "handle").map(({ name, kind: variableKind, storage }) => ({
				name,
				kind: variableKind,
				storage
			}))
		})),
		module: file.module,
		statements: analysis.statements
	};
	let map;
	const composed = () => {
		const own = sourceMap(code, spans, text, path);
		if (lowered === null) return own;
		return {
			...remapping([own, lowered.map], () => null),
			sourcesContent: [source]
		};
	};
	return {
		code,
		get map() {
			return map ??= composed();
		},
		get mapText() {
			return lowered === null ? encodeSpans(spans) : JSON.stringify(this.map);
		},
		table,
		source: text
	};
}
/** Where TypeScript has what its lowered code has here. */
function originalPlace(map, { line, column }) {
	const found = originalPositionFor(new TraceMap(map), {
		line,
		column: column - 1
	});
	return found.line === null ? {
		line,
		column
	} : {
		line: found.line,
		column: found.column + 1
	};
}
function parse(text, kind, place) {
	const { program, errors } = parseSync("file.js", text, {
		sourceType: kind === "module" ? "module" : kind === "commonjs" ? "commonjs" : "script",
		lang: "js",
		preserveParens: true,
		showSemanticErrors: true
	});
	const tree = program;
	const error = errors.find(({ labels: [first, second] }) => {
		return first === void 0 || second === void 0 || !isAllowedRedeclaration(tree, first.start, second.start);
	});
	if (error !== void 0) {
		const at = error.labels[0]?.start ?? 0;
		throw new TransformError("TT_SYNTAX", error.message, place(at));
	}
	return tree;
}
const REFUSALS = {
	eval: "direct eval cannot be captured, because it sees and makes variables that nobody else knows. Use `(0, eval)(…)` for global code, `new Function(…)` for a function, or exclude this file",
	with: "`with` cannot be captured, because its names are known only at run time. Read the properties explicitly, or exclude this file",
	super: "`super()` in an async arrow function cannot be captured, because the object is made while its function is suspended. Call it before the arrow, or exclude this file"
};
function refuse(refused, place, lenient) {
	const isLenient = typeof lenient === "boolean" ? () => lenient : lenient;
	const first = refused.find(({ what, node }) => what === "super" || !isLenient(place(node.start)));
	if (first === void 0) return;
	throw new TransformError("TT_REFUSED", REFUSALS[first.what], place(first.node.start));
}
/** A short name that tells files apart: 64 bits of FNV-1a over path and text. */
function fileId(path, source) {
	let low = 2166136261;
	let high = 16777619;
	for (const text of [path, source]) for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		low = Math.imul(low ^ code, 16777619);
		high = Math.imul(high ^ code, 2246822507) ^ high >>> 13;
	}
	return (low >>> 0).toString(36) + (high >>> 0).toString(36);
}
function choosePrefix(wanted, taken) {
	let prefix = wanted;
	for (let n = 0; [...taken].some((name) => name.startsWith(prefix)); n++) prefix = `${wanted}${n}_`;
	return prefix;
}
/** Parameters before the first that is optional. */
function lengthOf({ params }) {
	const optional = params.findIndex((param) => param.type === "AssignmentPattern" || param.type === "RestElement");
	return optional === -1 ? params.length : optional;
}
function memberOf({ node, classInfo }) {
	const { parent } = node;
	if (parent?.type !== "MethodDefinition" || classInfo === null) return null;
	const { kind } = parent;
	return {
		class: classInfo.ordinal,
		static: parent.static,
		kind: kind === "constructor" || kind === "get" || kind === "set" ? kind : "method",
		key: memberName(parent)
	};
}
const GAP = /(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*\n)*/y;
/** Methods begin at their modifiers but `static`, as `toString()` shows them. */
function sourceStart(node, text) {
	const { parent } = node;
	if (parent?.type === "MethodDefinition" && parent.value === node) {
		if (!parent.static) return parent.start;
		GAP.lastIndex = parent.start + 6;
		GAP.test(text);
		return GAP.lastIndex;
	}
	if (parent?.type === "Property" && (parent.method || parent.kind !== "init")) return parent.start;
	return node.start;
}
function functionName(node) {
	if (node.id !== null && node.id !== void 0) return node.id.name;
	const { parent } = node;
	if (parent === null) return "";
	if (parent.type === "MethodDefinition" || parent.type === "Property" || parent.type === "PropertyDefinition") return parent.computed ? "" : String(parent.key.name ?? parent.key.value);
	if (parent.type === "VariableDeclarator") return boundIdentifiers(parent.id)[0]?.name ?? "";
	return "";
}
export { ABI_VERSION, TransformError, isTypeScript, lowerTypeScript, readMap, transform };
