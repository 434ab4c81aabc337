// Changes the manifest of a recording as if it had been written so.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeManifest, encodeManifest, type Manifest } from '../../packages/recording/src/manifest.ts';

/** @param change returns the changed fields; a field that is undefined is removed */
export function editManifest(
  directory: string,
  change: (manifest: Manifest) => { readonly [F in keyof Manifest]?: Manifest[F] | undefined },
): void {
  const file = join(directory, 'manifest.json');
  const manifest = decodeManifest(readFileSync(file), file);
  writeFileSync(file, encodeManifest({ ...manifest, ...change(manifest) } as Manifest));
}

/** Makes an ended recording one whose process was killed. */
export function unendRecording(directory: string): void {
  editManifest(directory, () => ({ ended: null, endReason: null, files: undefined, exitCode: undefined }));
}

/** Removes all snapshots of an ended recording, as if it had been recorded without. */
export function removeSnapshots(directory: string): void {
  rmSync(join(directory, 'snapshots'), { recursive: true });
  editManifest(directory, ({ files }) => ({ files: files?.filter(([name]) => !name.startsWith('snapshots/')) }));
}
