/** What `node --cpu-prof` writes of one thread. Times are in µs, of the clock of `process.hrtime`. */
export interface CpuProfile {
  readonly nodes: ReadonlyArray<ProfileNode>;
  readonly startTime: number;
  /** The node that ran at each sample, and the time since the sample before. */
  readonly samples: ReadonlyArray<number>;
  readonly timeDeltas: ReadonlyArray<number>;
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: Frame;
  readonly children?: ReadonlyArray<number>;
}

/** A function, by its place in a script; both numbers begin with 0. */
export interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** The file that a function was written in. */
export type FileOf = (frame: Frame) => string;

/** A part of a run, in µs of the same clock. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** ms that a thread was at work in `span`, by whose code it was: `this project`, a package, `Node`, V8's own work. */
export const busyTimes = (
  profile: CpuProfile,
  { from, to }: Span,
  fileOf: FileOf,
): Readonly<Record<string, number>> => {
  const origins = originsOf(profile, fileOf);
  const times: Record<string, number> = {};
  let at = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    at += profile.timeDeltas[index] ?? 0;
    const origin = origins.get(id);
    if (origin === undefined || at < from || at >= to) continue;
    times[origin] = (times[origin] ?? 0) + (profile.timeDeltas[index + 1] ?? 0) / 1_000;
  }
  return times;
};

/** Whose code each node is; none where nothing runs. What has no script, such as `Array.map`, is its caller's. */
const originsOf = ({ nodes }: CpuProfile, fileOf: FileOf): ReadonlyMap<number, string> => {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const originOf = (node: ProfileNode | undefined): string | undefined => {
    if (node === undefined) return undefined;
    const { functionName, url } = node.callFrame;
    if (url !== '') return originOfFile(fileOf(node.callFrame));
    return functionName.startsWith('(') ? OWN_WORK[functionName] : originOf(byId.get(parents.get(node.id) ?? NaN));
  };
  return new Map(
    nodes.flatMap((node) => {
      const origin = originOf(node);
      return origin === undefined ? [] : [[node.id, origin] as const];
    }),
  );
};

const OWN_WORK: Readonly<Record<string, string>> = {
  '(program)': 'native code',
  '(garbage collector)': 'garbage collection',
};

const originOfFile = (file: string): string => {
  if (file.startsWith('node:')) return 'Node';
  const [, inPackages] = /.*node_modules\/(.+)$/u.exec(file) ?? [];
  if (inPackages === undefined) return 'this project';
  return inPackages
    .split('/')
    .slice(0, inPackages.startsWith('@') ? 2 : 1)
    .join('/');
};
