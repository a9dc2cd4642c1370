-- name: key_add
INSERT INTO keys (job, class, wrapped, created)
SELECT :job, :class, :wrapped, :now
WHERE NOT EXISTS (SELECT 1 FROM destroyed_keys WHERE job = :job AND class = :class)
ON CONFLICT (job, class) DO NOTHING;

-- name: key
SELECT wrapped FROM keys WHERE job = :job AND class = :class;

-- name: key_expires
UPDATE keys SET expires = :expires WHERE job = :job AND class = :class;

-- name: keys_expired
SELECT job, class FROM keys WHERE expires > 0 AND expires <= :now ORDER BY expires, job, class LIMIT :n;

-- name: key_remove
DELETE FROM keys WHERE job = :job AND class = :class;

-- name: key_tombstone
INSERT INTO destroyed_keys (job, class, destroyed) VALUES (:job, :class, :now);
