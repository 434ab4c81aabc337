// packages/turntable/src/continuation.ts
const PLACE = "TURNTABLE_RESTORE";
const PHASE = "TURNTABLE_RESTORE_PHASE";
const CODE = "TURNTABLE_RESTORE_CODE";
const ROOT = "TURNTABLE_RESTORE_ROOT";
const LIFE = "TURNTABLE_RESTORE_LIFE";
function variablesOf({ place, phase, code, root, epoch = 0, rollbacks = [] }) {
	return {
		[PLACE]: place,
		...phase === void 0 ? {} : { [PHASE]: String(phase) },
		...code === void 0 ? {} : { [CODE]: code },
		...root === void 0 ? {} : { [ROOT]: root },
		...epoch === 0 ? {} : { [LIFE]: [epoch, ...rollbacks.map(Math.round)].join(" ") }
	};
}
/** Whether this process is to go on from anything. */
function isContinuing(environment) {
	return environment[PLACE] !== void 0;
}
/** Takes it out of the environment. */
function takeContinuation(environment) {
	const taken = (name) => {
		const text = environment[name];
		Reflect.deleteProperty(environment, name);
		return text === "" ? void 0 : text;
	};
	const [place = "", phase, root] = [
		taken(PLACE),
		taken(PHASE),
		taken(ROOT)
	];
	const code = taken(CODE);
	const [epoch = 0, ...rollbacks] = (taken(LIFE) ?? "0").split(" ").map(Number);
	return {
		place,
		phase: phase === void 0 ? void 0 : Number(phase),
		code,
		root,
		epoch,
		rollbacks
	};
}
export { takeContinuation as n, variablesOf as r, isContinuing as t };
