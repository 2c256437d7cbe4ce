import { Client, Connection, type WorkflowClient } from '@temporalio/client';
import type { BenchStack } from './bench-stack';

/** Does `work` with a client of the stack's server, which is closed whatever happens. */
export const withWorkflows = async <A>(
  { temporal }: BenchStack,
  work: (workflows: WorkflowClient) => Promise<A>,
): Promise<A> => {
  const connection = await Connection.connect({ address: temporal });
  try {
    return await work(new Client({ connection }).workflow);
  } finally {
    await connection.close();
  }
};
