// A tree grows, with the permission of a root, until it has enough nodes; then it is walked once, from the root to the
// leaves and back. As in the papers, all nodes have the same urgency.

import { Actor, spawn, tell, type FarRef } from 'turntable';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';
import { Random } from '../random.ts';

/** Parent of a node: another node, or the root. */
export abstract class Parent extends Actor {
  readonly #hasGrown: boolean[] = [];

  childHasGrown(childIndex: number): void {
    this.#hasGrown[childIndex] = true;
  }
}

export class Root extends Parent {
  readonly #size: Size;
  readonly #random = new Random();
  readonly #isFull = Promise.withResolvers<void>();
  #children: FarRef<Node>[] = [];
  #nodes = 1;
  #height = 2;
  /** Granted requests whose new nodes have not requested yet. */
  #requests = 0;

  constructor(size: Size) {
    super();
    this.#size = size;
  }

  /** Grows the tree, walks it and returns the number of nodes below the root. */
  async growAndCount(): Promise<number> {
    const { children } = this.#size;
    const computation = this.#computation();
    for (let i = 0; i < children; i += 1) {
      this.#children.push(spawn(Node, this, this, i, 2, computation, this.#size));
    }
    this.#nodes += children;
    this.#requests = children;
    for (const child of this.#children) tell(child).grow();
    await this.#isFull.promise;
    return countAll(this.#children);
  }

  /** Returns the computation of the children; undefined if the node may have none. */
  mayGrow(height: number): number | undefined {
    const { children, nodes } = this.#size;
    this.#requests -= 1;
    if (this.#nodes + children > nodes) {
      this.#isFull.resolve();
      return undefined;
    }
    let computation: number | undefined;
    if (this.#random.boolean()) {
      computation = this.#computation();
      this.#nodes += children;
      this.#requests += children;
    }
    this.#height = Math.max(this.#height, computation === undefined ? height : height + 1);
    // The tree has died out and cannot grow any more.
    if (this.#requests === 0) this.#isFull.resolve();
    return computation;
  }

  height(): number {
    return this.#height;
  }

  #computation(): number {
    const { computation, deviation } = this.#size;
    for (;;) {
      const drawn = Math.round(this.#random.gaussian() * deviation + computation);
      if (drawn > 0) return drawn;
    }
  }
}

export class Node extends Parent {
  readonly #root: FarRef<Root>;
  readonly #parent: FarRef<Parent>;
  readonly #childIndex: number;
  readonly #height: number;
  readonly #computation: number;
  readonly #size: Size;
  readonly #random = new Random();
  #children: FarRef<Node>[] = [];
  /** Pending until it is known whether the node has children. */
  #growing: Promise<void> | undefined;

  constructor(
    root: FarRef<Root>,
    parent: FarRef<Parent>,
    childIndex: number,
    height: number,
    computation: number,
    size: Size,
  ) {
    super();
    this.#root = root;
    this.#parent = parent;
    this.#childIndex = childIndex;
    this.#height = height;
    this.#computation = computation;
    this.#size = size;
  }

  grow(): void {
    this.#growing = this.#grow();
  }

  async #grow(): Promise<void> {
    this.#random.spend(Math.floor(this.#size.computation / 50));
    const computation = await this.#root.mayGrow(this.#height);
    if (computation === undefined) return;
    tell(this.#parent).childHasGrown(this.#childIndex);
    this.#children = Array.from({ length: this.#size.children }, (_, i) =>
      spawn(Node, this.#root, this, i, this.#height + 1, computation, this.#size),
    );
    for (const child of this.#children) tell(child).grow();
  }

  /** Counts the nodes of this subtree. The request may overtake the root's answer, which another actor sends. */
  async count(): Promise<number> {
    await this.#growing;
    this.#random.spend(this.#computation);
    return 1 + (await countAll(this.#children));
  }
}

async function countAll(nodes: readonly FarRef<Node>[]): Promise<number> {
  const counts = await Promise.all(nodes.map((node) => node.count()));
  return counts.reduce((sum, count) => sum + count, 0);
}

interface Result {
  readonly nodes: number;
  readonly height: number;
}

export interface Size {
  readonly nodes: number;
  /** Children of a node that is not a leaf. */
  readonly children: number;
  /** Mean and deviation of the draws that a node takes. */
  readonly computation: number;
  readonly deviation: number;
}

export const problem: Problem<Size> = {
  paper: { nodes: 100_000, children: 10, computation: 500, deviation: 100 },
  quick: { nodes: 5000, children: 10, computation: 500, deviation: 100 },
  small: { nodes: 200, children: 10, computation: 50, deviation: 10 },
};

export async function run(size: Size, halfway?: Halfway): Promise<Result> {
  const root = spawn(Root, size);
  const counting = root.growAndCount();
  tellHalfway(halfway);
  return { nodes: await counting, height: await root.height() };
}

/** The tree has as many nodes as allowed, the root left out. */
export function verify({ nodes }: Result, { nodes: maxNodes, children }: Size): boolean {
  return nodes === maxNodes - children;
}

/** A node is created, told to grow, asks for permission and is counted; parents report that they are such. */
export function messages({ nodes, children }: Size): number {
  const below = nodes - children;
  return 1 + below * (1 + 1 + 2 + 2) + (below - children) / children + 4;
}
