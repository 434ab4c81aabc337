// What every process of Turntable needs first. Loads nothing else, and links on any Node.
export { useFacade, type Facade } from './facade.ts';
export { NODE_FLAGS_WITH_VALUE } from './node-flags.ts';
export { requireNode } from './node-version.ts';
export { counted, plural, sizeText } from './output/wording.ts';
export { FORM_FLAGS, ownProgram } from './own-program.ts';
export { becomeImage, whyNoImage } from './restore/image.ts';
export { version } from './version.ts';
