import type { HostPort } from './codecs';

/* These types have a file of their own, because the types of the package's consumer must not import anything of Temporal. */

/** The certificate authority that replaces the system's, and the client's certificate with its key; all in PEM. */
export interface Certificates<Pem = string> {
  readonly ca?: Pem;
  readonly cert?: Pem;
  readonly key?: Pem;
}

export interface RedisSettings {
  /** With sentinels or a cluster, only the URL's protocol, user, password and database count. */
  readonly url: string;
  readonly tls?: Certificates | undefined;
  readonly sentinels?:
    | {
        readonly addresses: ReadonlyArray<HostPort>;
        /** The name by which the sentinels know the primary. */
        readonly master: string;
        readonly password?: string | undefined;
      }
    | undefined;
  readonly clusterNodes?: ReadonlyArray<HostPort> | undefined;
}
