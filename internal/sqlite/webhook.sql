-- name: delivery_tenant
SELECT tenant FROM jobs WHERE id = :id;

-- name: delivery_add
INSERT INTO deliveries (id, endpoint, tenant, job, state, reason, sequence, ended, not_before)
SELECT :message, :endpoint, tenant, id, state, reason, final_seq, :now, :now FROM jobs WHERE id = :id
ON CONFLICT (id) DO NOTHING;

-- name: delivery_pick
-- Reads the head of each endpoint in the index deliveries_ready, so that what waits for
-- another one is never passed over row by row.
SELECT head.id FROM json_each(:endpoints) AS known JOIN deliveries AS head ON head.id = (
    SELECT id FROM deliveries INDEXED BY deliveries_ready
    WHERE status = 'pending' AND endpoint = known.value AND not_before <= :now
    ORDER BY not_before, sequence LIMIT 1
)
ORDER BY head.not_before, head.sequence, head.endpoint LIMIT 1;

-- name: endpoint_know
INSERT INTO endpoints (name, seen) VALUES (:name, :now) ON CONFLICT (name) DO UPDATE SET seen = excluded.seen;

-- name: endpoints_unknown
-- Jumps from endpoint to endpoint in the index deliveries_ready, however much waits for each.
WITH RECURSIVE waiting (endpoint) AS (
    SELECT min(endpoint) FROM deliveries INDEXED BY deliveries_ready WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(endpoint) FROM deliveries INDEXED BY deliveries_ready WHERE status = 'pending' AND endpoint > waiting.endpoint)
    FROM waiting WHERE waiting.endpoint IS NOT NULL
)
SELECT endpoint FROM waiting WHERE endpoint IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM endpoints WHERE name = waiting.endpoint AND seen > :before)
ORDER BY endpoint;

-- name: deliveries_give_up
UPDATE deliveries SET status = 'dead', why = :why WHERE status = 'pending' AND endpoint = :endpoint
  AND NOT EXISTS (SELECT 1 FROM endpoints WHERE name = :endpoint AND seen > :before);

-- name: delivery_take
-- While it is claimed it is not ready: a claim that nobody ended becomes ready by itself.
UPDATE deliveries SET attempt = attempt + 1, token = :token, not_before = :until WHERE id = :id;

-- name: delivery_by_id
SELECT id, endpoint, tenant, job, state, reason, sequence, ended, status, attempt, token, not_before, why
FROM deliveries WHERE id = :id;

-- name: delivery_done
DELETE FROM deliveries WHERE id = :id AND token = :token AND status = 'pending';

-- name: delivery_failed
UPDATE deliveries SET why = :why, not_before = :not_before, status = CASE WHEN :dead THEN 'dead' ELSE 'pending' END
WHERE id = :id AND token = :token AND status = 'pending';

-- name: deliveries
SELECT id, endpoint, tenant, job, state, reason, sequence, ended, status, attempt, token, not_before, why
FROM deliveries
WHERE (:tenant = '' OR tenant = :tenant) AND (:endpoint = '' OR endpoint = :endpoint)
  AND (:status = '' OR status = :status) AND (sequence < :before OR sequence = :before AND endpoint > :past)
ORDER BY sequence DESC, endpoint LIMIT :n;

-- name: delivery_replay
UPDATE deliveries SET status = 'pending', attempt = 0, why = '', not_before = :now WHERE id = :id AND status = 'dead';

-- name: delivery_discard
DELETE FROM deliveries WHERE id = :id AND status = 'dead';

-- name: delivery_counts
SELECT (SELECT count(*) FROM deliveries WHERE status = 'pending'), (SELECT count(*) FROM deliveries WHERE status = 'dead'),
       coalesce((SELECT min(ended) FROM deliveries WHERE status = 'pending'), 0);
