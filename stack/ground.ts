import type { Environment } from './environment';
import type { ChoosePort } from './free-ports';
import type { Report } from './report';
import type { Watchdog } from './watchdog';

/** The context of everything that starts processes: report, watchdog, abort signal. */
export interface Ground {
  readonly report: Report;
  readonly watchdog: Watchdog;
  /** Aborted when the work is to end; its reason is thrown by whatever waits. */
  readonly signal: AbortSignal;
}

/** How Temporal and Redis are to be brought up. */
export interface ServersPlan {
  /** Where TEMPORAL_ADDRESS, TEMPORAL_CLI, TEMPORAL_NAMESPACE, REDIS_URL and PATH are read from. */
  readonly env: Environment;
  /** State goes to `temporal/` and `redis/` in this folder. */
  readonly folder: string;
  readonly logs: string;
  /**
   * An append-only file, or memory only. `synced-file` answers only what is on the disk; `file` may lose up to two seconds
   * when Redis is killed (docs/reliability.md, "Redis").
   */
  readonly keepRedis: 'file' | 'synced-file' | 'memory';
  /** What a server's operator must raise (docs/operations.md), or the server's own limits; absent: raised. */
  readonly temporalLimits?: 'raised' | 'own';
  /** Values by the keys of Temporal's dynamic configuration that are to differ from that. */
  readonly dynamicConfig?: Readonly<Record<string, number | boolean>>;
  /** The ports wanted; the next free ones are taken. */
  readonly ports: { readonly temporal: number; readonly ui: number; readonly redis: number };
  readonly choosePort: ChoosePort;
  /** Commands found before; else they are looked for. */
  readonly commands?: { readonly temporal?: string; readonly redis?: string };
}
