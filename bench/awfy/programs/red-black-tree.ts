// The collision detector's ordered map: a red-black tree with parent links, after the textbook (Cormen et al., chapter
// 13). Missing children are null, not a sentinel, so the repair after a removal carries its parent along.

import type { Ordered } from './point.ts';

export class TreeEntry<K, V> {
  declare key: K;
  declare value: V;

  constructor(key: K, value: V) {
    this.key = key;
    this.value = value;
  }
}

class InsertResult<K extends Ordered<K>, V> {
  declare isNew: boolean;
  declare node: TreeNode<K, V> | null;
  declare oldValue: V | null;

  constructor(isNew: boolean, node: TreeNode<K, V> | null, oldValue: V | null) {
    this.isNew = isNew;
    this.node = node;
    this.oldValue = oldValue;
  }
}

class TreeNode<K extends Ordered<K>, V> {
  declare key: K;
  declare value: V;
  declare left: TreeNode<K, V> | null;
  declare right: TreeNode<K, V> | null;
  declare parent: TreeNode<K, V> | null;
  declare color: 'red' | 'black';

  constructor(key: K, value: V) {
    this.key = key;
    this.value = value;
    this.left = null;
    this.right = null;
    this.parent = null;
    this.color = 'red';
  }

  successor(): TreeNode<K, V> | null {
    let x: TreeNode<K, V> = this;
    if (x.right) return minimumOf(x.right);
    let y = x.parent;
    while (y && x === y.right) {
      x = y;
      y = y.parent;
    }
    return y;
  }
}

function minimumOf<K extends Ordered<K>, V>(node: TreeNode<K, V>): TreeNode<K, V> {
  let current = node;
  while (current.left) current = current.left;
  return current;
}

export class RedBlackTree<K extends Ordered<K>, V> {
  declare root: TreeNode<K, V> | null;

  constructor() {
    this.root = null;
  }

  /** The value that the key had before, or null. */
  put(key: K, value: V): V | null {
    const inserted = this.insert(key, value);
    if (!inserted.isNew) return inserted.oldValue;

    let x = inserted.node!;
    while (x !== this.root && x.parent!.color === 'red') {
      const grandparent = x.parent!.parent!;
      if (x.parent === grandparent.left) {
        const uncle = grandparent.right;
        if (uncle && uncle.color === 'red') {
          x.parent!.color = 'black';
          uncle.color = 'black';
          grandparent.color = 'red';
          x = grandparent;
        } else {
          if (x === x.parent!.right) {
            x = x.parent!;
            this.rotateLeft(x);
          }
          x.parent!.color = 'black';
          x.parent!.parent!.color = 'red';
          this.rotateRight(x.parent!.parent!);
        }
      } else {
        const uncle = grandparent.left;
        if (uncle && uncle.color === 'red') {
          x.parent!.color = 'black';
          uncle.color = 'black';
          grandparent.color = 'red';
          x = grandparent;
        } else {
          if (x === x.parent!.left) {
            x = x.parent!;
            this.rotateRight(x);
          }
          x.parent!.color = 'black';
          x.parent!.parent!.color = 'red';
          this.rotateLeft(x.parent!.parent!);
        }
      }
    }

    this.root!.color = 'black';
    return null;
  }

  /** The removed value, or null. */
  remove(key: K): V | null {
    const z = this.find(key);
    if (!z) return null;

    // y is unlinked: z itself, or the node that takes z's place; x is what takes y's place.
    const y = !z.left || !z.right ? z : z.successor()!;
    const x = y.left ? y.left : y.right;
    const xParent = y.parent;
    if (x) x.parent = xParent;

    if (!xParent) {
      this.root = x;
    } else if (y === xParent.left) {
      xParent.left = x;
    } else {
      xParent.right = x;
    }

    if (y !== z) {
      if (y.color === 'black') this.repairRemoval(x, xParent!);

      y.parent = z.parent;
      y.color = z.color;
      y.left = z.left;
      y.right = z.right;
      if (z.left) z.left.parent = y;
      if (z.right) z.right.parent = y;
      if (!z.parent) {
        this.root = y;
      } else if (z.parent.left === z) {
        z.parent.left = y;
      } else {
        z.parent.right = y;
      }
    } else if (y.color === 'black') {
      this.repairRemoval(x, xParent);
    }
    return z.value;
  }

  get(key: K): V | null {
    const node = this.find(key);
    return node ? node.value : null;
  }

  forEach(fn: (entry: TreeEntry<K, V>) => void): void {
    if (!this.root) return;
    let current: TreeNode<K, V> | null = minimumOf(this.root);
    while (current) {
      fn(new TreeEntry(current.key, current.value));
      current = current.successor();
    }
  }

  find(key: K): TreeNode<K, V> | null {
    let current = this.root;
    while (current) {
      const order = key.compareTo(current.key);
      if (order === 0) return current;
      current = order < 0 ? current.left : current.right;
    }
    return null;
  }

  insert(key: K, value: V): InsertResult<K, V> {
    let parent: TreeNode<K, V> | null = null;
    let current = this.root;
    while (current) {
      parent = current;
      const order = key.compareTo(current.key);
      if (order < 0) {
        current = current.left;
      } else if (order > 0) {
        current = current.right;
      } else {
        const oldValue = current.value;
        current.value = value;
        return new InsertResult<K, V>(false, null, oldValue);
      }
    }

    const node = new TreeNode(key, value);
    node.parent = parent;
    if (!parent) {
      this.root = node;
    } else if (key.compareTo(parent.key) < 0) {
      parent.left = node;
    } else {
      parent.right = node;
    }
    return new InsertResult<K, V>(true, node, null);
  }

  rotateLeft(x: TreeNode<K, V>): TreeNode<K, V> {
    const y = x.right!;
    x.right = y.left;
    if (y.left) y.left.parent = x;
    this.replaceChild(x, y);
    y.left = x;
    x.parent = y;
    return y;
  }

  rotateRight(y: TreeNode<K, V>): TreeNode<K, V> {
    const x = y.left!;
    y.left = x.right;
    if (x.right) x.right.parent = y;
    this.replaceChild(y, x);
    x.right = y;
    y.parent = x;
    return x;
  }

  replaceChild(child: TreeNode<K, V>, by: TreeNode<K, V>): void {
    by.parent = child.parent;
    if (!child.parent) {
      this.root = by;
    } else if (child === child.parent.left) {
      child.parent.left = by;
    } else {
      child.parent.right = by;
    }
  }

  repairRemoval(start: TreeNode<K, V> | null, startParent: TreeNode<K, V> | null): void {
    let x = start;
    let parent = startParent;
    while (x !== this.root && (!x || x.color === 'black')) {
      if (x === parent!.left) {
        // The sibling exists: x's side is one black short of it.
        let sibling = parent!.right!;
        if (sibling.color === 'red') {
          sibling.color = 'black';
          parent!.color = 'red';
          this.rotateLeft(parent!);
          sibling = parent!.right!;
        }
        if ((!sibling.left || sibling.left.color === 'black') && (!sibling.right || sibling.right.color === 'black')) {
          sibling.color = 'red';
          x = parent;
          parent = x!.parent;
        } else {
          if (!sibling.right || sibling.right.color === 'black') {
            sibling.left!.color = 'black';
            sibling.color = 'red';
            this.rotateRight(sibling);
            sibling = parent!.right!;
          }
          sibling.color = parent!.color;
          parent!.color = 'black';
          if (sibling.right) sibling.right.color = 'black';
          this.rotateLeft(parent!);
          x = this.root;
          parent = x!.parent;
        }
      } else {
        let sibling = parent!.left!;
        if (sibling.color === 'red') {
          sibling.color = 'black';
          parent!.color = 'red';
          this.rotateRight(parent!);
          sibling = parent!.left!;
        }
        if ((!sibling.right || sibling.right.color === 'black') && (!sibling.left || sibling.left.color === 'black')) {
          sibling.color = 'red';
          x = parent;
          parent = x!.parent;
        } else {
          if (!sibling.left || sibling.left.color === 'black') {
            sibling.right!.color = 'black';
            sibling.color = 'red';
            this.rotateLeft(sibling);
            sibling = parent!.left!;
          }
          sibling.color = parent!.color;
          parent!.color = 'black';
          if (sibling.left) sibling.left.color = 'black';
          this.rotateRight(parent!);
          x = this.root;
          parent = x!.parent;
        }
      }
    }
    if (x) x.color = 'black';
  }
}
