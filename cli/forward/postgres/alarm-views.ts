/**
 * The third step of the journal's schema: each alarm as a row, and the views that answer questions about a period
 * (docs/journal.md, "Questions about a month").
 *
 * An alarm is the time for which a part is in ALERT or DANGER. A trigger keeps the table of alarms, because a forwarder of an
 * earlier release may write beside this one. While the table is filled, a lock keeps others from writing; they try again.
 *
 * A view of a period is a function of its begin and end: PostgreSQL cannot push a condition into a view with window functions.
 */
export const alarmViews = {
  name: 'alarms, acknowledgements, and views of them',
  sql: `
SET LOCAL work_mem = '256MB'; -- a large journal is sorted once
LOCK TABLE point_alarm.place, point_alarm.status_change IN SHARE ROW EXCLUSIVE MODE; -- in the order of a forwarder

CREATE TABLE point_alarm.alarm AS
SELECT node, part, label, sequence_id, began,
  CASE WHEN ended < began THEN began ELSE ended END AS ended,
  coalesce(began - lag(began, 2) OVER of_part < interval '1 minute', false)
    OR coalesce(lead(began) OVER of_part - lag(began) OVER of_part < interval '1 minute', false)
    OR coalesce(lead(began, 2) OVER of_part - began < interval '1 minute', false) AS chatters
FROM (
  SELECT node, part, label, sequence_id, to_status, at AS began,
    lead(at) OVER (PARTITION BY node, part ORDER BY sequence_id, to_status) AS ended
  FROM point_alarm.status_change
  WHERE (from_status < 3) <> (to_status < 3)
) AS crossing
WHERE to_status >= 3
WINDOW of_part AS (PARTITION BY node, part ORDER BY sequence_id);

ALTER TABLE point_alarm.alarm
  ALTER node SET NOT NULL,
  ALTER part SET NOT NULL,
  ALTER sequence_id SET NOT NULL,
  ALTER began SET NOT NULL,
  ALTER chatters SET NOT NULL,
  ADD PRIMARY KEY (node, part, sequence_id);
CREATE INDEX alarm_began ON point_alarm.alarm (began) INCLUDE (node, part, label, ended, chatters);
CREATE INDEX alarm_long ON point_alarm.alarm (began) WHERE ended IS NULL OR ended - began > interval '24 hours';
CREATE STATISTICS point_alarm.alarm_lasted ON (ended - began) FROM point_alarm.alarm; -- few are long
CREATE STATISTICS point_alarm.alarm_parts (ndistinct) ON node, part, label FROM point_alarm.alarm; -- far fewer than alarms
ANALYZE point_alarm.alarm;
COMMENT ON TABLE point_alarm.alarm IS 'Each time for which a part was in ALERT or DANGER. It chatters if it is one of three of its part that began within a minute.';

CREATE FUNCTION point_alarm.keep_alarm() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE point_alarm.alarm SET ended = greatest(began, NEW.at)
  WHERE node = NEW.node AND part = NEW.part AND ended IS NULL AND sequence_id = (
    SELECT max(sequence_id) FROM point_alarm.alarm
    WHERE node = NEW.node AND part = NEW.part AND sequence_id < NEW.sequence_id);
  IF NEW.to_status >= 3 THEN
    INSERT INTO point_alarm.alarm (node, part, label, sequence_id, began, chatters)
    VALUES (NEW.node, NEW.part, NEW.label, NEW.sequence_id, NEW.at, false);
    UPDATE point_alarm.alarm SET chatters = true
    FROM (
      SELECT sequence_id AS id, began AS third_last FROM point_alarm.alarm
      WHERE node = NEW.node AND part = NEW.part ORDER BY sequence_id DESC OFFSET 2 LIMIT 1
    ) AS first
    WHERE node = NEW.node AND part = NEW.part AND sequence_id >= first.id AND NOT chatters
      AND NEW.at - first.third_last < interval '1 minute';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER keep_alarm AFTER INSERT ON point_alarm.status_change FOR EACH ROW
WHEN ((NEW.from_status < 3) <> (NEW.to_status < 3)) EXECUTE FUNCTION point_alarm.keep_alarm();

CREATE FUNCTION point_alarm.alarms_by_ten_minutes(since timestamptz, until timestamptz)
RETURNS TABLE (at timestamptz, alarms bigint) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ten_minutes, coalesce(counted.alarms, 0)
  FROM generate_series(
    date_bin('10 minutes', since, timestamptz 'epoch'), until - interval '1 microsecond', interval '10 minutes'
  ) AS ten_minutes
  LEFT JOIN (
    SELECT date_bin('10 minutes', began, timestamptz 'epoch') AS ten_minutes, count(*) AS alarms
    FROM point_alarm.alarm
    WHERE began >= since AND began < until
    GROUP BY 1
  ) AS counted USING (ten_minutes)
$$;

CREATE FUNCTION point_alarm.floods(since timestamptz, until timestamptz)
RETURNS TABLE (began timestamptz, ended timestamptz, alarms bigint) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT min(at), least(max(at) + interval '10 minutes', until), sum(alarms)::bigint
  FROM (
    SELECT at, alarms,
      max(at) FILTER (WHERE alarms > 10) OVER so_far AS last_above,
      coalesce(max(at) FILTER (WHERE alarms < 5) OVER so_far, '-infinity') AS last_below
    FROM point_alarm.alarms_by_ten_minutes(since, until)
    WINDOW so_far AS (ORDER BY at)
  ) AS ten_minutes
  WHERE last_above > last_below
  GROUP BY last_below
$$;

CREATE FUNCTION point_alarm.alarms_by_part(since timestamptz, until timestamptz)
RETURNS TABLE (node uuid, part text, label text, alarms bigint, chattering bigint, fleeting bigint) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT node, part, label, count(*),
    count(*) FILTER (WHERE chatters),
    count(*) FILTER (WHERE NOT chatters AND ended - began < interval '1 minute')
  FROM point_alarm.alarm
  WHERE began >= since AND began < until
  GROUP BY node, part, label
$$;

CREATE FUNCTION point_alarm.standing(since timestamptz, until timestamptz)
RETURNS TABLE (node uuid, part text, label text, began timestamptz, ended timestamptz) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT node, part, label, began, ended
  FROM point_alarm.alarm
  WHERE (ended IS NULL OR ended - began > interval '24 hours')
    AND began < until - interval '24 hours'
    AND (ended > since OR EXISTS (
      SELECT FROM point_alarm.part AS held
      WHERE ended IS NULL AND held.node = alarm.node AND held.part = alarm.part AND held.status >= 3))
$$;

CREATE TABLE point_alarm.acknowledgement (
  id text PRIMARY KEY,
  node uuid NOT NULL,
  part text,
  at timestamptz NOT NULL,
  until timestamptz NOT NULL,
  by text NOT NULL,
  comment text NOT NULL
);
CREATE INDEX acknowledgement_at ON point_alarm.acknowledgement (at);
COMMENT ON TABLE point_alarm.acknowledgement IS 'The silences of Alertmanager for one node, or for one part of it.';

CREATE FUNCTION point_alarm.acknowledged(since timestamptz, until timestamptz)
RETURNS TABLE (node uuid, part text, label text, began timestamptz, after interval, by text, comment text) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT DISTINCT ON (alarm.node, alarm.part, alarm.began) alarm.node, alarm.part, alarm.label, alarm.began,
    acknowledgement.at - alarm.began, acknowledgement.by, acknowledgement.comment
  FROM point_alarm.acknowledgement JOIN point_alarm.alarm
    ON alarm.node = acknowledgement.node
    AND (acknowledgement.part IS NULL OR alarm.part = acknowledgement.part)
    AND alarm.began <= acknowledgement.at
    AND (alarm.ended IS NULL OR alarm.ended > acknowledgement.at)
  WHERE alarm.began >= since AND alarm.began < acknowledged.until AND acknowledgement.at >= since
  ORDER BY alarm.node, alarm.part, alarm.began, acknowledgement.at, acknowledgement.id
$$;

ALTER TABLE point_alarm.place ADD COLUMN measured_at timestamptz;
COMMENT ON COLUMN point_alarm.place.measured_at IS 'When the last measurement came; empty where the node has no threshold.';
UPDATE point_alarm.place SET measured_at = now()
WHERE EXISTS (SELECT FROM point_alarm.part WHERE part.node = place.node AND measurement IS NOT NULL);

CREATE VIEW point_alarm.silence AS
SELECT node, measured_at, now() - measured_at AS silent_for
FROM point_alarm.place
WHERE measured_at IS NOT NULL;
COMMENT ON VIEW point_alarm.silence IS 'How long each node has sent no measurement.';
`,
};
