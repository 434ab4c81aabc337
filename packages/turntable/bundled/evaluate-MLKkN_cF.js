import "./rolldown-runtime-C7kxIl-Z.js";
import { n as failureOf, t as compileQuery } from "./compile-query-DW4Ml2MG.js";
import { inspect } from "node:util";
// packages/turntable/src/query/evaluate.ts
/** The answer, as people or programs read it. Throws what the function throws. */
async function evaluate(text, view, json) {
	let value;
	try {
		value = await compileQuery(text)(view);
	} catch (error) {
		throw failureOf(error);
	}
	if (json) return `${JSON.stringify(value, readable, 2) ?? "null"}\n`;
	if (typeof value === "string") return `${value}\n`;
	const colors = process.stdout.isTTY && process.stdout.hasColors();
	return `${inspect(value, {
		depth: 6,
		getters: true,
		colors
	})}\n`;
}
/** What JSON has no words for. */
function readable(_key, value) {
	if (typeof value === "bigint") return String(value);
	if (value instanceof Map) return [...value];
	return value instanceof Set ? [...value] : value;
}
export { evaluate };
