/** Processor time (ms) of this process from now on: other processes on the machine do not count. */
export const processorTime = (): (() => number) => {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
};
