import type { Running } from '../../dev/stack/running';
import { bringUpTemporal, type ServersPlan } from '../../dev/stack/servers';
import { openGround } from './ground';

/** A Temporal server, with its own default limits unless told, as one finds it elsewhere; it can be taken away and brought back. */
export interface PlainTemporal extends Omit<Running, 'stop'> {
  readonly address: string;
  readonly stop: () => Promise<void>;
}

export const startPlainTemporal = async (dynamicConfig: ServersPlan['dynamicConfig'] = {}): Promise<PlainTemporal> => {
  const ground = openGround('temporal');
  const { PATH, HOME } = process.env;
  const { address, own } = await bringUpTemporal({ ...ground.servers, env: { PATH, HOME }, dynamicConfig }, ground);
  if (own === undefined) throw new Error('the server is not ours to hurt');
  return { ...own, address, stop: ground.close };
};
