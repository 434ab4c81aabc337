// Finds a program of this machine that can create namespaces.
import { searchBubblewrap } from './bubblewrap.ts';
import type { NamespaceSearch } from './namespaces.ts';
import { searchUnshare } from './unshare.ts';

let result: NamespaceSearch | undefined;

export function findNamespaces(): NamespaceSearch {
  return (result ??= search());
}

function search(): NamespaceSearch {
  if (process.platform !== 'linux') return { problem: `there are no namespaces on ${process.platform}` };
  const searches = [searchBubblewrap, searchUnshare];
  // In bubblewrap, a process of root can change the modes of devices.
  if (process.getuid?.() === 0) searches.reverse();
  const problems: string[] = [];
  for (const searchProgram of searches) {
    const found = searchProgram();
    if ('namespaces' in found) return found;
    problems.push(found.problem);
  }
  return { problem: problems.join(', and ') };
}
