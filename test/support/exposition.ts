/** A family of metrics as a process shows it. */
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** The names of the labels that its samples bear. */
  readonly labels: ReadonlyArray<string>;
}

/** The families in Prometheus' text format, by name. */
export const familiesIn = (text: string): ReadonlyMap<string, Family> => {
  const lines = text.split('\n');
  const types = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\S+) (\S+)/u.exec(line) ?? [];
    return name === undefined || type === undefined ? [] : [{ name, type }];
  });
  return new Map(
    types.map(({ name, type }) => {
      const help = lines.find((line) => line.startsWith(`# HELP ${name} `))?.slice(`# HELP ${name} `.length) ?? '';
      const labels = new Set(lines.filter((line) => isSampleOf(line, name, type)).flatMap(labelsIn));
      return [name, { name, type, help, labels: [...labels].filter((label) => !own.has(label)).sort() }];
    }),
  );
};

/** Labels of histograms, and those that every metric of a process, or of the SDK, bears. */
const own = new Set(['le', 'process', 'namespace', 'taskQueue', 'task_queue', 'workflowType', 'service_name']);

const isSampleOf = (line: string, name: string, type: string): boolean =>
  line.startsWith(`${name}{`) || (type === 'histogram' && line.startsWith(`${name}_bucket{`));

const labelsIn = (sample: string): ReadonlyArray<string> =>
  [...sample.matchAll(/[{,]([a-zA-Z_]\w*)="/gu)].map(([, label = '']) => label);
