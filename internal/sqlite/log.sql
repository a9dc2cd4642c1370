-- name: outbox_oldest
SELECT id, event, job, state FROM outbox ORDER BY id LIMIT :n;

-- name: outbox_ends
SELECT coalesce((SELECT id FROM outbox ORDER BY id LIMIT 1), 0), coalesce((SELECT id FROM outbox ORDER BY id DESC LIMIT 1), 0);

-- name: outbox_take
DELETE FROM outbox WHERE id = :id RETURNING job, state, coalesce(json_extract(CAST(event AS TEXT), '$.job'), '');

-- name: log_head
SELECT size, checkpoint FROM log_head;

-- name: log_advance
UPDATE log_head SET size = :size, checkpoint = :checkpoint;

-- name: entry_add
INSERT INTO entries (sequence, envelope) VALUES (:sequence, :envelope);

-- name: trail_add
INSERT INTO trail (job, sequence) VALUES (:job, :sequence);

-- name: entries_after
SELECT sequence, envelope FROM entries WHERE sequence > :after ORDER BY sequence LIMIT :n;

-- name: entry
SELECT envelope FROM entries WHERE sequence = :sequence;

-- name: hash_add
INSERT INTO hashes (position, hash) VALUES (:position, :hash);

-- name: hash
SELECT hash FROM hashes WHERE position = :position;

-- name: job_sealed
UPDATE jobs SET state = target, target = '', final_seq = :sequence, seal_ms = max(0, :now - finished)
WHERE id = :id AND state = 'sealing' AND target = :state;
