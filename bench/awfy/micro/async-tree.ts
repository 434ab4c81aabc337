// Async recursion over a binary tree: frames that wait on frames, two suspension points each, thousands alive at a
// time.

class Tree {
  declare left: Tree | null;
  declare right: Tree | null;
  declare value: number;

  constructor(depth: number) {
    this.left = depth === 0 ? null : new Tree(depth - 1);
    this.right = depth === 0 ? null : new Tree(depth - 1);
    this.value = depth;
  }
}

async function countNodes(tree: Tree | null): Promise<number> {
  if (tree === null) return 0;
  const left = await countNodes(tree.left);
  const right = await countNodes(tree.right);
  return left + right + 1;
}

const DEPTH = 12;

class AsyncTree {
  declare tree: Tree;

  constructor() {
    this.tree = new Tree(DEPTH);
  }

  async innerBenchmarkLoop(innerIterations: number): Promise<boolean> {
    for (let i = 0; i < innerIterations; i += 1) {
      if ((await countNodes(this.tree)) !== 2 ** (DEPTH + 1) - 1) return false;
    }
    return true;
  }
}

export const newInstance = (): AsyncTree => new AsyncTree();
