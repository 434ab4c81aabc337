import { H as WIRE, U as kindOfNumber, Y as displayed, b as RUNTIME_KINDS, c as PIECE, t as ENTRY_KINDS } from "./messages-Dpb27Rbr.js";
import { objectOf } from "@turntable/heap/inert";
// packages/runtime/src/snapshot/inert-actors.ts
const { REFERENCE, ACTOR } = RUNTIME_KINDS;
const NAMES = {
	[RUNTIME_KINDS.TELLER]: ["Teller", "to"],
	[RUNTIME_KINDS.FORWARD]: [
		"Outcome",
		"owner",
		"to",
		"call",
		"settles"
	],
	[RUNTIME_KINDS.PASSED]: [
		"Passed",
		"to",
		"number"
	],
	[RUNTIME_KINDS.LATER]: [
		"Later",
		"call",
		"args",
		"settles",
		"trail"
	],
	[RUNTIME_KINDS.TRACKED_CALL]: [
		"TrackedCall",
		"name",
		"trail"
	],
	[RUNTIME_KINDS.TRAIL]: [
		"Trail",
		"what",
		"before"
	],
	[RUNTIME_KINDS.REPORTED_TRAIL]: ["ReportedTrail", "count"],
	[RUNTIME_KINDS.ASKER]: [
		"Asker",
		"worker",
		"life",
		"question",
		"count"
	],
	[RUNTIME_KINDS.SIGNAL_LISTENER]: ["SignalListener", "number"]
};
/** In the place of `runtimeObjects`. A reference is `{ actor: 'Cart#12', class, id, worker, number }`; another object than the actor's own has another number than 0. */
function inertRuntimeObjects() {
	return {
		name: "actors",
		allocate(kind, header) {
			if (kind === REFERENCE) {
				const [, name, , id, worker, , number] = header;
				const actor = number === 0 ? { actor: `${textOf(name)}#${displayed(Number(id))}` } : {};
				return objectOf("FarRef", {
					...actor,
					class: name,
					id,
					worker,
					number
				});
			}
			if (kind === ACTOR) return objectOf("ActorId", {
				id: header[0],
				worker: header[1]
			});
			return assigned(objectOf(NAMES[kind]?.[0] ?? "RuntimeObject"), kind, header);
		},
		fill: (object, kind, contents) => void assigned(object, kind, contents)
	};
}
function assigned(object, kind, values) {
	const names = NAMES[kind]?.slice(1) ?? [];
	values.forEach((value, i) => object[names[i] ?? `${i}`] = value);
	return object;
}
/** An actor as it is mentioned. */
function idOf$1(value) {
	const { id } = value ?? {};
	return typeof id === "number" ? id : void 0;
}
function textOf(value) {
	return typeof value === "string" ? value : "?";
}
function listOf$1(value) {
	return Array.isArray(value) ? value : [];
}
function objectsIn(value, [from, step] = [0, 1]) {
	const list = listOf$1(value);
	const found = [];
	for (let i = from; i < list.length; i += step) if (typeof list[i] === "object" && list[i] !== null) found.push(list[i]);
	return found;
}
function methodOf(call) {
	if (typeof call !== "number") return textOf(call);
	return kindOfNumber(call)?.kind ?? `kind ${call}`;
}
const KIND_ON_THE_WIRE = new Map(Object.entries(WIRE).map(([name, number]) => [number, name]));
/** Of pieces in the order in which they were written. */
function inertActors(roots) {
	const actors = /* @__PURE__ */ new Map();
	const underWay = [];
	const debts = [];
	const waiting = [];
	let tables;
	let tablesBytes = 0;
	for (const { value, bytes } of roots) {
		const { piece } = value ?? {};
		if (piece === PIECE.tables) [tables, tablesBytes] = [value, bytes];
		else if (piece === PIECE.messages) waiting.push(value);
		else if (piece === PIECE.underWay && value.kind !== WIRE.phase) underWay.push({
			...messageUnderWay(value),
			bytes
		});
		else if (piece === PIECE.actor) {
			const { actor, name, root, turns, failure, timers } = value;
			const id = idOf$1(actor);
			if (id === void 0) continue;
			actors.set(id, {
				id,
				name: textOf(name),
				root: typeof root === "object" && root !== null ? root : void 0,
				turns: Number(turns),
				messages: [],
				timers: objectsIn(timers, [1, 2]),
				lent: [],
				eventuals: [],
				failure: failure === true ? "stopped" : failure,
				bytes
			});
			debts.push([value, 0]);
		} else if (piece === PIECE.debts) debts.push([value, bytes]);
	}
	for (const [{ actor, lent, eventuals }, bytes] of debts) {
		const owner = actors.get(idOf$1(actor) ?? NaN);
		if (owner === void 0) continue;
		owner.lent.push(...objectsIn(lent, [1, 2]));
		owner.eventuals.push(...objectsIn(eventuals, [1, 2]));
		owner.bytes += bytes;
	}
	for (const { where, recipient, entries } of waiting) for (const entry of listOf$1(entries)) {
		const [what, to, call, args] = listOf$1(entry);
		if (what !== ENTRY_KINDS.TOLD && what !== ENTRY_KINDS.SENT) continue;
		const id = idOf$1(where === "all" ? to : recipient ?? to);
		actors.get(id ?? NaN)?.messages.push({
			method: methodOf(call),
			args
		});
	}
	return {
		actors: [...actors.values()],
		underWay,
		turns: turnsIn(tables),
		tables,
		tablesBytes
	};
}
function messageUnderWay({ worker, kind, id, call, args }) {
	const method = kind === WIRE.call || kind === WIRE.trackedCall ? textOf(call) : KIND_ON_THE_WIRE.get(kind) ?? `kind ${kind}`;
	return {
		from: Number(worker),
		to: Number(id),
		method,
		args
	};
}
function turnsIn(tables) {
	const { turns } = tables ?? {};
	return typeof turns === "number" ? turns : 0;
}
// packages/runtime/src/snapshot/canonical-pieces.ts
/** Times, and what the collector decides. */
const OF_THE_MOMENT = /* @__PURE__ */ new Set([
	"census",
	"left",
	"until"
]);
/** Of pieces in any order. */
function canonicalPieces(roots) {
	const pieces = roots.map(({ value }) => value ?? {});
	const of = (kind) => pieces.filter(({ piece }) => piece === kind);
	const actors = of(PIECE.actor);
	const debts = [...actors, ...of(PIECE.debts)];
	const named = /* @__PURE__ */ new Map();
	for (const { eventuals } of debts) for (const [ticket, eventual] of pairsOf(eventuals)) named.set(ticket, eventual);
	const eventual = (ticket) => named.get(ticket) ?? ticket;
	actors.sort((a, b) => idOf(a.actor) - idOf(b.actor));
	const written = new Map(actors.map((piece) => [idOf(piece.actor), actorOf(piece, debts)]));
	return {
		pieces: [
			...of(PIECE.tables).map((tables) => ["tables", tablesOf(tables, eventual)]),
			...actors.filter(isThereByItself).map((piece) => [`actor ${idOf(piece.actor)}`, written.get(idOf(piece.actor))]),
			...waiting(of(PIECE.messages), eventual),
			...underWay(of(PIECE.underWay))
		],
		leadsTo: (object) => isName(object) ? written.get(idOf(object)) : void 0,
		shown: (object, key, value) => key === "settles" && namesTicket(object) ? eventual(value) : value
	};
}
/** The main program, and who is waited for by a clock or by something outside. */
function isThereByItself({ actor, timers, waiting: outside }) {
	return idOf(actor) < 64 || listOf(timers).length > 0 || listOf(outside).length > 0;
}
/** A reference, or an actor as it is mentioned. */
function isName(object) {
	return "id" in object && "worker" in object;
}
/** What is to become of an outcome, as `inertRuntimeObjects` reads it: behind what it settles stands whether that is a name of this part's. */
function namesTicket(object) {
	return object["4"] === true && "call" in object && "owner" in object;
}
function actorOf(piece, debts) {
	const { lent: _lent, eventuals: _eventuals, held: _held, actor, timers, ...own } = piece;
	const id = idOf(actor);
	const byNumber = debts.filter((each) => idOf(each.actor) === id).flatMap((each) => pairsOf(each.lent)).toSorted(([a], [b]) => numberOf(a) - numberOf(b));
	return {
		...own,
		actor,
		timers: timersOf(timers),
		lent: byNumber
	};
}
/** In the order in which they were made. */
function timersOf(timers) {
	return pairsOf(timers).map(([, timer]) => timer).toSorted((a, b) => Number(fieldsOf(a)["number"]) - Number(fieldsOf(b)["number"]));
}
/** Pieces of a place stand in the order of what waits there. */
function waiting(pieces, eventual) {
	const places = /* @__PURE__ */ new Map();
	for (const { where, recipient, entries } of pieces) {
		const place = `${where} ${recipient === void 0 ? "" : idOf(recipient)}`;
		const those = places.get(place);
		const named = listOf(entries).map((entry) => entryOf(listOf(entry), eventual));
		if (those === void 0) places.set(place, named);
		else those.push(...named);
	}
	return [...places].toSorted(([a], [b]) => a < b ? -1 : 1).map(([place, all]) => [`waiting ${place}`, all]);
}
function entryOf(entry, eventual) {
	if (entry[0] !== ENTRY_KINDS.SENT) return entry;
	const [name, isTicket, ...rest] = entry.slice(5);
	return [
		...entry.slice(0, 5),
		isTicket === true ? eventual(name) : name,
		isTicket,
		...rest
	];
}
/** Of each worker in the order in which they were sent. */
function underWay(pieces) {
	return [...new Set(pieces.map(({ worker }) => Number(worker)))].toSorted((a, b) => a - b).map((worker) => [`from worker ${worker}`, pieces.filter((each) => Number(each.worker) === worker).map(({ references: _references, ...message }) => message)]);
}
function tablesOf(tables, eventual) {
	const { neighbours, deadlines, tracked, asked } = tables;
	const { links, references } = fieldsOf(neighbours);
	const { strangers } = fieldsOf(references);
	const named = (value, field) => {
		const fields = fieldsOf(value);
		return {
			...without(fields),
			[field]: eventual(fields[field])
		};
	};
	const each = (entry) => {
		const [number, of] = listOf(entry);
		return [number, named(of, "eventual")];
	};
	return {
		...without(tables),
		neighbours: {
			...fieldsOf(neighbours),
			links: listOf(links).map((link) => {
				const { asked: questions, passed } = fieldsOf(link);
				return {
					...fieldsOf(link),
					phase: void 0,
					asked: listOf(questions).map(each),
					passed: listOf(passed).map(each)
				};
			}),
			references: {
				...fieldsOf(references),
				strangers: listOf(strangers).map((stranger) => {
					const { held } = fieldsOf(stranger);
					return {
						...fieldsOf(stranger),
						held: listOf(held).map((one) => ({
							...fieldsOf(one),
							ref: void 0
						}))
					};
				})
			}
		},
		deadlines: {
			...fieldsOf(deadlines),
			waiting: listOf(fieldsOf(deadlines)["waiting"]).map((one) => named(one, "settles"))
		},
		tracked: listOf(tracked).map((one) => named(one, "eventual")),
		asked: listOf(asked).map((one) => named(one, "eventual"))
	};
}
function without(fields) {
	return Object.fromEntries(Object.entries(fields).filter(([name]) => !OF_THE_MOMENT.has(name)));
}
function fieldsOf(value) {
	return typeof value === "object" && value !== null ? value : {};
}
function listOf(value) {
	return Array.isArray(value) ? value : [];
}
function pairsOf(value) {
	const list = listOf(value);
	return Array.from({ length: list.length >> 1 }, (_, i) => [list[2 * i], list[2 * i + 1]]);
}
/** Of an actor or a reference, as they are read. */
function idOf(value) {
	return Number(fieldsOf(value)["id"]);
}
function numberOf(ref) {
	return Number(fieldsOf(ref)["number"]);
}
export { canonicalPieces, inertActors, inertRuntimeObjects };
