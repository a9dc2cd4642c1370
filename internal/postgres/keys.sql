-- name: key_add
-- Waits for others that make or destroy the key. Whether it was destroyed is asked after,
-- in a statement that sees what they did.
INSERT INTO keys (job, class, wrapped, created, expires) VALUES (@job, @class, @wrapped, @now, @expires)
ON CONFLICT (job, class) DO NOTHING;

-- name: key_added
SELECT wrapped FROM keys
WHERE job = @job AND class = @class
  AND NOT EXISTS (SELECT 1 FROM destroyed_keys AS gone WHERE gone.job = @job AND gone.class = @class);

-- name: key
SELECT wrapped FROM keys WHERE job = @job AND class = @class;

-- name: keys_due
-- Of the keys below those whose time is over: they are read from an index.
SELECT keys.job, keys.class
FROM keys LEFT JOIN jobs ON jobs.id = keys.job
WHERE keys.expires > 0 AND keys.expires <= @now::bigint
  AND keys.expires <= @now::bigint -
          CASE WHEN keys.class NOT IN ('task', 'upload') AND NOT jobs.delivered AND jobs.fingerprint = ''
                AND jobs.state IN ('sealing', 'released', 'awaiting_review') THEN @hand_over::bigint ELSE 0 END
ORDER BY keys.expires, keys.job, keys.class LIMIT @n;

-- name: keys_patience
SELECT set_config('statement_timeout', @statement, true);

-- name: keys_expired
-- Keys whose time is over, and keys that nobody needs any more because a process died
-- between the end of a job and the destruction of its keys, or between the making of a
-- key and the job's arrival; so are those of a job that cannot be worked on any more,
-- because its order or its document was destroyed. What opens a result that waits for its
-- caller on the command line is spared longer; one of the service, which has a
-- fingerprint, is there to be fetched until its time is over, and is never delivered. A
-- key without a job is given time for the job to arrive: as long as the reservation that
-- it was made under, or @orphan where there was none.
SELECT keys.job, keys.class
FROM keys LEFT JOIN jobs ON jobs.id = keys.job LEFT JOIN reservations AS held ON held.job = keys.job
WHERE (keys.expires > 0 AND keys.expires <= @now::bigint -
          CASE WHEN keys.class NOT IN ('task', 'upload') AND NOT jobs.delivered AND jobs.fingerprint = ''
                AND jobs.state IN ('sealing', 'released', 'awaiting_review') THEN @hand_over::bigint ELSE 0 END)
   OR jobs.state IN ('rejected', 'cancelled')
   OR (keys.class = 'task' AND jobs.state IN ('released', 'awaiting_review'))
   OR (jobs.state IN ('queued', 'dead')
       AND EXISTS (SELECT 1 FROM destroyed_keys AS gone WHERE gone.job = keys.job AND gone.class IN ('task', 'upload')))
   OR (jobs.id IS NULL AND coalesce(held.until <= @now, keys.created <= @now::bigint - @orphan::bigint))
ORDER BY keys.created, keys.job, keys.class LIMIT @n;

-- name: task_forget
UPDATE jobs SET sealed = NULL WHERE id = @job;

-- name: key_remove
DELETE FROM keys WHERE job = @job AND class = @class;

-- name: key_tombstone
INSERT INTO destroyed_keys (job, class, destroyed) VALUES (@job, @class, @now)
ON CONFLICT (job, class) DO NOTHING;

-- name: reserve_end
-- Ends a reservation whoever holds it; what was stored for it is about to be destroyed.
UPDATE reservations SET until = 0, idempotency = '' WHERE job = @job;

-- name: reserve_any_forgettable
SELECT EXISTS (SELECT 1 FROM reservations
               WHERE until <= now_ms(@offset) AND NOT EXISTS (SELECT 1 FROM keys WHERE keys.job = reservations.job));

-- name: reserve_forget
-- Answers the uploads that were announced and never begun: no key of theirs was made, so
-- that none was destroyed on record.
WITH forgotten AS (
    DELETE FROM reservations
    WHERE until <= @now AND NOT EXISTS (SELECT 1 FROM keys WHERE keys.job = reservations.job)
    RETURNING job, staged
)
SELECT job FROM forgotten
WHERE staged AND NOT EXISTS (SELECT 1 FROM destroyed_keys AS gone WHERE gone.job = forgotten.job AND gone.class = 'upload');
