-- name: copy_add
INSERT INTO working_copies (id, node, job, created, expires) VALUES (:id, :node, :job, :now, :expires);

-- name: copy_prolong
UPDATE working_copies SET expires = :expires WHERE id = :id AND job = :job;

-- name: copy_remove
DELETE FROM working_copies WHERE id = :id;

-- name: copies
SELECT id, node, job, created, expires FROM working_copies WHERE node = :node ORDER BY created, id;
