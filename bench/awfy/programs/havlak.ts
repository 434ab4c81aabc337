// Havlak: recognition of nested loops, reducible or not, in a control flow graph of ten by ten by five loop nests
// (Havlak, "Nesting of Reducible and Irreducible Loops", 1997; the steps keep the paper's letters).

import { Benchmark } from './benchmark.ts';
import { IdentityDictionary } from './dictionary.ts';
import { IdentitySet, VectorSet } from './set.ts';
import { Vector } from './vector.ts';

class BasicBlock {
  declare name: number;
  declare inEdges: Vector<BasicBlock>;
  declare outEdges: Vector<BasicBlock>;

  constructor(name: number) {
    this.name = name;
    this.inEdges = new Vector(2);
    this.outEdges = new Vector(2);
  }

  getInEdges(): Vector<BasicBlock> {
    return this.inEdges;
  }

  getOutEdges(): Vector<BasicBlock> {
    return this.outEdges;
  }

  countPredecessors(): number {
    return this.inEdges.size();
  }

  addOutEdge(to: BasicBlock): void {
    this.outEdges.append(to);
  }

  addInEdge(from: BasicBlock): void {
    this.inEdges.append(from);
  }

  customHash(): number {
    return this.name;
  }
}

class BasicBlockEdge {
  declare from: BasicBlock;
  declare to: BasicBlock;

  constructor(graph: ControlFlowGraph, from: number, to: number) {
    this.from = graph.createNode(from);
    this.to = graph.createNode(to);
    this.from.addOutEdge(this.to);
    this.to.addInEdge(this.from);
    graph.addEdge(this);
  }
}

class ControlFlowGraph {
  declare startNode: BasicBlock | null;
  declare blocks: Vector<BasicBlock>;
  declare edges: Vector<BasicBlockEdge>;

  constructor() {
    this.startNode = null;
    this.blocks = new Vector();
    this.edges = new Vector();
  }

  createNode(name: number): BasicBlock {
    let node: BasicBlock;
    if (this.blocks.at(name)) {
      node = this.blocks.at(name)!;
    } else {
      node = new BasicBlock(name);
      this.blocks.atPut(name, node);
    }
    if (this.countNodes() === 1) this.startNode = node;
    return node;
  }

  addEdge(edge: BasicBlockEdge): void {
    this.edges.append(edge);
  }

  countNodes(): number {
    return this.blocks.size();
  }

  getStartNode(): BasicBlock | null {
    return this.startNode;
  }

  getBlocks(): Vector<BasicBlock> {
    return this.blocks;
  }
}

class SimpleLoop {
  declare reducible: boolean;
  declare parent: SimpleLoop | null;
  declare root: boolean;
  declare nestingLevel: number;
  declare depthLevel: number;
  declare counter: number;
  declare blocks: IdentitySet<BasicBlock>;
  declare children: IdentitySet<SimpleLoop>;
  declare header: BasicBlock | null;

  constructor(block: BasicBlock | null, reducible: boolean) {
    this.reducible = reducible;
    this.parent = null;
    this.root = false;
    this.nestingLevel = 0;
    this.depthLevel = 0;
    this.counter = 0;
    this.blocks = new IdentitySet();
    this.children = new IdentitySet();
    if (block) this.blocks.add(block);
    this.header = block;
  }

  addNode(block: BasicBlock): void {
    this.blocks.add(block);
  }

  addChildLoop(loop: SimpleLoop): void {
    this.children.add(loop);
  }

  getChildren(): IdentitySet<SimpleLoop> {
    return this.children;
  }

  getParent(): SimpleLoop | null {
    return this.parent;
  }

  getNestingLevel(): number {
    return this.nestingLevel;
  }

  isRoot(): boolean {
    return this.root;
  }

  setParent(parent: SimpleLoop): void {
    this.parent = parent;
    this.parent.addChildLoop(this);
  }

  setIsRoot(): void {
    this.root = true;
  }

  setCounter(counter: number): void {
    this.counter = counter;
  }

  setNestingLevel(level: number): void {
    this.nestingLevel = level;
    if (level === 0) this.setIsRoot();
  }

  setDepthLevel(level: number): void {
    this.depthLevel = level;
  }
}

class LoopStructureGraph {
  declare loopCounter: number;
  declare loops: Vector<SimpleLoop>;
  declare root: SimpleLoop;

  constructor() {
    this.loopCounter = 0;
    this.loops = new Vector();
    this.root = new SimpleLoop(null, true);
    this.root.setNestingLevel(0);
    this.root.setCounter(this.loopCounter);
    this.loopCounter += 1;
    this.loops.append(this.root);
  }

  createNewLoop(block: BasicBlock | null, reducible: boolean): SimpleLoop {
    const loop = new SimpleLoop(block, reducible);
    loop.setCounter(this.loopCounter);
    this.loopCounter += 1;
    this.loops.append(loop);
    return loop;
  }

  calculateNestingLevel(): void {
    // Outermost loops hang under an artificial root.
    this.loops.forEach((loop) => {
      if (!loop.isRoot()) {
        if (!loop.getParent()) loop.setParent(this.root);
      }
    });
    this.calculateNestingLevelOf(this.root, 0);
  }

  calculateNestingLevelOf(loop: SimpleLoop, depth: number): void {
    loop.setDepthLevel(depth);
    loop.getChildren().forEach((child) => {
      this.calculateNestingLevelOf(child, depth + 1);
      loop.setNestingLevel(Math.max(loop.getNestingLevel(), 1 + child.getNestingLevel()));
    });
  }

  countLoops(): number {
    return this.loops.size();
  }
}

class UnionFindNode {
  declare parent: UnionFindNode | null;
  declare block: BasicBlock | null;
  declare dfsNumber: number;
  declare loop: SimpleLoop | null;

  constructor() {
    this.parent = null;
    this.block = null;
    this.dfsNumber = 0;
    this.loop = null;
  }

  initNode(block: BasicBlock, dfsNumber: number): void {
    this.parent = this;
    this.block = block;
    this.dfsNumber = dfsNumber;
    this.loop = null;
  }

  /** The representative of this node's set; nodes on the way become direct children of this node's parent. */
  findSet(): UnionFindNode {
    const passed = new Vector<UnionFindNode>();
    let node: UnionFindNode = this;
    while (node !== node.parent) {
      if (node.parent !== node.parent!.parent) passed.append(node);
      node = node.parent!;
    }
    passed.forEach((each) => each.union(this.parent!));
    return node;
  }

  union(parent: UnionFindNode): void {
    this.parent = parent;
  }

  getBlock(): BasicBlock | null {
    return this.block;
  }

  getLoop(): SimpleLoop | null {
    return this.loop;
  }

  getDfsNumber(): number {
    return this.dfsNumber;
  }

  setLoop(loop: SimpleLoop): void {
    this.loop = loop;
  }
}

const UNVISITED = 2147483647;
// Beyond this limit the algorithm has degenerated and aborts.
const MAX_NON_BACK_PREDECESSORS = 32 * 1024;

type BlockType = 'non-header' | 'reducible' | 'self' | 'irreducible' | 'dead';

class HavlakLoopFinder {
  declare graph: ControlFlowGraph;
  declare loops: LoopStructureGraph;
  declare nonBackPredecessors: Vector<VectorSet<number>>;
  declare backPredecessors: Vector<Vector<number>>;
  declare number: IdentityDictionary<BasicBlock, number>;
  declare maxSize: number;
  declare header: number[] | null;
  declare type: BlockType[] | null;
  declare last: number[] | null;
  declare nodes: UnionFindNode[] | null;

  constructor(graph: ControlFlowGraph, loops: LoopStructureGraph) {
    this.nonBackPredecessors = new Vector();
    this.backPredecessors = new Vector();
    this.number = new IdentityDictionary();
    this.maxSize = 0;
    this.header = null;
    this.type = null;
    this.last = null;
    this.nodes = null;
    this.graph = graph;
    this.loops = loops;
  }

  // In preorder numbers of a depth-first tree, descendants are an interval.
  isAncestor(w: number, v: number): boolean {
    return w <= v && v <= this.last![w]!;
  }

  numberDepthFirst(block: BasicBlock, current: number): number {
    this.nodes![current]!.initNode(block, current);
    this.number.atPut(block, current);

    let lastId = current;
    const outEdges = block.getOutEdges();
    for (let i = 0; i < outEdges.size(); i += 1) {
      const target = outEdges.at(i)!;
      if (this.number.at(target) === UNVISITED) {
        lastId = this.numberDepthFirst(target, lastId + 1);
      }
    }
    this.last![current] = lastId;
    return lastId;
  }

  // Step a: all blocks unvisited, then numbered depth first; unreached blocks are dead.
  initAllNodes(): void {
    this.graph.getBlocks().forEach((block) => {
      this.number.atPut(block, UNVISITED);
    });
    this.numberDepthFirst(this.graph.getStartNode()!, 0);
  }

  // Step b: tell back edges, which come from descendants, from the others.
  identifyEdges(size: number): void {
    for (let w = 0; w < size; w += 1) {
      this.header![w] = 0;
      this.type![w] = 'non-header';
      const block = this.nodes![w]!.getBlock();
      if (!block) {
        this.type![w] = 'dead';
      } else {
        this.processEdges(block, w);
      }
    }
  }

  processEdges(block: BasicBlock, w: number): void {
    if (block.countPredecessors() > 0) {
      block.getInEdges().forEach((predecessor) => {
        const v = this.number.at(predecessor)!;
        if (v !== UNVISITED) {
          if (this.isAncestor(w, v)) {
            this.backPredecessors.at(w)!.append(v);
          } else {
            this.nonBackPredecessors.at(w)!.add(v);
          }
        }
      });
    }
  }

  findLoops(): void {
    if (!this.graph.getStartNode()) return;
    const size = this.graph.countNodes();

    this.nonBackPredecessors.removeAll();
    this.backPredecessors.removeAll();
    this.number.removeAll();
    if (size > this.maxSize) {
      this.header = new Array<number>(size);
      this.type = new Array<BlockType>(size);
      this.last = new Array<number>(size);
      this.nodes = new Array<UnionFindNode>(size);
      this.maxSize = size;
    }

    for (let i = 0; i < size; i += 1) {
      this.nonBackPredecessors.append(new VectorSet());
      this.backPredecessors.append(new Vector());
      this.nodes![i] = new UnionFindNode();
    }

    this.initAllNodes();
    this.identifyEdges(size);

    this.header![0] = 0;

    // Step c: headers from the last to the first in preorder, so that inner loops come before those around them; the
    // pool is the paper's P, the body of the loop.
    for (let w = size - 1; w >= 0; w -= 1) {
      const pool = new Vector<UnionFindNode>();
      const block = this.nodes![w]!.getBlock();
      if (block) {
        this.stepD(w, pool);

        const work = new Vector<UnionFindNode>();
        pool.forEach((node) => work.append(node));
        if (pool.size() !== 0) this.type![w] = 'reducible';

        while (!work.isEmpty()) {
          const x = work.removeFirst()!;
          const count = this.nonBackPredecessors.at(x.getDfsNumber())!.size();
          if (count > MAX_NON_BACK_PREDECESSORS) return;
          this.stepE(w, pool, work, x);
        }

        if (pool.size() > 0 || this.type![w] === 'self') {
          const loop = this.loops.createNewLoop(block, this.type![w] !== 'irreducible');
          this.setLoopAttributes(w, pool, loop);
        }
      }
    }
  }

  // Step d: the sources of w's back edges are in the body; an edge from w itself makes it a loop of one.
  stepD(w: number, pool: Vector<UnionFindNode>): void {
    this.backPredecessors.at(w)!.forEach((v) => {
      if (v !== w) {
        pool.append(this.nodes![v]!.findSet());
      } else {
        this.type![w] = 'self';
      }
    });
  }

  // Step e: chase upwards; a predecessor that is no descendant of w is a second entry, which makes the loop
  // irreducible.
  stepE(w: number, pool: Vector<UnionFindNode>, work: Vector<UnionFindNode>, x: UnionFindNode): void {
    this.nonBackPredecessors.at(x.getDfsNumber())!.forEach((each) => {
      const y = this.nodes![each]!;
      const representative = y.findSet();
      if (!this.isAncestor(w, representative.getDfsNumber())) {
        this.type![w] = 'irreducible';
        this.nonBackPredecessors.at(w)!.add(representative.getDfsNumber());
      } else if (representative.getDfsNumber() !== w) {
        if (!pool.hasSome((node) => node === representative)) {
          work.append(representative);
          pool.append(representative);
        }
      }
    });
  }

  setLoopAttributes(w: number, pool: Vector<UnionFindNode>, loop: SimpleLoop): void {
    this.nodes![w]!.setLoop(loop);
    pool.forEach((node) => {
      this.header![node.getDfsNumber()] = w;
      node.union(this.nodes![w]!);
      // A nested loop is linked, its blocks are not repeated.
      if (node.getLoop()) {
        node.getLoop()!.setParent(loop);
      } else {
        loop.addNode(node.getBlock()!);
      }
    });
  }
}

class LoopTester {
  declare graph: ControlFlowGraph;
  declare loops: LoopStructureGraph;

  constructor() {
    this.graph = new ControlFlowGraph();
    this.loops = new LoopStructureGraph();
    this.graph.createNode(0);
  }

  main(dummyLoops: number, iterations: number, outer: number, middle: number, inner: number): number[] {
    this.constructSimpleGraph();
    this.addDummyLoops(dummyLoops);
    this.constructGraph(outer, middle, inner);

    this.findLoops(this.loops);
    for (let i = 0; i < iterations; i += 1) {
      this.findLoops(new LoopStructureGraph());
    }

    this.loops.calculateNestingLevel();
    return [this.loops.countLoops(), this.graph.countNodes()];
  }

  // The shape of an if with then and else.
  buildDiamond(start: number): number {
    new BasicBlockEdge(this.graph, start, start + 1);
    new BasicBlockEdge(this.graph, start, start + 2);
    new BasicBlockEdge(this.graph, start + 1, start + 3);
    new BasicBlockEdge(this.graph, start + 2, start + 3);
    return start + 3;
  }

  buildConnect(from: number, to: number): void {
    new BasicBlockEdge(this.graph, from, to);
  }

  buildStraight(start: number, n: number): number {
    for (let i = 0; i < n; i += 1) {
      this.buildConnect(start + i, start + i + 1);
    }
    return start + n;
  }

  buildBaseLoop(from: number): number {
    const header = this.buildStraight(from, 1);
    const diamond1 = this.buildDiamond(header);
    const between = this.buildStraight(diamond1, 1);
    const diamond2 = this.buildDiamond(between);
    let footer = this.buildStraight(diamond2, 1);
    this.buildConnect(diamond2, between);
    this.buildConnect(diamond1, header);
    this.buildConnect(footer, from);
    footer = this.buildStraight(footer, 1);
    return footer;
  }

  constructSimpleGraph(): void {
    this.graph.createNode(0);
    this.buildBaseLoop(0);
    this.graph.createNode(1);
    new BasicBlockEdge(this.graph, 0, 2);
  }

  constructGraph(outer: number, middle: number, inner: number): void {
    let n = 2;
    for (let tree = 0; tree < outer; tree += 1) {
      this.graph.createNode(n + 1);
      this.buildConnect(2, n + 1);
      n += 1;

      for (let i = 0; i < middle; i += 1) {
        const top = n;
        n = this.buildStraight(n, 1);
        for (let j = 0; j < inner; j += 1) {
          n = this.buildBaseLoop(n);
        }
        const bottom = this.buildStraight(n, 1);
        this.buildConnect(n, top);
        n = bottom;
      }
      this.buildConnect(n, 1);
    }
  }

  addDummyLoops(count: number): void {
    for (let i = 0; i < count; i += 1) {
      this.findLoops(this.loops);
    }
  }

  findLoops(loops: LoopStructureGraph): void {
    const finder = new HavlakLoopFinder(this.graph, loops);
    finder.findLoops();
  }
}

class Havlak extends Benchmark<number[]> {
  override innerBenchmarkLoop(innerIterations: number): boolean {
    return this.verifyResult(new LoopTester().main(innerIterations, 50, 10, 10, 5), innerIterations);
  }

  // The suite lists 1, 15, 150, 1500 and 15000: each dummy run over the small graph finds three loops.
  verifyResult(result: number[], dummyLoops: number): boolean {
    return result[0] === 1602 + 3 * dummyLoops && result[1] === 5213;
  }
}

export const newInstance = (): Benchmark<number[]> => new Havlak();
