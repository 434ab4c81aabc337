// packages/turntable/src/replay/replay-order.ts
const VARIABLE = "TURNTABLE_REPLAY";
function variablesFor(order) {
	return { [VARIABLE]: JSON.stringify(order) };
}
/** Takes it out of the environment, where there is one. */
function takeReplayOrder(environment) {
	const text = environment[VARIABLE];
	Reflect.deleteProperty(environment, VARIABLE);
	return text === void 0 || text === "" ? void 0 : JSON.parse(text);
}
export { variablesFor as n, takeReplayOrder as t };
