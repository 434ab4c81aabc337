// Prepares what processes of tests run: each of our packages in a file or two, made of the current sources, and caches
// that they share. For vitest.config.ts, and for `--import` in soaks. TURNTABLE_TESTED=source runs them from sources.
import { join } from 'node:path';
import { bundlePackages } from './bundled-packages.ts';
import { root } from './node-release.mjs';
import { sourcesDigest, transformedCache } from './transformed-cache.ts';

const caches = join(root, 'node_modules/.cache/turntable-tests');

/** Digest of the sources of all packages. */
export const digest: string = sourcesDigest(root);

// The many processes compile and transform the same code once, not each.
process.env['NODE_COMPILE_CACHE'] ??= join(caches, 'compiled');
process.env['TURNTABLE_CACHE'] ??= transformedCache(digest, caches);
process.env['TURNTABLE_TESTED'] ??= 'bundled';
if (process.env['TURNTABLE_TESTED'] === 'bundled') await bundlePackages(root, digest);
