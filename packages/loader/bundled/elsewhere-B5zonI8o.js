import { sep } from "node:path";
import { pathToFileURL } from "node:url";
// packages/loader/src/state/elsewhere.ts
/** Begin the names by which states call what belongs to a file. */
const NAMES = /^(?:device |namespace of |import\.meta of |import\.meta\.resolve of )/;
/** Says what paths and file URLs have become. */
var Relocation = class {
	#prefixes;
	constructor(moves) {
		this.#prefixes = moves.flatMap(({ from, to }) => [{
			from,
			to,
			separator: sep
		}, {
			from: urlOf(from),
			to: urlOf(to),
			separator: "/"
		}]);
	}
	get isNone() {
		return this.#prefixes.length === 0;
	}
	/** Of a whole text that is a path or URL in one of the directories; any other one as it is. */
	text(text) {
		for (const { from, to, separator } of this.#prefixes) if (isBelow(text, from, separator) && !(to.startsWith(from) && isBelow(text, to, separator))) return to + text.slice(from.length);
		return text;
	}
	/** Of the name of a known object. */
	name(name) {
		const begin = NAMES.exec(name)?.[0] ?? "";
		return begin + this.text(name.slice(begin.length));
	}
	head(head) {
		const text = (each) => this.text(each);
		const orNull = (each) => each === null ? null : this.text(each);
		return {
			...head,
			main: orNull(head.main),
			cwd: this.text(head.cwd),
			root: orNull(head.root),
			own: head.own.map(([name, directory]) => [name, this.text(directory)]),
			nativeFiles: head.nativeFiles.map(text),
			packages: head.packages.map((each) => ({
				...each,
				directory: this.text(each.directory)
			})),
			records: head.records.map((each) => ({
				...each,
				key: this.text(each.key),
				filename: orNull(each.filename)
			}))
		};
	}
};
/** Or the directory itself. */
function isBelow(text, directory, separator = sep) {
	return text.startsWith(directory) && (text.length === directory.length || text.startsWith(separator, directory.length));
}
function urlOf(directory) {
	return pathToFileURL(directory).href;
}
export { isBelow as n, Relocation as t };
