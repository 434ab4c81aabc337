import { sourceName } from "@turntable/recording";
// packages/turntable/src/trace/event-json.ts
function jsonOf(value) {
	switch (typeof value) {
		case "undefined": return { $undefined: true };
		case "bigint": return { $bigint: String(value) };
		case "number": return Number.isFinite(value) && !Object.is(value, -0) ? value : { $number: Object.is(value, -0) ? "-0" : String(value) };
		case "boolean":
		case "string": return value;
		case "object":
			if (value === null) return null;
			if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64") };
			if (Array.isArray(value)) return value.map((each) => jsonOf(each));
			return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.startsWith("$") ? `$${key}` : key, jsonOf(each)]));
	}
}
/** Left out if it is undefined. */
function member(value) {
	return value === void 0 ? {} : { value: jsonOf(value) };
}
function eventJson(event) {
	switch (event.what) {
		case "messages": return {
			what: "messages",
			round: event.round,
			turns: event.turns,
			from: event.worker,
			count: event.count
		};
		case "happened": {
			const { value, ...rest } = event;
			return {
				...rest,
				...member(value)
			};
		}
		case "entry":
		case "outcome": {
			const { value, ...rest } = event;
			return {
				...rest,
				source: sourceName(event.source),
				...member(value)
			};
		}
	}
}
export { eventJson as t };
