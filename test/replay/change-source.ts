// Changes the recorded text of a module, so that a replay of the recorded code prints something else.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openRecording } from '@turntable/recording';
import { encodeSource, sha256Of, sourcePath } from '../../packages/recording/src/module-sources.ts';
import { editManifest } from '../recordings/edit-manifest.ts';

/** @param file name of the module's file @param from text that the module contains */
export function changeSource(directory: string, file: string, from: string, to: string): void {
  const recording = openRecording(directory);
  const module = recording.manifest.modules.find(({ url }) => fileURLToPath(url).endsWith(file));
  const source = module === undefined ? '' : recording.source(module.sha256);
  if (!source.includes(from)) throw new Error(`${file} does not contain ${from}`);
  const changed = source.replace(from, to);
  const sha256 = sha256Of(changed);
  writeFileSync(sourcePath(directory, sha256), encodeSource(changed));
  editManifest(directory, ({ modules }) => ({
    modules: modules.map((each) => (each.url === module?.url ? { ...each, sha256 } : each)),
  }));
}
