-- name: lead
-- Answers with no row while another node's time has not run out. A term that ran out is
-- over, also for its own leader: the next one has a greater token.
INSERT INTO leaders AS l (role, node, token, until) VALUES (:role, :node, 1, :until)
ON CONFLICT (role) DO UPDATE SET token = l.token + (l.node <> excluded.node OR l.until <= :now), node = excluded.node, until = excluded.until
WHERE l.node = excluded.node OR l.until <= :now
RETURNING token;

-- name: lead_resign
-- The row stays, for its token.
UPDATE leaders SET until = 0 WHERE role = :role AND node = :node;

-- name: mark
SELECT coalesce((SELECT value FROM marks WHERE name = :name), '');

-- name: mark_set
INSERT INTO marks (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING;
