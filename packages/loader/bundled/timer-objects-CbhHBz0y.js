import { u as descriptorsOf } from "./crossing-DP3680iQ.js";
// packages/loader/src/state/timer-objects.ts
const KINDS = ["timeout", "immediate"];
const TIMER_FIELDS = [
	"callback",
	"args",
	"delay",
	"repeat",
	"refed",
	"destroyed",
	"pending",
	"remaining",
	"context",
	"id",
	"number"
];
/**
* `now` is the moment of the capture: what remains of all timers counts from there. Without it time is left out. `states`: what was read of
* timers at that moment.
*/
function timerObjects(timers, now, states) {
	const prototypes = KINDS.map((kind) => Reflect.getPrototypeOf(timers.allocate(kind)));
	return {
		name: "timers",
		asks: "objects",
		claims: (prototype) => prototypes.includes(prototype),
		take(value) {
			if (!timers.isTimer(value)) return void 0;
			const state = states?.get(value) ?? timers.read(value, now);
			const born = descriptorsOf(value);
			const hosts = timers.ownKeys(state.kind);
			for (const key of Reflect.ownKeys(born)) if (!hosts.includes(key)) Reflect.deleteProperty(born, key);
			return {
				kind: KINDS.indexOf(state.kind),
				header: [],
				contents: TIMER_FIELDS.map((field) => field === "remaining" && now === void 0 ? void 0 : state[field]),
				born,
				label: (index) => `.${TIMER_FIELDS[index] ?? index}`
			};
		},
		allocate(kind) {
			const name = KINDS[kind];
			if (name === void 0) throw new TypeError(`there is no kind ${kind} of timer`);
			return timers.allocate(name);
		},
		fill(timer, kind, contents) {
			const state = { kind: KINDS[kind] };
			TIMER_FIELDS.forEach((field, i) => state[field] = contents[i]);
			return () => timers.fill(timer, state);
		}
	};
}
export { timerObjects as n, TIMER_FIELDS as t };
