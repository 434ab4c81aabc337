import "./rolldown-runtime-C7kxIl-Z.js";
import { detectFormat, formatOf, installedPackage, loaderOptions, matches, originalPlace, prebuild, prebuiltFileOf, readSourceMap, refusalIn } from "@turntable/loader";
const { join, resolve } = process.getBuiltinModule("node:path");
const { existsSync, readFileSync, writeFileSync } = process.getBuiltinModule("node:fs");
// packages/turntable/src/bundler.ts
const FORMATS = {
	es: "module",
	esm: "module",
	module: "module",
	cjs: "commonjs",
	commonjs: "commonjs"
};
function writePrebuilt({ file, kind, modules }, options) {
	const source = readFileSync(file, "utf8");
	const byFile = formatOf(file)?.format;
	const found = kind ?? (byFile === "module" || byFile === "commonjs" ? byFile : detectFormat(source));
	const map = readSourceMap(file, source);
	const isDependencyAt = (place) => {
		const original = originalPlace(map, place);
		return original !== void 0 && isDependency(original.file, options);
	};
	try {
		writeFileSync(prebuiltFileOf(file), prebuild(file, source, found, isDependencyAt));
		return;
	} catch (error) {
		if (!isTransformError(error)) throw error;
		if (map !== void 0 || error.code !== "TT_REFUSED" || modules === void 0) return refusal(error, originalPlace(map, error));
		for (const module of modules) {
			if (isDependency(module, options)) continue;
			if (!existsSync(module)) return refusal(error);
			const own = refusalIn(module, () => false);
			if (own !== void 0) return refusal(isTransformError(own) ? own : error);
		}
		writeFileSync(prebuiltFileOf(file), prebuild(file, source, found, () => true));
		return;
	}
}
function refusal(error, place) {
	const { path: file, line, column, message } = error;
	return {
		...place ?? {
			file,
			line,
			column
		},
		text: message.slice(message.indexOf(": ") + 2)
	};
}
/** Modules whose name begins with a NUL are made up by the build. */
function isDependency(file, { include, exclude }) {
	const name = installedPackage(file)?.name;
	if (matches(exclude, file, name) !== void 0) return true;
	if (matches(include, file, name) !== void 0) return false;
	return name !== void 0 || file.startsWith("\0");
}
function isTransformError(error) {
	return error instanceof SyntaxError && (error.code ?? "").startsWith("TT_") && "line" in error;
}
/** For `plugins` of Rollup, Rolldown and Vite. */
function turntable(options = {}) {
	const settings = loaderOptions(options);
	return {
		name: "turntable",
		writeBundle(output, bundle) {
			const format = output.format ?? "es";
			const kind = FORMATS[format];
			if (kind === void 0) throw new TypeError(`turntable/bundler: output of format "${format}" cannot be loaded by Node; use "es" or "cjs"`);
			for (const { type, fileName, moduleIds } of Object.values(bundle)) {
				if (type !== "chunk") continue;
				const refused = writePrebuilt({
					file: output.dir === void 0 ? resolve(output.file ?? fileName) : join(output.dir, fileName),
					kind,
					modules: moduleIds?.map(withoutQuery)
				}, settings);
				if (refused !== void 0) failBuild(this, refused);
			}
		}
	};
}
/** Vite's plugins put one behind names of files. */
function withoutQuery(id) {
	return id.replace(/\?.*$/s, "");
}
function failBuild(context, { file, line, column, text }) {
	const message = `${file}:${line}:${column}: ${text}`;
	if (context === void 0) throw new SyntaxError(message);
	return context.error({
		message,
		id: file,
		loc: {
			file,
			line,
			column: column - 1
		}
	});
}
/** For `plugins` of esbuild; its output has to go to files. */
function turntableEsbuild(options = {}) {
	const settings = loaderOptions(options);
	return {
		name: "turntable",
		setup(build) {
			const { initialOptions } = build;
			if (initialOptions.write === false) throw new TypeError("turntable/bundler: esbuild is told to write no files (write: false); there is nothing to put transformed code beside");
			initialOptions.metafile = true;
			build.onEnd(({ metafile }) => {
				const errors = [];
				const path = (name) => resolve(initialOptions.absWorkingDir ?? ".", name);
				for (const [output, { inputs }] of Object.entries(metafile?.outputs ?? {})) {
					if (!/\.[cm]?js$/.test(output)) continue;
					const format = initialOptions.format;
					const kind = format === void 0 ? void 0 : FORMATS[format];
					const modules = inputs === void 0 ? void 0 : Object.keys(inputs).map(path);
					const refused = writePrebuilt({
						file: path(output),
						kind,
						modules
					}, settings);
					if (refused !== void 0) errors.push(esbuildMessage(refused));
				}
				return { errors };
			});
		}
	};
}
function esbuildMessage({ file, line, column, text }) {
	let lineText = "";
	try {
		lineText = readFileSync(file, "utf8").split("\n")[line - 1] ?? "";
	} catch {}
	return {
		text,
		location: {
			file,
			line,
			column: column - 1,
			lineText
		}
	};
}
export { turntable, turntableEsbuild };
