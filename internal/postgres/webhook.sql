-- name: deliveries_add
-- A message for each endpoint that wants to know of a job's end.
INSERT INTO deliveries (id, endpoint, tenant, job, state, reason, sequence, ended, not_before)
SELECT new.message, new.endpoint, jobs.tenant, jobs.id, jobs.state, jobs.reason, jobs.final_seq, @now, @now
FROM unnest(@messages::text[], @endpoints::text[], @jobs::text[]) AS new (message, endpoint, job)
JOIN jobs ON jobs.id = new.job
ON CONFLICT (id) DO NOTHING;

-- name: deliveries_ended
SELECT id, tenant, state, final_seq FROM jobs WHERE id = ANY (@jobs::text[]) ORDER BY id;

-- name: delivery_claim
-- Reads the head of each endpoint in the index deliveries_ready past what others are
-- claiming, so that what waits for another endpoint is never passed over row by row. While a
-- delivery is claimed it is not ready: a claim that nobody ended becomes ready by itself.
UPDATE deliveries SET attempt = attempt + 1, token = nextval('fence'), not_before = @until
WHERE id = (
    SELECT head.id FROM unnest(@endpoints::text[]) AS known (endpoint) CROSS JOIN LATERAL (
        SELECT id, endpoint, not_before, sequence FROM deliveries
        WHERE status = 'pending' AND endpoint = known.endpoint AND not_before <= @now
        ORDER BY not_before, sequence LIMIT 1 FOR UPDATE SKIP LOCKED
    ) AS head
    ORDER BY head.not_before, head.sequence, head.endpoint LIMIT 1
)
RETURNING id, endpoint, tenant, job, state, reason, sequence, ended, status, attempt, token, not_before, why;

-- name: endpoints_know
-- In one order, so that nodes that say so at once do not wait for each other in a circle.
INSERT INTO endpoints (name, seen) SELECT name, @now FROM unnest(@names::text[]) AS known (name)
ON CONFLICT (name) DO UPDATE SET seen = excluded.seen;

-- name: endpoints_unknown
-- Jumps from endpoint to endpoint in the index deliveries_ready, however much waits for each.
WITH RECURSIVE waiting (endpoint) AS (
    (SELECT endpoint FROM deliveries WHERE status = 'pending' ORDER BY endpoint LIMIT 1)
    UNION ALL
    SELECT (SELECT endpoint FROM deliveries WHERE status = 'pending' AND endpoint > waiting.endpoint ORDER BY endpoint LIMIT 1)
    FROM waiting WHERE waiting.endpoint IS NOT NULL
)
SELECT endpoint FROM waiting WHERE endpoint IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM endpoints WHERE name = waiting.endpoint AND seen > now_ms(@offset) - @d::bigint)
ORDER BY endpoint;

-- name: deliveries_give_up
UPDATE deliveries SET status = 'dead', why = @why WHERE status = 'pending' AND endpoint = @endpoint
  AND NOT EXISTS (SELECT 1 FROM endpoints WHERE name = @endpoint AND seen > @before);

-- name: delivery_done
DELETE FROM deliveries WHERE id = @id AND token = @token AND status = 'pending';

-- name: delivery_failed
UPDATE deliveries SET why = @why, not_before = @not_before, status = CASE WHEN @dead THEN 'dead' ELSE 'pending' END
WHERE id = @id AND token = @token AND status = 'pending';

-- name: deliveries
SELECT id, endpoint, tenant, job, state, reason, sequence, ended, status, attempt, token, not_before, why
FROM deliveries
WHERE (@tenant = '' OR tenant = @tenant) AND (@endpoint = '' OR endpoint = @endpoint)
  AND (@status = '' OR status = @status) AND (sequence < @before OR sequence = @before AND endpoint > @past)
ORDER BY sequence DESC, endpoint LIMIT @n;

-- name: delivery_dead
SELECT id, endpoint, tenant, job, state, reason, sequence, ended, status, attempt, token, not_before, why
FROM deliveries WHERE id = @id AND status = 'dead' FOR UPDATE;

-- name: delivery_replay
UPDATE deliveries SET status = 'pending', attempt = 0, why = '', not_before = @now WHERE id = @id
RETURNING id, endpoint, tenant, job, state, reason, sequence, ended, status, attempt, token, not_before, why;

-- name: delivery_discard
DELETE FROM deliveries WHERE id = @id;

-- name: delivery_counts
SELECT (SELECT count(*) FROM deliveries WHERE status = 'pending'), (SELECT count(*) FROM deliveries WHERE status = 'dead'),
       coalesce((SELECT min(ended) FROM deliveries WHERE status = 'pending'), 0);
