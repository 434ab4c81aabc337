// What is there in every process of one version of Node, and by what name.

export interface Statics {
  /** One object for both sides. */
  isNeutral(value: object): boolean;
  /** `http.Server.prototype`: something of a builtin that is outside, and there in every process under that path. No instances. */
  pathOf(value: object): string | undefined;
  /** Of what is neutral. */
  neutralPathOf(value: object): string | undefined;
  /** Back, for either. */
  at(path: string): object | undefined;
}
