import { transformer } from "@turntable/loader";
import { RuntimeError } from "@turntable/runtime";
// packages/turntable/src/query/compile-query.ts
function compileQuery(text) {
	const value = evaluated(text);
	if (typeof value === "function") return value;
	throw new RuntimeError("TT_QUERY", `a query is a function of a snapshot, and ${JSON.stringify(excerpt(text))} is ${value === null ? "null" : typeof value}; write snapshot => …`);
}
function evaluated(text) {
	try {
		return run(`(${text}\n)`);
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		const other = inOtherWords(text);
		if (other !== void 0) return other;
		throw new RuntimeError("TT_QUERY", `the text of the query is not a function: ${error.message}: ${excerpt(text)}`, { cause: error });
	}
}
/** A method of an object, or TypeScript. */
function inOtherWords(text) {
	for (const attempt of [() => Object.values(run(`({ ${text}\n})`))[0], () => run(transformer.lower(`(${text}\n)`, "query.ts"))]) try {
		return attempt();
	} catch {}
}
const evaluateGlobally = eval;
function run(source) {
	return evaluateGlobally(`${source}\n//# sourceURL=query`);
}
const SHOWN = 80;
function excerpt(text) {
	return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
/** What a query failed of, said in its own terms if it used what is not there. */
function failureOf(error) {
	const [, name] = error instanceof ReferenceError && /^(\S+) is not defined$/.exec(error.message) || [];
	if (name === void 0) return error;
	return new RuntimeError("TT_QUERY", `the query uses ${name}, which is not there: it runs from its text alone; hand it over as an argument, app.query(fn, ${name}), or import(…) it in the query`, { cause: error });
}
export { failureOf as n, compileQuery as t };
