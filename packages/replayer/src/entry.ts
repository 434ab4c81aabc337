// API that entry points use before anything else is loaded. It must link on every version of Node, so that an
// unsupported version gets a clear error.
export { setFacade, type Facade } from './facade.ts';
export { NODE_FLAGS_WITH_VALUE } from './node-flags.ts';
export { requireNode } from './node-version.ts';
export { sanitizeColouredLines, sanitizeLines, sanitizeText } from './output/terminal-text.ts';
export { formatCount, plural, formatSize } from './output/wording.ts';
export { PACKAGE_FORM_FLAGS, programFileUrl } from './program-file.ts';
export { execImage, imageProblem } from './restore/process-image.ts';
export { version } from './version.ts';
