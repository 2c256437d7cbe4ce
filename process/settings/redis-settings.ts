import type { Place } from './codecs';

/* Apart from what Temporal's settings need: the types of the package's consumer name nothing of Temporal. */

/** The authority in place of the system's, and the certificate that is shown with its key; all in PEM. */
export interface Certificates<Pem = string> {
  readonly ca?: Pem;
  readonly cert?: Pem;
  readonly key?: Pem;
}

export interface RedisSettings {
  /** With sentinels or a cluster only its protocol, user, password and database count. */
  readonly url: string;
  readonly tls?: Certificates | undefined;
  readonly sentinels?:
    | {
        readonly addresses: ReadonlyArray<Place>;
        /** The name by which they know the primary. */
        readonly master: string;
        readonly password?: string | undefined;
      }
    | undefined;
  readonly clusterNodes?: ReadonlyArray<Place> | undefined;
}
