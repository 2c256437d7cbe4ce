/** A change of the journal's schema. A migration that was released is never changed; the next one is added. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** The schema that the journal lies in. */
export const SCHEMA = 'point_alarm';

/** Ids are compared by their bytes: hence the collation "C". */
export const migrations: ReadonlyArray<Migration> = [
  {
    version: 1,
    name: 'status changes, parts, threshold changes',
    sql: `
CREATE TABLE point_alarm.status (
  status smallint PRIMARY KEY,
  name text NOT NULL UNIQUE
);
INSERT INTO point_alarm.status VALUES (0, 'NOT_CONFIGURED'), (1, 'NO_DATA'), (2, 'GOOD'), (3, 'ALERT'), (4, 'DANGER');

CREATE TABLE point_alarm.place (
  node uuid PRIMARY KEY,
  sequence_id text COLLATE "C" NOT NULL
);
COMMENT ON TABLE point_alarm.place IS 'The last event of each node that the journal holds.';

CREATE TABLE point_alarm.part (
  node uuid NOT NULL,
  part text NOT NULL,
  label text,
  status smallint NOT NULL REFERENCES point_alarm.status,
  since timestamptz NOT NULL,
  measurement uuid,
  value double precision,
  unit text,
  PRIMARY KEY (node, part)
);
CREATE INDEX part_status ON point_alarm.part (status, since);
COMMENT ON TABLE point_alarm.part IS 'Each part of each node as it is now, and since when it has its status.';

CREATE TABLE point_alarm.status_change (
  node uuid NOT NULL,
  part text NOT NULL,
  sequence_id text COLLATE "C" NOT NULL,
  label text,
  from_status smallint NOT NULL REFERENCES point_alarm.status,
  to_status smallint NOT NULL REFERENCES point_alarm.status,
  at timestamptz NOT NULL,
  measurement uuid,
  value double precision,
  unit text,
  user_id text NOT NULL,
  request_id text,
  PRIMARY KEY (node, part, sequence_id)
);
CREATE INDEX status_change_at ON point_alarm.status_change (at);
COMMENT ON TABLE point_alarm.status_change IS 'Each change of the status of a part. 0 stands for a part that the node did not hold, or holds no more.';

CREATE TABLE point_alarm.threshold_change (
  node uuid NOT NULL,
  revision bigint NOT NULL,
  at timestamptz NOT NULL,
  user_id text NOT NULL,
  request_id text,
  sequence_id text COLLATE "C" NOT NULL,
  threshold jsonb NOT NULL,
  PRIMARY KEY (node, revision, at)
);
CREATE INDEX threshold_change_at ON point_alarm.threshold_change (at);
COMMENT ON TABLE point_alarm.threshold_change IS 'Each threshold that was set, whole.';
`,
  },
];
